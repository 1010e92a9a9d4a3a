"""What is asked of the engine: an answer, and the texts, files, folders, documents and memories it is judged by."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union, cast

from assay.errors import AnswerError, SourceError
from assay.types import Claim, Document

if TYPE_CHECKING:
    from assay.lattice.evidence_map import AnyEvidence
    from assay.memory import Memory

# A str is text and a path is a file, a folder or a glob: a string is never opened.
Source = Union[str, "os.PathLike[str]", Document, "Memory"]


@dataclass(frozen=True)
class Request:
    """One answer to be verified; the only value that goes into the engine.

    `evidence` is the evidence map that the answer cites by pointer. `branches` counts earlier attempts at this answer,
    `inline` says that it is still being written. `claims` are judged instead of those that stand in the answer, where
    only some of them are to be judged again.
    """

    answer: str
    sources: Iterable[Source] | Source = ()
    question: str | None = None
    evidence: AnyEvidence | None = None
    branches: int = 0
    inline: bool = False
    claims: tuple[Claim, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.answer, str):
            raise AnswerError(f"an answer is text, not {type(self.answer).__name__}")
        object.__setattr__(self, "sources", tuple(list_sources(self.sources)))


def read_sources(sources: Iterable[Source] | Source) -> tuple[list[Document], list[Memory], list[str]]:
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
    if not isinstance(given, Iterable) or isinstance(given, bytes | bytearray):
        found = type(given).__name__
        raise SourceError(f"sources are texts, Paths, Documents or a Memory, not {found}; for none, leave them out")
    return list(given)
