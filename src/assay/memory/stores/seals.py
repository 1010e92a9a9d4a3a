"""A hash over every row, so that a bit that changed anywhere in a memory is found and its row named."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Float, Select, Table, and_, bindparam, insert, select, update

from assay.memory.stores.rows import chunks
from assay.memory.stores.tables import citations, documents, history, passages, settings, tombstones

TABLES = (settings, documents, passages, tombstones, citations, history)
_LENGTH = 32  # hex digits: 128 bits are enough against accidents, which is all that a hash without a key is against


def seal_of(table: Table, row: Mapping[Any, Any]) -> str:
    """The hash over all columns of a row but the seal itself; a column that is not given is null."""
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


def insert_sealed(connection: Connection, table: Table, rows: Iterable[Mapping[str, Any]]) -> None:
    """Inserts rows whose every column is known beforehand."""
    values = [{**row, "seal": seal_of(table, row)} for row in rows]
    if values:
        connection.execute(insert(table), values)


def seal(connection: Connection, table: Table, numbers: Iterable[int]) -> None:
    """Seals the rows of a table with these numbers as they are now."""
    for part in chunks(numbers):
        _seal_rows(connection, table, select(table).where(next(iter(table.primary_key.columns)).in_(part)))


def seal_unsealed(connection: Connection) -> None:
    """Seals the rows from before there were seals; a sealed one that has changed stays as it is, to be named."""
    for table in TABLES:
        _seal_rows(connection, table, select(table).where(table.c.seal == ""))


def _seal_rows(connection: Connection, table: Table, query: Select[Any]) -> None:
    keys = list(table.primary_key.columns)
    chosen = and_(*(key == bindparam(f"at_{key.name}") for key in keys))
    statement = update(table).where(chosen).values(seal=bindparam("fresh"))
    for part in chunks(connection.execute(query).mappings().all()):
        values = [{f"at_{key.name}": row[key.name] for key in keys} | {"fresh": seal_of(table, row)} for row in part]
        connection.execute(statement, values)


def find_broken(connection: Connection) -> Iterator[tuple[Table, Mapping[Any, Any]]]:
    """Every row that is not what was sealed."""
    for table in TABLES:
        for row in connection.execute(select(table)).mappings():
            if row["seal"] and not _fits(table, row):
                yield table, row


def _fits(table: Table, row: Mapping[Any, Any]) -> bool:
    try:
        return bool(row["seal"] == seal_of(table, row))
    except (ValueError, TypeError, OverflowError):  # a value of another kind than the column's
        return False
