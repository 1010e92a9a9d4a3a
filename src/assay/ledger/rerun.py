"""Run a stored check again, on the sources as they were recorded or as they are now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from assay.ledger.recording import is_recalled
from assay.ledger.runs import StoredRun
from assay.types import Claim, Document, Passage

if TYPE_CHECKING:
    from assay.engine import Engine, Run, Source
    from assay.memory import Memory


@dataclass(frozen=True)
class _RecordedPassage:
    """A passage as a memory hands it out."""

    passage: Passage


class RecordedMemory:
    """Stands in for a memory: it gives for each claim the passages that were found for it, and nothing else."""

    def __init__(self, claims: Sequence[Claim], answers: Sequence[Sequence[Passage]]) -> None:
        self._answers: list[tuple[str, str, Sequence[Passage]]] = [
            (f"{claim.context} {claim.text}".strip(), claim.text, found)
            for claim, found in zip(claims, answers, strict=True)
        ]

    def retrieve_all(self, queries: Sequence[str], k: int | None = None, **_: Any) -> list[list[_RecordedPassage]]:
        return [[_RecordedPassage(passage) for passage in self._find(query)] for query in queries]

    def retrieve(self, query: str, k: int | None = None, **_: Any) -> list[_RecordedPassage]:
        return self.retrieve_all([query], k)[0]

    def get(self, document: str) -> None:
        """Nothing: what a citation named is among the passages of its claim."""

    def find_by_hash(self, start: str) -> tuple[list[Document], list[Passage]]:
        """Nothing, for the same reason."""
        return [], []

    def _find(self, query: str) -> Sequence[Passage]:
        for whole, text, found in self._answers:
            if query in (whole, text):
                return found
        return next((found for _, text, found in self._answers if text and text in query), ())


class CurrentSources:
    """The sources as they are now, in a memory or as documents."""

    def __init__(self, given: Memory | Iterable[Document]) -> None:
        self.memory: Memory | None = cast("Memory", given) if hasattr(given, "retrieve_all") else None
        self._documents: dict[str, Document] = {}
        if self.memory is not None:
            self.hashes: Mapping[str, str] = {item.id: item.sha256 for item in self.memory.documents()}
        else:
            self._documents = {document.id: document for document in given}
            self.hashes = {name: document.sha256 for name, document in self._documents.items()}

    @property
    def documents(self) -> list[Document]:
        """The documents, where they were given as such."""
        return list(self._documents.values())

    def change(self, document: str, sha256: str, *, remembered: bool) -> str:
        """What became of a document since it had this hash: 'changed', 'gone' or nothing.

        A memory cannot say that a document is gone which never came from a memory.
        """
        now = self.hashes.get(document)
        if now is None:
            return "gone" if remembered or self.memory is None else ""
        return "changed" if now != sha256 else ""

    def changes(self, stored: StoredRun) -> dict[str, str]:
        """The documents of a run that are not as they were, each with what became of it."""
        remembered, pointers = bool(stored.payload["remembered"]), _pointers(stored)
        found = {}
        for document in stored.documents:
            if document.id in pointers:  # a stretch of a source under a pointer of its own
                continue
            if what := self.change(document.id, document.sha256, remembered=remembered):
                found[document.id] = what
        return found

    def now(self, document: Document) -> Document | None:
        """The current version of a document; the recorded one where these sources do not have it."""
        if document.id in self._documents:
            return self._documents[document.id]
        if self.memory is not None:
            return self.memory.get(document.id) or document
        return None


def sources_of(stored: StoredRun, current: CurrentSources | None = None) -> list[Source]:
    """What a run was given, in its order, and the memory, if there was one, as it answered then.

    With `current`, the documents and the memory as they are now.
    """
    pointers = _pointers(stored)
    from_memory = {passage.document for found in stored.passages for passage in found if is_recalled(passage)}
    handed = {passage.document for found in stored.passages for passage in found if not is_recalled(passage)}
    given: list[Source] = []
    for document in stored.documents:
        if document.id in pointers or (document in from_memory and document not in handed):
            continue
        now = document if current is None else current.now(document)
        if now is not None:
            given.append(now)
    if current is not None and current.memory is not None and (stored.payload["remembered"] or pointers):
        given.append(current.memory)
    elif current is not None and pointers:  # the sources behind the pointers
        given.extend(document for document in current.documents if document not in given)
    elif stored.payload["remembered"]:
        answers = [[passage for passage in found if is_recalled(passage)] for found in stored.passages]
        given.append(cast("Memory", RecordedMemory(stored.claims, answers)))
    return given


def _pointers(stored: StoredRun) -> set[str]:
    """The pointers of the evidence map, which stand for documents in the report."""
    return {item.pointer_id for item in stored.evidence_map.objects} if stored.evidence_map is not None else set()


def rerun(
    stored: StoredRun,
    engine: Engine,
    current: CurrentSources | None = None,
    numbers: Sequence[int] | None = None,
) -> Run:
    """Check the answer of a stored run again, or the claims of these numbers, on the stored sources or the current."""
    from assay.engine import Request

    if numbers is None and stored.replaces:  # a re-check had some claims of an answer and not the others
        numbers = range(len(stored.claims))
    request = Request(
        stored.answer,
        sources_of(stored, current),
        stored.question,
        stored.evidence_map if numbers is None else None,
        stored.payload["branches"],
        stored.payload["inline"],
        None if numbers is None else tuple(stored.claims[number] for number in numbers),
    )
    return (engine if numbers is None else engine.unwatched()).run(request)
