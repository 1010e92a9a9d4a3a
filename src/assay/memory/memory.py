"""The evidence memory: add documents, retrieve the passages that settle a claim."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock
from typing import Any, Self

import numpy as np

from assay.errors import MemoryStoreError, UsageError
from assay.memory.embed import DEFAULT_EMBEDDER, Embedder, LazyEmbedder, Vectors
from assay.memory.entries import Entry, Listing, RetrievedPassage
from assay.memory.ingest import AddResult, Ingest, Progress
from assay.memory.links import find_edges
from assay.memory.maintenance import Cluster, cluster, group_duplicates, retention_score
from assay.memory.passages import TERMS_VERSION, find_terms
from assay.memory.readers import Source
from assay.memory.retrieve import DocumentCache, RankedPassage, rank_passages
from assay.memory.stores import MemoryStore, Notify, open_store, stored_embedder
from assay.memory.stores.rows import storable
from assay.policy import Policy
from assay.types import Document, Evidence, Passage

Reranker = Callable[[str, Sequence[RetrievedPassage]], Sequence[float]]
"""Scores passages for a query, higher is better."""

CONSOLIDATE_EVERY = 10_000  # insertions between two consolidations
_LINK_BATCH = 500
_TOUCHES_HELD = 200


class Memory:
    """Documents of one workspace, in a folder or a PostgreSQL database.

    >>> import tempfile
    >>> with Memory(tempfile.mkdtemp(), embedder="static") as memory:
    ...     _ = memory.add(["Mount Everest is 8,849 m high.", "The Nile flows through Egypt."])
    ...     memory.retrieve("How high is Everest?", k=1)[0].text
    'Mount Everest is 8,849 m high.'
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        policy: Policy | None = None,
        workspace: str = "default",
        embedder: str | Embedder | None = None,
        protected: Callable[[], Iterable[int]] | None = None,
        say: Notify | None = None,
    ) -> None:
        self.path, self.workspace, self.policy = path, workspace, policy or Policy()
        self._notify: Notify = say or (lambda _: None)
        self._protected = protected
        self._embedder = _choose_embedder(embedder, path, workspace, self.policy)
        self._store: MemoryStore = open_store(path, workspace, self._embedder.width, self.policy, self._notify)
        self._check_embedder()
        self._documents = DocumentCache(self._store)
        self._touched: Counter[int] = Counter()
        self._lock = Lock()

    def _check_embedder(self) -> None:
        """The first opening decides the embedder; a rule for terms that has changed means indexing again."""
        held = self._store.setting("embedder")
        if held is None:
            self._store.set_setting("embedder", self._embedder.name)
            self._store.set_setting("terms", str(TERMS_VERSION))
        elif held != self._embedder.name:
            self._store.close()
            raise MemoryStoreError(
                f"the memory {self.path} was made with the embedder {held!r}, not {self._embedder.name!r}: "
                f"open it with embedder={held!r}"
            )
        elif self._store.setting("terms") != str(TERMS_VERSION):
            self._notify("the rule for search terms has changed: indexing again")
            self._store.rebuild()
            self._store.set_setting("terms", str(TERMS_VERSION))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._write_touches()
        self._store.close()

    # In

    def add(
        self,
        sources: Source | Iterable[Source],
        progress: Progress | None = None,
        *,
        importance: float = 1.0,
        follow_links: bool = False,
    ) -> AddResult:
        """Reads sources and stores what is new or changed; interrupted, it can simply be run again.

        What it returns is on disk: a power cut loses none of it. `follow_links` lets links lead out of a folder.
        """
        listed = [sources] if isinstance(sources, str | os.PathLike | Document) else sources
        tell = progress or (lambda _, __: None)
        ingest = Ingest(self._store, self._embedder, self.workspace, importance, tell)
        result = ingest.run(listed, follow_links=follow_links)
        self._after_adding(result.passages)
        return result

    def _after_adding(self, added: int) -> None:
        """What an interrupted `add` leaves undone, the next one does: edges of unlinked passages, the graph file."""
        if not added and not self._store.unlinked(1):
            return
        self.link()
        since = int(self._store.setting("since_consolidation") or 0) + added
        if since >= CONSOLIDATE_EVERY:
            self.consolidate()
            self.evict()
            since = 0
        self._store.set_setting("since_consolidation", str(since))
        self._store.flush()

    def link(self) -> int:
        """Finds the edges of passages that have none yet to other documents; the number of passages looked at."""
        done = 0
        while ids := self._store.unlinked(_LINK_BATCH):
            self._store.set_edges(find_edges(self._store, ids))
            done += len(ids)
        return done

    # Out

    def retrieve(
        self, query: str | Vectors, k: int | None = None, *, rerank: Reranker | None = None, edges: bool = True
    ) -> list[RetrievedPassage]:
        """The passages that settle a query, best first; a query is a text or a vector."""
        if isinstance(query, str):
            return self.retrieve_all([query], k, rerank=rerank, edges=edges)[0]
        vector = np.asarray(query, dtype=np.float32).reshape(1, -1)
        if vector.shape[1] != self._embedder.width:
            raise UsageError(f"a query vector has {self._embedder.width} numbers here, not {vector.shape[1]}")
        length = float(np.linalg.norm(vector)) or 1.0
        ranked = rank_passages(self._store, vector / length, None, self._count(k), edges=edges)
        return self._found(ranked)[0]

    def retrieve_all(
        self,
        queries: Sequence[str],
        k: int | None = None,
        *,
        rerank: Reranker | None = None,
        edges: bool = True,
    ) -> list[list[RetrievedPassage]]:
        """The same for all claims of an answer at once."""
        count = self._count(k)
        if not queries:
            return []
        vectors = self._embedder.embed(queries)
        terms = [find_terms(query) for query in queries]
        depth = count if rerank is None else 4 * count
        found = self._found(rank_passages(self._store, vectors, terms, depth, edges=edges))
        if rerank is None:
            return found
        return [_reranked(query, passages, rerank)[:count] for query, passages in zip(queries, found, strict=True)]

    def _count(self, k: int | None) -> int:
        count = self.policy.passages_per_claim if k is None else k
        if count < 1:
            raise UsageError(f"k is the number of passages wanted, at least 1, not {count}")
        return count

    def _found(self, ranked: Sequence[Sequence[RankedPassage]]) -> list[list[RetrievedPassage]]:
        entries = self._store.entries({item.id for row in ranked for item in row})
        documents = self._documents.fetch({entry.document for entry in entries.values()})
        found: list[list[RetrievedPassage]] = []
        for row in ranked:
            passages = []
            for item in row:
                entry = entries.get(item.id)
                # Another process may have removed or quarantined it since the search.
                if entry is not None and entry.live and entry.document in documents:
                    document = documents[entry.document]
                    passage = Passage(document, entry.start, entry.end, item.similarity, item.reason)
                    passages.append(RetrievedPassage(item.id, passage))
            found.append(passages)
        self._touch(item.id for row in found for item in row)
        return found

    def _touch(self, ids: Iterable[int]) -> None:
        with self._lock:
            self._touched.update(ids)
            full = len(self._touched) >= _TOUCHES_HELD
        if full:
            self._write_touches()

    def _write_touches(self) -> None:
        with self._lock:
            counts, self._touched = self._touched, Counter()
        try:
            self._store.touch(counts, time.time())
        except MemoryStoreError as problem:  # how often a passage was read is not worth failing for
            self._notify(str(problem))

    # What is held

    def documents(self) -> list[Listing]:
        """A line for each document, by id."""
        return self._store.listings()

    def versions(self, document_id: str) -> list[Listing]:
        return self._store.versions(storable(document_id))

    def get(self, document_id: str, version: int | None = None) -> Document | None:
        """A document whole, in its current or an earlier version."""
        return self._store.document(storable(document_id), version)

    def passages(self, document_id: str) -> list[Entry]:
        """The entries of a document's current version, in order."""
        return self._store.entries_of(storable(document_id))

    def entry(self, passage_id: int) -> Entry | None:
        return self._store.entries([passage_id]).get(passage_id)

    def passage(self, passage_id: int) -> Passage | None:
        """A passage by its id, whatever became of it: receipts stay readable."""
        entry = self.entry(passage_id)
        if entry is None:
            return None
        document = self._documents.fetch({entry.document}).get(entry.document)
        return Passage(document, entry.start, entry.end) if document is not None else None

    def find_by_hash(self, start: str) -> tuple[list[Document], list[Passage]]:
        """The current documents, and the passages outside quarantine, whose hash begins like this."""
        numbers, ids = self._store.hashed(start.lower())
        entries = self._store.entries(ids).values()
        held = self._documents.fetch({*numbers, *(entry.document for entry in entries)})
        passages = [
            Passage(held[entry.document], entry.start, entry.end) for entry in entries if entry.document in held
        ]
        return [held[number] for number in numbers if number in held], passages

    def passage_ids(self) -> list[int]:
        """The ids of every passage that can be found, in the order they came in."""
        return self._store.live_ids()

    def vectors(self, passage_ids: Iterable[int] | None = None) -> dict[int, Vectors]:
        """The vectors of these passages by id, of all that can be found if none are named; unknown ids are left out."""
        return self._store.vectors(self.passage_ids() if passage_ids is None else list(passage_ids))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Texts as rows of length one, by the embedder this memory was made with; `retrieve` takes such a row."""
        return self._embedder.embed(texts)

    def __len__(self) -> int:
        return int(self._store.stats()["passages"])

    def __bool__(self) -> bool:
        return True  # an empty memory is still a memory: `if memory:` asks whether there is one

    def __iter__(self) -> Iterator[Document]:
        """The current documents, so that a memory can stand wherever sources can."""
        for listing in self.documents():
            document = self.get(listing.id)
            if document is not None:
                yield document

    def stats(self) -> dict[str, Any]:
        return self._store.stats() | {"embedder": self._embedder.name, "workspace": self.workspace}

    # Upkeep

    def remove(self, document_id: str) -> int:
        """Takes a document out; the number of its passages. What a ledger cites stays readable by id."""
        return self._store.remove(storable(document_id))

    def quarantine(self, passage_id: int, reason: str = "proven wrong") -> None:
        """Keeps a passage, marked, and never gives it out as evidence again."""
        self._store.quarantine(passage_id, storable(reason))

    def release(self, passage_id: int) -> None:
        """Takes a passage out of quarantine."""
        self._store.quarantine(passage_id, None)

    def protect(self, passage_ids: Iterable[int], by: str) -> None:
        """Never evict, fold or erase these passages, which a ledger entry cites, until `unprotect` is called for it."""
        self._store.cite(passage_ids, by)

    def cite(self, evidence: Iterable[Evidence], by: str) -> list[int]:
        """Protects the passages that receipts quote from; their ids."""
        ids = sorted(
            {
                found
                for item in evidence
                for found in self._store.passages_at(item.document_sha256, item.start, item.end)
            }
        )
        self._store.cite(ids, by)
        return ids

    def unprotect(self, by: str) -> None:
        """End the protection that a ledger entry asked for."""
        self._store.uncite(by)

    def consolidate(self) -> int:
        """Folds near-duplicates into the most important of them; how many were folded."""
        folded = 0
        protected = self._protected_ids()
        suspects = self._store.entries(self._store.doubled())
        targets = {edge.target for entry in suspects.values() for edge in entry.edges}
        for group in group_duplicates((suspects | self._store.entries(targets - suspects.keys())).values()):
            group.sort(key=lambda entry: entry.id not in protected)  # what is cited is kept, as itself
            others = [entry.id for entry in group[1:] if entry.id not in protected]
            self._store.fold(group[0].id, others)
            folded += len(others)
        return folded

    def evict(self, limit: int | None = None) -> int:
        """Removes the least valuable passages above the limit; how many."""
        ids = self._store.live_ids()
        excess = len(ids) - (self.policy.memory_limit if limit is None else limit)
        if excess <= 0:
            return 0
        now, protected = time.time(), self._protected_ids()
        entries = [entry for entry in self._store.entries(ids).values() if entry.id not in protected]
        entries.sort(key=lambda entry: (retention_score(entry, now), entry.id))
        return self._store.evict([entry.id for entry in entries[:excess]])

    def _protected_ids(self) -> set[int]:
        return self._store.cited() | set(self._protected() if self._protected else ())

    def clusters(self, count: int | None = None) -> list[Cluster]:
        """Cluster the passages and store the cluster of each; the clusters with their places on a flat map."""
        assigned, clusters = cluster(self.vectors(), count)
        self._store.set_clusters(assigned)
        return clusters

    def verify(self) -> list[str]:
        """Everything that is wrong with the memory; empty when all is well."""
        return self._store.verify()

    def rebuild(self) -> int:
        """Makes the search indexes again from the documents; the number of passages."""
        return self._store.rebuild()


def _choose_embedder(
    embedder: str | Embedder | None, path: str | os.PathLike[str], workspace: str, policy: Policy
) -> Embedder:
    """The embedder asked for, else the one the memory was made with, else the default."""
    if embedder is None:
        embedder = stored_embedder(path, workspace) or DEFAULT_EMBEDDER
    return LazyEmbedder(embedder, policy.threads) if isinstance(embedder, str) else embedder


def _reranked(query: str, passages: list[RetrievedPassage], rerank: Reranker) -> list[RetrievedPassage]:
    scores = rerank(query, passages)
    order = sorted(range(len(passages)), key=lambda index: (-scores[index], index))
    return [passages[index] for index in order]
