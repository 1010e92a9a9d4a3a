"""Values of the memory: stored entries, typed edges, retrieved passages, listings of documents."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import IntEnum

from assay.types import Document, Passage


class EdgeKind(IntEnum):
    """Why one passage leads to another."""

    NEXT = 1
    PREVIOUS = 2
    SECTION = 3
    LINK = 4
    DUPLICATE = 5
    NEIGHBOUR = 6


@dataclass(frozen=True, slots=True)
class Edge:
    """A step from a passage to another, with its strength from 0 to 1."""

    kind: EdgeKind
    target: int
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A passage as it stands in the store; `document` is the store's number for one version of one document."""

    id: int
    document: int
    start: int
    end: int
    sha256: str
    heading: str
    page: int | None
    inserted_at: float
    access: int
    last_access: float
    importance: float
    cluster: int | None
    quarantined: str | None
    folded_into: int | None
    live: bool
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """A retrieved passage: the value judges read, and the id the memory knows it by."""

    id: int
    passage: Passage

    @property
    def document(self) -> Document:
        return self.passage.document

    @property
    def document_id(self) -> str:
        return self.passage.document.id

    @property
    def start(self) -> int:
        return self.passage.start

    @property
    def end(self) -> int:
        return self.passage.end

    @property
    def text(self) -> str:
        return self.passage.text

    @property
    def sha256(self) -> str:
        return self.passage.sha256

    @property
    def similarity(self) -> float:
        return self.passage.similarity or 0.0

    @property
    def reason(self) -> str:
        """How it was found: 'vector', 'text', 'edge:link', or several joined by '+'."""
        return self.passage.reason


@dataclass(frozen=True, slots=True)
class Listing:
    """One line of the list of documents."""

    id: str
    title: str
    version: int
    sha256: str
    role: str
    date: date | None
    date_inferred: bool
    uri: str
    passages: int
    bytes: int
    added_at: float


EDGES_PER_ENTRY = 16  # typed edges kept for a passage
_EDGE = struct.Struct("<Bqe")


def pack_edges(edges: Iterable[Edge]) -> bytes:
    """The edges in eleven bytes each."""
    return b"".join(_EDGE.pack(edge.kind, edge.target, edge.weight) for edge in edges)


def unpack_edges(packed: bytes | None) -> tuple[Edge, ...]:
    if not packed:
        return ()
    return tuple(Edge(EdgeKind(kind), target, weight) for kind, target, weight in _EDGE.iter_unpack(packed))


def merge_edges(old: Iterable[Edge], new: Iterable[Edge], limit: int) -> tuple[Edge, ...]:
    """Each (kind, target) once, the strongest of the weaker kinds dropped first when there are too many."""
    best: dict[tuple[EdgeKind, int], Edge] = {}
    for edge in (*old, *new):
        held = best.get((edge.kind, edge.target))
        if held is None or edge.weight > held.weight:
            best[edge.kind, edge.target] = edge
    ordered = sorted(best.values(), key=lambda edge: (_RANK[edge.kind], -edge.weight, edge.target))
    return tuple(ordered[:limit])


# Reading order is never given up; a link somebody wrote says more than a likeness that was computed.
_RANK = {
    EdgeKind.NEXT: 0,
    EdgeKind.PREVIOUS: 0,
    EdgeKind.DUPLICATE: 1,
    EdgeKind.LINK: 2,
    EdgeKind.NEIGHBOUR: 3,
    EdgeKind.SECTION: 4,
}
