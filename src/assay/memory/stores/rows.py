"""Convert documents, passages, vectors and edges to database rows and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, TypeVar

import numpy as np

from assay.memory.embed import Vectors
from assay.memory.entries import Edge, EdgeKind, Entry, Listing, unpack_edges
from assay.memory.passages import PassageSpan
from assay.types import Document, Mark, sha256_of

_SECTION_NEIGHBOURS = 4
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document ready to be stored: cut, embedded and turned into search terms."""

    document: Document
    cuts: Sequence[PassageSpan]
    vectors: Vectors
    terms: Sequence[str]
    importance: float = 1.0


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """What the store already holds under an id or a path."""

    number: int
    id: str
    version: int
    fingerprint: str
    uri: str


def fingerprint(document: Document) -> str:
    """A hash of everything about a document that makes a new version when it changes."""
    parts = [document.sha256, document.title, document.role, document.markup, str(document.date)]
    parts += [str(document.date_inferred), _pack_marks(document.pages), _pack_marks(document.headings)]
    if document.links:
        parts.append(_pack_marks(document.links))
    return sha256_of("\0".join(parts))


def document_row(document: Document, version: int, now: float) -> dict[str, Any]:
    return {
        "id": document.id,
        "version": version,
        "current": True,
        "title": storable(document.title),
        "text": document.text.encode("utf-8", "surrogatepass"),
        "sha256": document.sha256,
        "fingerprint": fingerprint(document),
        "role": storable(document.role),
        "markup": document.markup,
        "date": document.date.isoformat() if document.date else None,
        "date_inferred": document.date_inferred,
        "uri": storable(document.uri),
        "pages": _pack_marks(document.pages),
        "headings": _pack_marks(document.headings),
        "links": _pack_marks(document.links),
        "added_at": now,
    }


def document_of(row: Any, workspace: str) -> Document:
    text = bytes(row.text).decode("utf-8", "surrogatepass")
    marks = {name: _unpack_marks(getattr(row, name)) for name in ("pages", "headings", "links")}
    return _read(Document, row, text=text, workspace=workspace, **marks)


def entry_of(row: Any) -> Entry:
    live, edges = bool(row.live), unpack_edges(row.edges)
    return _read(Entry, row, id=row.number, start=row.start_at, end=row.end_at, live=live, edges=edges)


def listing_of(row: Any) -> Listing:
    return _read(Listing, row)


def _read(kind: type[Value], row: Any, **converted: Any) -> Value:
    """A value whose fields are columns of the same names, but for those converted already."""
    described: Any = kind
    if hasattr(row, "date_inferred"):
        converted["date"] = date.fromisoformat(row.date) if row.date else None
        converted["date_inferred"] = bool(row.date_inferred)
    names = [spec.name for spec in fields(described) if spec.init and spec.name not in converted]
    return kind(**converted, **{name: getattr(row, name) for name in names})


def storable(text: str) -> str:
    """A short text without what a database text field cannot hold."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def pack_vector(vector: Any) -> bytes:
    return np.asarray(vector, dtype="<f2").tobytes()


def unpack_vectors(packed: Sequence[bytes]) -> Vectors:
    return np.frombuffer(b"".join(packed), dtype="<f2").reshape(len(packed), -1).astype(np.float32)


def _pack_marks(marks: tuple[Mark, ...]) -> str:
    return json.dumps([[mark.start, mark.label] for mark in marks], separators=(",", ":"))


def _unpack_marks(packed: str) -> tuple[Mark, ...]:
    return tuple(Mark(start, label) for start, label in json.loads(packed))


def passage_rows(incoming: PreparedDocument, document: int, generation: int, now: float) -> list[dict[str, Any]]:
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
        near = range(max(0, index - _SECTION_NEIGHBOURS), min(len(ids), index + _SECTION_NEIGHBOURS + 1))
        mates = sorted((abs(other - index), other) for other in near if abs(other - index) > 1)
        for distance, other in mates[:_SECTION_NEIGHBOURS]:
            if headings[other] == headings[index]:
                edges[identity].append(Edge(EdgeKind.SECTION, ids[other], 1 / distance))
        del edges[identity][limit:]
    return edges
