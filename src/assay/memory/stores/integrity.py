"""Integrity of a memory: a checksum of every row, what a memory holds, and everything that is wrong with it."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Float, Select, Table, and_, bindparam, func, insert, select, update

from assay.memory.entries import Listing, unpack_edges
from assay.memory.stores.rows import document_of, fingerprint, listing_of
from assay.storage.schema import MEMORY_TABLES, citations, documents, passages, tombstones
from assay.storage.store import chunks
from assay.types import sha256_of

_LENGTH = 32  # hex digits: 128 bits are enough against accidents, which is all that a hash without a key is against


def row_checksum(table: Table, row: Mapping[Any, Any]) -> str:
    """Return the hash over all columns of a row but the checksum itself; a column that is not given is null."""
    digest = hashlib.sha256(table.name.encode())
    for column in table.columns:
        if column.name != "seal":
            value = row.get(column.name)
            packed = _pack(float(value) if isinstance(column.type, Float) and value is not None else value)
            digest.update(struct.pack("<q", len(packed)) + packed)
    return digest.hexdigest()[:_LENGTH]


def _pack(value: Any) -> bytes:
    match value:
        case None:
            return b"n"
        case bool() | int():  # SQLite has no truth values, only 0 and 1
            return b"i%d" % value
        case float():
            return b"f" + struct.pack("<d", value)
        case str():
            return b"t" + value.encode("utf-8", "surrogatepass")
        case _:
            return b"b" + bytes(value)


def insert_rows(connection: Connection, table: Table, rows: Iterable[Mapping[str, Any]]) -> None:
    """Insert rows, whose every column is known beforehand, with their checksums."""
    values = [{**row, "seal": row_checksum(table, row)} for row in rows]
    if values:
        connection.execute(insert(table), values)


def update_checksums(connection: Connection, table: Table, numbers: Iterable[int]) -> None:
    """Write the checksums of the rows of a table with these numbers as they are now."""
    for part in chunks(numbers):
        _write_checksums(connection, table, select(table).where(next(iter(table.primary_key.columns)).in_(part)))


def add_missing_checksums(connection: Connection) -> None:
    """Write the checksums of rows from before there were any; a row that does not match its own is left."""
    for table in MEMORY_TABLES:
        _write_checksums(connection, table, select(table).where(table.c.seal == ""))


def _write_checksums(connection: Connection, table: Table, query: Select[Any]) -> None:
    keys = list(table.primary_key.columns)
    chosen = and_(*(key == bindparam(f"at_{key.name}") for key in keys))
    statement = update(table).where(chosen).values(seal=bindparam("fresh"))
    for part in chunks(connection.execute(query).mappings().all()):
        values = [
            {f"at_{key.name}": row[key.name] for key in keys} | {"fresh": row_checksum(table, row)} for row in part
        ]
        connection.execute(statement, values)


def find_changed_rows(connection: Connection) -> Iterator[tuple[Table, Mapping[Any, Any]]]:
    """Yield every row that does not match its checksum."""
    for table in MEMORY_TABLES:
        for row in connection.execute(select(table)).mappings():
            if row["seal"] and not _fits(table, row):
                yield table, row


def _fits(table: Table, row: Mapping[Any, Any]) -> bool:
    try:
        return bool(row["seal"] == row_checksum(table, row))
    except (ValueError, TypeError, OverflowError):  # a value of another kind than the column's
        return False


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
    for table, values in find_changed_rows(connection):
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
        except (ValueError, TypeError, struct.error):
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
