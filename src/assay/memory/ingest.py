"""Ingest sources: read, identify, cut, embed and store in batches, each batch one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from assay.memory.embed import Embedder
from assay.memory.passages import PASSAGE_TARGET_TOKENS, cut_passages, embedding_text, search_terms
from assay.memory.readers import Notice, Refusal, Source, stream_sources
from assay.memory.stores import MemoryStore
from assay.memory.stores.rows import PreparedDocument, fingerprint, storable
from assay.types import Document, Mark

Progress = Callable[[str, int], None]
"""Told each document's id and how many passages it became (0 if it was refused or unchanged)."""

_BATCH_PASSAGES = 128
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class AddResult:
    """What an `add` did, by document id."""

    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    notices: tuple[Notice, ...] = ()
    passages: int = 0


class Ingest:
    """One run over some sources; what was stored when it is interrupted stays stored."""

    def __init__(
        self, store: MemoryStore, embedder: Embedder, workspace: str, importance: float, tell: Progress
    ) -> None:
        self._store, self._embedder, self._workspace = store, embedder, workspace
        self._importance, self._tell = importance, tell
        self._waiting: list[tuple[Document, bool]] = []
        self._size = 0
        self._full = _BATCH_PASSAGES * PASSAGE_TARGET_TOKENS * _CHARACTERS_PER_TOKEN
        self._added: list[str] = []
        self._updated: list[str] = []
        self._unchanged: list[str] = []
        self._passages = 0

    def run(self, sources: Iterable[Source], *, follow_links: bool = False) -> AddResult:
        refused: list[Refusal] = []
        notices: list[Notice] = []
        for item in stream_sources(sources, follow_links=follow_links):
            match item:
                case Refusal():
                    refused.append(item)
                    self._tell(item.path, 0)
                case Notice():
                    notices.append(item)
                case Document():
                    self._take(item)
        self._store_waiting()
        return AddResult(
            tuple(self._added),
            tuple(self._updated),
            tuple(self._unchanged),
            tuple(refused),
            tuple(notices),
            self._passages,
        )

    def _take(self, document: Document) -> None:
        document, known = self._identify(document)
        if known == fingerprint(document):
            self._unchanged.append(document.id)
            self._tell(document.id, 0)
            return
        self._waiting.append((document, bool(known)))
        self._size += len(document.text)
        if self._size >= self._full:
            self._store_waiting()

    def _identify(self, document: Document) -> tuple[Document, str]:
        """The document under the id it keeps in this memory, and the fingerprint held there ('' if none)."""
        document = replace(
            document,
            id=storable(document.id),
            title=storable(document.title),
            headings=tuple(Mark(mark.start, storable(mark.label)) for mark in document.headings),
            links=tuple(Mark(mark.start, storable(mark.label)) for mark in document.links),
            workspace=self._workspace,
        )
        if document.uri.startswith("text:"):
            document = replace(document, id=f"text-{document.sha256[:8]}")
        by_path = self._store.find(uri=document.uri) if document.uri.startswith("file:") else None
        if by_path is not None:
            return replace(document, id=by_path.id), by_path.fingerprint
        identity, number = document.id, 1
        held = self._store.find(identity=identity)
        while held is not None and held.uri != document.uri and held.uri.startswith("file:"):
            number += 1  # another file goes by this name already
            identity = f"{document.id}~{number}"
            held = self._store.find(identity=identity)
        return replace(document, id=identity), held.fingerprint if held is not None else ""

    def _store_waiting(self) -> None:
        waiting, self._waiting, self._size = self._waiting, [], 0
        if not waiting:
            return
        batch = self._prepare([document for document, _ in waiting])
        self._store.put(batch)
        for (document, known), incoming in zip(waiting, batch, strict=True):
            (self._updated if known else self._added).append(document.id)
            self._passages += len(incoming.cuts)
            self._tell(document.id, len(incoming.cuts))

    def _prepare(self, documents: Sequence[Document]) -> list[PreparedDocument]:
        """All passages of a batch are embedded together."""
        cuts = [cut_passages(document) for document in documents]
        texts = [embedding_text(document, cut) for document, own in zip(documents, cuts, strict=True) for cut in own]
        vectors = self._embedder.embed(texts)
        batch, at = [], 0
        for document, own in zip(documents, cuts, strict=True):
            terms = [search_terms(document, cut) for cut in own]
            batch.append(PreparedDocument(document, own, vectors[at : at + len(own)], terms, self._importance))
            at += len(own)
        return batch
