"""What an answer may lean on: texts, files, folders, documents and memories, told apart and read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Union, cast

from assay.errors import SourceError
from assay.types import Document

if TYPE_CHECKING:
    from assay.memory import Memory

Source = Union[str, "os.PathLike[str]", Document, "Memory"]


def read(sources: Iterable[Source] | Source) -> tuple[list[Document], list[Memory], list[str]]:
    """The documents, the memories among the sources, and a warning for each source that was left out."""
    from assay.memory.readers import read_sources

    memories: list[Memory] = []
    plain: list[str | os.PathLike[str] | Document] = []
    for source in _listed(sources):
        if isinstance(source, str | os.PathLike | Document):
            plain.append(source)
        elif hasattr(source, "retrieve_all"):
            memories.append(source)
        else:
            raise SourceError(f"a source is text, a path, a Document or a Memory, not {type(source).__name__}")
    if not plain:
        return [], memories, []
    result = read_sources(plain)
    refusals = [f"{refusal.path}: {refusal.reason}" for refusal in result.refused]
    if not result.documents:
        raise SourceError("none of the sources can be read:\n  " + "\n  ".join(refusals or ["nothing was found"]))
    return list(result.documents), memories, [f"left out: {line}" for line in refusals]


def _listed(sources: Iterable[Source] | Source) -> list[Source]:
    if isinstance(sources, str | os.PathLike | Document):
        return [sources]
    return [cast("Memory", sources)] if hasattr(sources, "retrieve_all") else list(sources)
