"""The rows of a new document's passages, and the edges that follow from their order alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.memory.entries import Edge, EdgeKind
from assay.memory.stores.rows import Incoming, pack_vector, storable
from assay.types import sha256_of

_SECTION_MATES = 4


def passage_rows(incoming: Incoming, document: int, generation: int, now: float) -> list[dict[str, Any]]:
    text = incoming.document.text
    return [
        {
            "document": document,
            "start_at": cut.start,
            "end_at": cut.end,
            "sha256": sha256_of(text[cut.start : cut.end]),
            "heading": storable(cut.heading),
            "page": cut.page,
            "vector": pack_vector(vector),
            "inserted_at": now,
            "access": 0,
            "last_access": 0.0,
            "importance": incoming.importance,
            "live": True,
            "changed": generation,
            "linked": False,
            "edges": b"",
            "doubled": False,
        }
        for cut, vector in zip(incoming.cuts, incoming.vectors, strict=True)
    ]


def first_edges(ids: Sequence[int], headings: Sequence[str], limit: int) -> dict[int, list[Edge]]:
    """Next, previous, and the nearest others under the same heading."""
    edges: dict[int, list[Edge]] = {identity: [] for identity in ids} if len(ids) > 1 else {}
    for index, identity in enumerate(edges):
        if index + 1 < len(ids):
            edges[identity].append(Edge(EdgeKind.NEXT, ids[index + 1]))
        if index:
            edges[identity].append(Edge(EdgeKind.PREVIOUS, ids[index - 1]))
        near = range(max(0, index - _SECTION_MATES), min(len(ids), index + _SECTION_MATES + 1))
        mates = sorted((abs(other - index), other) for other in near if abs(other - index) > 1)
        for distance, other in mates[:_SECTION_MATES]:
            if headings[other] == headings[index]:
                edges[identity].append(Edge(EdgeKind.SECTION, ids[other], 1 / distance))
        del edges[identity][limit:]
    return edges
