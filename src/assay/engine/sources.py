"""What an answer may lean on, told apart and read: texts, files, folders and globs, documents, memories."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Union, cast

from assay.errors import SourceError
from assay.types import Document

if TYPE_CHECKING:
    from assay.memory import Memory

# A str is text and a path is a file, a folder or a glob: a string is never opened.
Source = Union[str, "os.PathLike[str]", Document, "Memory"]


def read(sources: Iterable[Source] | Source) -> tuple[list[Document], list[Memory], list[str]]:
    """The documents, the memories among the sources, and a warning for each source left out or read with doubts."""
    from assay.memory.readers import read_sources

    memories: list[Memory] = []
    plain: list[str | os.PathLike[str] | Document] = []
    for source in list_sources(sources):
        if isinstance(source, str | os.PathLike | Document):
            plain.append(source)
        elif hasattr(source, "retrieve_all"):
            memories.append(source)
        else:
            raise SourceError(f"a source is text, a Path, a Document or a Memory, not {type(source).__name__}")
    if not plain:
        return [], memories, []
    result = read_sources(plain)
    refusals = [f"{refusal.path}: {refusal.reason}" for refusal in result.refused]
    if not result.documents:
        raise SourceError("none of the sources can be read:\n  " + "\n  ".join(refusals or ["nothing was found"]))
    warnings = [*(f"left out: {line}" for line in refusals), *map(str, result.notices)]
    return list(result.documents), memories, warnings


def list_sources(sources: Iterable[Source] | Source) -> list[Source]:
    """The sources one by one; a single one may be given as it is."""
    given: object = sources
    if isinstance(given, str | os.PathLike | Document) or hasattr(given, "retrieve_all"):
        return [cast("Source", given)]
    if not isinstance(given, Iterable):
        found = type(given).__name__
        raise SourceError(f"sources are texts, Paths, Documents or a Memory, not {found}; for none, leave them out")
    return list(given)
