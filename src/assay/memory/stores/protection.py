"""Which passages a ledger leans on."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, delete, select

from assay.memory.stores.rows import chunks
from assay.memory.stores.seals import insert_sealed
from assay.memory.stores.tables import citations, documents, passages


def cite(connection: Connection, ids: Iterable[int], by: str) -> None:
    for part in chunks(sorted(set(ids))):
        query = select(citations.c.passage).where(citations.c.passage.in_(part), citations.c.cited_by == by)
        held = {row.passage for row in connection.execute(query)}
        values = [{"passage": identity, "cited_by": by} for identity in part if identity not in held]
        insert_sealed(connection, citations, values)


def uncite(connection: Connection, by: str) -> None:
    connection.execute(delete(citations).where(citations.c.cited_by == by))


def all_cited(connection: Connection) -> set[int]:
    return {row.passage for row in connection.execute(select(citations.c.passage).distinct())}


def cited_among(connection: Connection, ids: Iterable[int]) -> set[int]:
    held: set[int] = set()
    for part in chunks(ids):
        query = select(citations.c.passage).where(citations.c.passage.in_(part))
        held |= {row.passage for row in connection.execute(query)}
    return held


def passages_at(connection: Connection, sha256: str, start: int, end: int) -> list[int]:
    """The passages, of any version with this content, that share a character with a stretch of it."""
    numbers = select(documents.c.number).where(documents.c.sha256 == sha256)
    query = select(passages.c.number).where(
        passages.c.document.in_(numbers), passages.c.start_at < end, passages.c.end_at > start
    )
    return [row.number for row in connection.execute(query.order_by(passages.c.number))]
