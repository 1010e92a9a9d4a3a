"""Verify the hash chain of a workspace: nothing changed, removed or reordered, and every table beside it agrees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, Table, select

from assay.ledger.records import Break, Record, Tombstone, first_break
from assay.ledger.rows import citation_rows, is_sound, record_of, text_rows
from assay.storage.head_files import HeadState, find_lost, parse_head
from assay.storage.schema import ledger_heads as heads
from assay.storage.schema import ledger_leanings as leanings
from assay.storage.schema import ledger_records as records
from assay.storage.schema import ledger_texts as texts
from assay.storage.schema import ledger_uses as uses

_PAGE = 200


class LedgerSnapshot:
    """Reads on one connection whose transaction sees one moment."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def records(self, workspace: str) -> Iterator[tuple[Record | Tombstone, bool]]:
        """Every record in order, and whether the tables beside it say what it says.

        A page at a time: a ledger may be larger than the memory at hand.
        """
        own = records.c.workspace == workspace
        query = select(records).where(own).order_by(records.c.sequence).limit(_PAGE)
        page = self._connection.execute(query).mappings().all()
        while page:
            first, last = page[0]["sequence"], page[-1]["sequence"]
            used = self._beside(uses, workspace, first, last)
            cited = self._beside(leanings, workspace, first, last)
            for row in page:
                record = record_of(row)
                expected: tuple[list[Any], list[Any]] = ([], [])
                if isinstance(record, Record):
                    expected = (text_rows(record), citation_rows(record))
                found = (used.get(record.sequence, []), cited.get(record.sequence, []))
                yield record, [_sorted(rows) for rows in found] == [_sorted(rows) for rows in expected]
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
            query = select(texts.c.text).where(texts.c.sha256 == sha256)
            stored = self._connection.execute(query).scalar()
            if stored is not None and is_sound(stored, sha256):
                sound.add(sha256)
        return wanted - sound

    def purges(self, workspace: str) -> Iterator[Record]:
        own = (records.c.workspace == workspace, records.c.kind == "purge")
        query = select(records).where(*own).order_by(records.c.sequence)
        for row in self._connection.execute(query).mappings():
            if isinstance(record := record_of(row), Record):
                yield record

    def hash_of(self, workspace: str, sequence: int) -> str | None:
        own = (records.c.workspace == workspace, records.c.sequence == sequence)
        found: str | None = self._connection.execute(select(records.c.hash).where(*own)).scalar()
        return found

    def head(self, workspace: str) -> tuple[int, str] | None:
        row = self._connection.execute(select(heads).where(heads.c.workspace == workspace)).first()
        return (row.sequence, row.hash) if row else None


def verify_chain(
    snapshot: LedgerSnapshot, workspace: str, known_head: str | None = None, kept: HeadState = None
) -> Break | None:
    """Return the first bad record of a chain, or None.

    `known_head` is a head somebody wrote down elsewhere, COUNT:HASH or the hash alone: whoever can write to the
    database could make a whole new chain, but not one that holds this hash. `kept` is what the head file outside the
    database says: a chain that lost its end with a damaged file looks whole without it.
    """
    reader = _ChainReader(snapshot, workspace)
    if broken := first_break(reader.records(), also=reader.disagreement):
        return broken
    if reader.unexplained is not None:
        return Break(reader.unexplained, "its contents were removed, and no purge says so")
    if broken := _wrong_end(snapshot.head(workspace), reader.last):
        return broken
    if lost := find_lost(kept, len(reader.hashes), reader.hash_of):
        return Break(*lost)
    return None if known_head is None else _missing_head(known_head, reader)


def _missing_head(known_head: str, reader: _ChainReader) -> Break | None:
    count, start = parse_head(known_head)
    if count is None:
        if any(held.startswith(start) for held in reader.hashes):
            return None
        return Break(1, f"no record has the hash {start}: this is not the chain it was taken from")
    found = reader.hash_of(count)
    if found is None:
        return Break(len(reader.hashes) + 1, f"missing: the head {known_head} was written down when there were {count}")
    return None if found.startswith(start) else Break(count, f"has the hash {found[:16]}…, not {start}")


class _ChainReader:
    """One pass over a chain, which remembers what its end must agree with."""

    def __init__(self, snapshot: LedgerSnapshot, workspace: str) -> None:
        self._snapshot, self._workspace = snapshot, workspace
        self._emptied = {number for record in snapshot.purges(workspace) for number in emptied(record)}
        self._sound: set[str] = set()
        self._agrees = True
        self.hashes: list[str] = []
        self.last: Record | Tombstone | None = None
        self.unexplained: int | None = None

    def records(self) -> Iterator[Record | Tombstone]:
        for record, agrees in self._snapshot.records(self._workspace):
            self._agrees, self.last = agrees, record
            self.hashes.append(record.hash)
            yield record

    def hash_of(self, sequence: int) -> str | None:
        return self.hashes[sequence - 1] if 0 < sequence <= len(self.hashes) else None

    def disagreement(self, record: Record | Tombstone) -> str:
        """What else is wrong with a record whose own hash holds; empty if nothing is."""
        if isinstance(record, Tombstone):
            if record.sequence in self._emptied:
                return "" if self._agrees else "rows beside it were left or put there after it was purged"
            if self.unexplained is None:  # told at the end: it may be the purge that is damaged
                self.unexplained = record.sequence
            return ""
        if not self._agrees:
            return "the rows beside it, of what it cites, were changed after it was written"
        fresh = [sha256 for sha256 in record.payload.get("texts", ()) if sha256 not in self._sound]
        if damaged := sorted(self._snapshot.damaged(fresh)):
            return f"a text it cites was changed or removed: {_name(record, damaged[0])}"
        self._sound.update(fresh)
        return ""


def _wrong_end(head: tuple[int, str] | None, last: Record | Tombstone | None) -> Break | None:
    if head is None:
        return Break(last.sequence, "where the chain ends is not recorded any more") if last else None
    end = last.sequence if last else 0
    if head[0] > end:
        return Break(end + 1, f"missing: the chain was written up to record {head[0]}")
    if last is None or head != (last.sequence, last.hash):
        return Break(end, "is not what the chain was recorded to end with")
    return None


def emptied(record: Record) -> Iterable[int]:
    """The numbers a purge says it emptied."""
    for first, last in record.payload.get("emptied", ()):
        yield from range(first, last + 1)


def ranges(numbers: Sequence[int]) -> list[list[int]]:
    """Rising numbers as first–last pairs.

    >>> ranges([1, 2, 3, 7, 9, 10])
    [[1, 3], [7, 7], [9, 10]]
    """
    if not numbers:
        return []
    breaks = [(before, after) for before, after in pairwise(numbers) if after != before + 1]
    starts = [numbers[0], *(after for _, after in breaks)]
    ends = [*(before for before, _ in breaks), numbers[-1]]
    return [[start, end] for start, end in zip(starts, ends, strict=True)]


def _name(record: Record, sha256: str) -> str:
    named = [item["id"] for item in record.payload.get("documents", ()) if item.get("sha256") == sha256]
    return f"{named[0]} ({sha256[:12]}…)" if named else f"{sha256[:12]}…"


def _sorted(rows: list[dict[str, Any]]) -> list[list[str]]:
    return sorted([repr(value) for _, value in sorted(row.items())] for row in rows)
