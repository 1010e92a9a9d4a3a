"""The ledger as it stood at one moment, with everything that must agree with its records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, select

from assay.ledger.records import Record, Tombstone
from assay.ledger.rows import leaning_rows, record_of, restored, storable, use_rows
from assay.ledger.tables import heads, leanings, records, texts, uses
from assay.types import sha256_of

_PAGE = 200


@dataclass(frozen=True)
class Held:
    """A record, and whether the tables beside it say what it says."""

    record: Record | Tombstone
    agrees: bool


class Snapshot:
    """Reads on one connection whose transaction sees one moment."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def held(self, workspace: str) -> Iterator[Held]:
        """Every record in order, a page at a time: a ledger may be larger than the memory at hand."""
        query = select(records).where(records.c.workspace == workspace).order_by(records.c.sequence).limit(_PAGE)
        page = self._connection.execute(query).mappings().all()
        while page:
            first, last = page[0]["sequence"], page[-1]["sequence"]
            used = self._beside(uses, workspace, first, last)
            leaned = self._beside(leanings, workspace, first, last)
            for row in page:
                record = record_of(row)
                expected: tuple[list[Any], list[Any]] = ([], [])
                if isinstance(record, Record):
                    expected = (use_rows(record), leaning_rows(record))
                found = (used.get(record.sequence, []), leaned.get(record.sequence, []))
                yield Held(record, [_sorted(rows) for rows in found] == [_sorted(rows) for rows in expected])
            page = self._connection.execute(query.where(records.c.sequence > last)).mappings().all()

    def _beside(self, table: Table, workspace: str, first: int, last: int) -> dict[int, list[dict[str, Any]]]:
        found: dict[int, list[dict[str, Any]]] = {}
        query = select(table).where(table.c.workspace == workspace, table.c.sequence.between(first, last))
        for row in self._connection.execute(query).mappings():
            found.setdefault(row["sequence"], []).append(dict(row))
        return found

    def damaged(self, hashes: Iterable[str]) -> set[str]:
        """Of these texts, those that are gone or are not what their hash says."""
        wanted = set(hashes)
        sound: set[str] = set()
        for sha256 in wanted:  # one at a time: a text may be large
            stored = self._connection.execute(select(texts.c.text).where(texts.c.sha256 == sha256)).scalar()
            if stored is not None and is_sound(stored, sha256):
                sound.add(sha256)
        return wanted - sound

    def purges(self, workspace: str) -> Iterator[Record]:
        query = select(records).where(records.c.workspace == workspace, records.c.kind == "purge")
        for row in self._connection.execute(query.order_by(records.c.sequence)).mappings():
            if isinstance(record := record_of(row), Record):
                yield record

    def hash_of(self, workspace: str, sequence: int) -> str | None:
        query = select(records.c.hash).where(records.c.workspace == workspace, records.c.sequence == sequence)
        found: str | None = self._connection.execute(query).scalar()
        return found

    def head(self, workspace: str) -> tuple[int, str] | None:
        row = self._connection.execute(select(heads).where(heads.c.workspace == workspace)).first()
        return (row.sequence, row.hash) if row else None


def is_sound(stored: str, sha256: str) -> bool:
    """Whether a stored text is the one its hash was made from."""
    try:
        text = restored(stored)
    except (ValueError, TypeError):
        return False
    # Byte for byte: another spelling of the same JSON is also a changed byte.
    return sha256_of(text) == sha256 and storable(text) == stored


def _sorted(rows: list[dict[str, Any]]) -> list[list[str]]:
    return sorted([repr(value) for _, value in sorted(row.items())] for row in rows)
