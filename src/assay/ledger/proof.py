"""The proof that nothing in a chain was changed, removed or reordered, and that everything beside it still agrees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from assay.heads import Kept, find_lost, parse_head
from assay.ledger.records import Break, Record, Tombstone, first_break
from assay.ledger.snapshot import Snapshot


def prove(seen: Snapshot, workspace: str, kept_head: str | None = None, kept: Kept = None) -> Break | None:
    """The first bad record of a chain, or None.

    `kept_head` is a head somebody wrote down elsewhere, COUNT:HASH or the hash alone: whoever can write to the database
    could make a whole new chain, but not one that holds this hash. `kept` is the head file outside the database: a
    chain that lost its end with a damaged file looks whole without it.
    """
    walk = _Walk(seen, workspace)
    if broken := first_break(walk.records(), also=walk.wrong):
        return broken
    if walk.unexplained is not None:
        return Break(walk.unexplained, "its contents were removed, and no purge says so")
    if broken := _wrong_end(seen.head(workspace), walk.last):
        return broken
    if lost := find_lost(kept, len(walk.hashes), walk.hash_of):
        return Break(*lost)
    return None if kept_head is None else _not_held(kept_head, walk)


def _not_held(kept_head: str, walk: _Walk) -> Break | None:
    count, start = parse_head(kept_head)
    if count is None:
        if any(sealed.startswith(start) for sealed in walk.hashes):
            return None
        return Break(1, f"no record bears the hash {start}: this is not the chain it was taken from")
    found = walk.hash_of(count)
    if found is None:
        return Break(len(walk.hashes) + 1, f"missing: the head {kept_head} was written down when there were {count}")
    return None if found.startswith(start) else Break(count, f"bears the hash {found[:16]}…, not {start}")


class _Walk:
    """One way through a chain, remembering what the end of it must agree with."""

    def __init__(self, seen: Snapshot, workspace: str) -> None:
        self._seen, self._workspace = seen, workspace
        self._emptied = {number for record in seen.purges(workspace) for number in emptied(record)}
        self._sound: set[str] = set()
        self._agrees = True
        self.hashes: list[str] = []
        self.last: Record | Tombstone | None = None
        self.unexplained: int | None = None

    def records(self) -> Iterator[Record | Tombstone]:
        for held in self._seen.held(self._workspace):
            self._agrees, self.last = held.agrees, held.record
            self.hashes.append(held.record.hash)
            yield held.record

    def hash_of(self, sequence: int) -> str | None:
        return self.hashes[sequence - 1] if 0 < sequence <= len(self.hashes) else None

    def wrong(self, record: Record | Tombstone) -> str:
        if isinstance(record, Tombstone):
            if record.sequence in self._emptied:
                return "" if self._agrees else "rows beside it were left or put there after it was purged"
            if self.unexplained is None:  # told at the end: it may be the purge that is damaged
                self.unexplained = record.sequence
            return ""
        if not self._agrees:
            return "the rows beside it, of what it leans on, were changed after it was written"
        fresh = [sha256 for sha256 in record.payload.get("texts", ()) if sha256 not in self._sound]
        if damaged := sorted(self._seen.damaged(fresh)):
            return f"a text it leans on was changed or removed: {_name(record, damaged[0])}"
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
