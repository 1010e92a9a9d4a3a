"""Rank passages for a query: vector and full-text search fused by reciprocal rank, then one step along the edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.lru import LruCache
from assay.memory.embed import Vectors
from assay.memory.entries import Edge, EdgeKind
from assay.memory.stores import Hits, MemoryStore
from assay.types import Document

FUSION_CONSTANT = 60  # k of reciprocal rank fusion: the usual value, flat from 20 to 100
_DEPTH = 4  # candidates of each kind for every passage asked for
_FEWEST = 20
_BEHIND = 0.999
_MOST_CHARACTERS = 50_000_000  # of the documents that a DocumentCache holds
# That two passages are alike says nothing new about one that was found already; that an author linked them does.
_TELLING = (EdgeKind.LINK, EdgeKind.NEXT, EdgeKind.PREVIOUS)


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage with its fused score, its cosine and how it was found."""

    id: int
    score: float
    similarity: float
    reasons: tuple[str, ...]

    @property
    def reason(self) -> str:
        return "+".join(self.reasons)


@dataclass
class _FusedScores:
    """Reciprocal ranks added up over several lists."""

    constant: int
    total: dict[int, float] = field(default_factory=dict)
    reasons: dict[int, list[str]] = field(default_factory=dict)

    def add(self, ids: Sequence[int], reason: str) -> None:
        for rank, identity in enumerate(ids, start=1):
            self.total[identity] = self.total.get(identity, 0.0) + 1 / (self.constant + rank)
            self.reasons.setdefault(identity, []).append(reason)

    def raise_to(self, identity: int, score: float, reason: str) -> None:
        if score > self.total.get(identity, 0.0):
            self.total[identity] = score
            self.reasons.setdefault(identity, []).append(reason)

    def best(self, k: int) -> list[int]:
        return sorted(self.total, key=lambda identity: (-self.total[identity], identity))[:k]


def rank_passages(
    store: MemoryStore,
    vectors: Vectors | None,
    terms: Sequence[Sequence[str]] | None,
    k: int,
    *,
    edges: bool = True,
) -> list[list[RankedPassage]]:
    """For each query the best k passages; leave out `vectors` or `terms` to search by the other alone."""
    depth = max(_FEWEST, _DEPTH * k)
    count = len(vectors) if vectors is not None else len(terms or ())
    near: list[Hits] = store.nearest(vectors, depth) if vectors is not None else [[] for _ in range(count)]
    worded: list[Hits] = store.matching(terms, depth) if terms is not None else [[] for _ in range(count)]
    every = [_FusedScores(FUSION_CONSTANT) for _ in range(count)]
    for query, scores in enumerate(every):
        scores.add([identity for identity, _ in near[query]], "vector")
        scores.add([identity for identity, _ in worded[query]], "text")
    seeds = [scores.best(k) if edges and vectors is not None else [] for scores in every]
    leading = store.edges({identity for own in seeds for identity in own})
    ranked = []
    for query, scores in enumerate(every):
        close = dict(near[query])
        if edges and vectors is not None:
            _step(store, vectors[query], scores, close, {seed: leading.get(seed, ()) for seed in seeds[query]})
        best = _keep_first(scores.best(k), [hits[0][0] for hits in (worded[query], near[query]) if hits])
        unknown = [identity for identity in best if identity not in close]
        if unknown and vectors is not None:
            close |= store.similarities(vectors[query], unknown)
        ranked.append(
            [
                RankedPassage(
                    identity, scores.total[identity], close.get(identity, 0.0), tuple(scores.reasons[identity])
                )
                for identity in best
            ]
        )
    return ranked


def _keep_first(best: list[int], firsts: list[int]) -> list[int]:
    """The best passages, with the first of each list among them: the one that holds the very number asked for may lie
    far down among passages that are alike in everything else. What gives way is the last that is first in no list."""
    spare = [identity for identity in best[1:] if identity not in firsts]
    missing = [identity for identity in dict.fromkeys(firsts) if identity not in best][: len(spare)]
    dropped = set(spare[len(spare) - len(missing) :])
    return [identity for identity in best if identity not in dropped] + missing


def _step(
    store: MemoryStore,
    vector: Vectors,
    scores: _FusedScores,
    close: dict[int, float],
    seeds: Mapping[int, Sequence[Edge]],
) -> None:
    """One step from the best passages to what they lead to, ranked by likeness to the query."""
    reached: dict[int, tuple[int, Edge]] = {}
    for seed, edges in seeds.items():
        for edge in edges:
            if edge.kind is not EdgeKind.DUPLICATE:  # it says the same again
                reached.setdefault(edge.target, (seed, edge))
    close |= store.similarities(vector, [identity for identity in reached if identity not in close])
    live = [identity for identity in reached if identity in close]
    live.sort(key=lambda identity: (-close[identity], identity))
    before = dict(scores.total)
    for rank, identity in enumerate(live, start=1):
        seed, edge = reached[identity]
        if identity in before and edge.kind not in _TELLING:
            continue
        raised = before.get(identity, 0.0) + 1 / (scores.constant + rank)
        # What is reached follows what led to it: the page a good hit links to must not push the hit itself away.
        scores.raise_to(identity, min(raised, before[seed] * _BEHIND), f"edge:{edge.kind.name.lower()}")


class DocumentCache:
    """Documents of a store by number, the last used ones at hand; a version never changes, so none goes stale."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._held = LruCache[int, Document](_MOST_CHARACTERS, lambda document: len(document.text))

    def fetch(self, numbers: Iterable[int]) -> dict[int, Document]:
        wanted = set(numbers)
        found = self._held.get(wanted)
        loaded = self._store.documents(sorted(wanted - found.keys())) if wanted - found.keys() else {}
        self._held.put(loaded)
        return found | loaded
