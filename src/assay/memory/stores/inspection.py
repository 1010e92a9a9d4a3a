"""What a store holds and whether it is sound: lists, counts, checks of every hash."""

from __future__ import annotations

from collections.abc import Iterator
from struct import error as StructError  # noqa: N812
from typing import Any

from sqlalchemy import Connection, func, select

from assay.memory.entries import Listing, unpack_edges
from assay.memory.stores.rows import document_of, fingerprint, listing_of
from assay.memory.stores.seals import find_broken
from assay.memory.stores.tables import citations, documents, passages, tombstones
from assay.types import sha256_of


def list_documents(connection: Connection, condition: Any) -> list[Listing]:
    """A line for each version that meets the condition, without loading its text."""
    count = select(func.count()).where(passages.c.document == documents.c.number).scalar_subquery()
    query = (
        select(
            *(column for column in documents.c if column.name not in ("text", "pages", "headings")),
            count.label("passages"),
            func.length(documents.c.text).label("bytes"),
        )
        .where(condition)
        .order_by(documents.c.id, documents.c.version)
    )
    return [listing_of(row) for row in connection.execute(query)]


def count_everything(connection: Connection) -> dict[str, Any]:
    def count(table: Any, *conditions: Any) -> int:
        return int(connection.execute(select(func.count()).select_from(table).where(*conditions)).scalar_one())

    size = connection.execute(select(func.sum(func.length(documents.c.text))).where(documents.c.current)).scalar()
    return {
        "documents": count(documents, documents.c.current),
        "versions": count(documents),
        "passages": count(passages, passages.c.live),
        "quarantined": count(passages, passages.c.quarantined.is_not(None)),
        "folded": count(passages, passages.c.folded_into.is_not(None)),
        "cited": count(citations),
        "text_bytes": int(size or 0),
    }


def check_rows(connection: Connection, workspace: str) -> Iterator[str]:
    """What is wrong with the rows themselves: any column of any table, and what belongs together."""
    broken: set[tuple[str, Any]] = set()
    for table, values in find_broken(connection):
        where = " ".join(str(values[key.name]) for key in table.primary_key.columns)
        broken.add((table.name, values[next(iter(table.primary_key.columns)).name]))
        named = f" ({values['id']} version {values['version']})" if table is documents else ""
        yield f"{table.name} {where}{named}: the row was changed after it was written"
    for row in connection.execute(select(documents)):
        if ("documents", row.number) not in broken:
            yield from _check_document(connection, row, workspace)
    orphans = select(passages.c.number).where(passages.c.document.not_in(select(documents.c.number)))
    for row in connection.execute(orphans):
        yield f"passage {row.number} belongs to no document"
    known = set(connection.execute(select(passages.c.number)).scalars())
    gone = set(connection.execute(select(tombstones.c.number)).scalars())
    for row in connection.execute(select(passages.c.number, passages.c.edges)):
        try:
            lost = {edge.target for edge in unpack_edges(row.edges)} - known - gone
        except (ValueError, TypeError, StructError):
            yield f"passage {row.number}: its edges cannot be read"
            continue
        if lost:
            yield f"passage {row.number}: an edge leads to passage {min(lost)}, which does not exist"


def _check_document(connection: Connection, row: Any, workspace: str) -> Iterator[str]:
    try:
        document = document_of(row, workspace)
    except (ValueError, TypeError) as problem:
        yield f"document {row.id} version {row.version}: it cannot be read ({problem})"
        return
    if document.sha256 != row.sha256:
        yield f"document {row.id} version {row.version}: its text does not match its hash"
        return
    if fingerprint(document) != row.fingerprint:
        yield f"document {row.id} version {row.version}: its title, date or marks do not match its hash"
    query = select(passages.c.number, passages.c.start_at, passages.c.end_at, passages.c.sha256)
    for passage in connection.execute(query.where(passages.c.document == row.number)):
        if sha256_of(document.text[passage.start_at : passage.end_at]) != passage.sha256:
            yield f"passage {passage.number} of {row.id}: its text does not match its hash"
