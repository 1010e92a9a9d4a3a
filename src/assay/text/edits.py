"""One layer of changes to a text, kept as the few places where lengths moved."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from assay.confusables import Edit

__all__ = ["Edit", "Layer"]


@dataclass(frozen=True, slots=True)
class Layer:
    """Where each changed stretch starts and ends, in the text before and after; all else moved along unchanged."""

    starts: list[int]
    ends: list[int]
    new_starts: list[int]
    new_ends: list[int]

    @classmethod
    def of(cls, lengths: Iterable[tuple[int, int, int]]) -> Layer:
        """The layer of changes given as (start, end, new length)."""
        starts: list[int] = []
        ends: list[int] = []
        new_starts: list[int] = []
        new_ends: list[int] = []
        shift = 0
        for start, end, length in lengths:
            starts.append(start)
            ends.append(end)
            new_starts.append(start + shift)
            new_ends.append(start + shift + length)
            shift += length - (end - start)
        return cls(starts, ends, new_starts, new_ends)

    @classmethod
    def apply(cls, text: str, edits: list[Edit]) -> tuple[str, Layer | None]:
        """The text with the edits made, and their layer (none if no edit was made)."""
        if not edits:
            return text, None
        pieces: list[str] = []
        done = 0
        for start, end, new in edits:
            pieces.append(text[done:start])
            pieces.append(new)
            done = end
        pieces.append(text[done:])
        return "".join(pieces), cls.of((start, end, len(new)) for start, end, new in edits)

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """The smallest stretch before the changes that made `[start, end)` after them."""
        first = self._start_before(start)
        return (first, first) if start == end else (first, self._end_before(end - 1))

    def _start_before(self, offset: int) -> int:
        at = bisect_right(self.new_starts, offset) - 1
        if at < 0:
            return offset
        if offset < self.new_ends[at]:
            return self.starts[at]
        return self.ends[at] + offset - self.new_ends[at]

    def _end_before(self, last: int) -> int:
        at = bisect_right(self.new_starts, last) - 1
        if at < 0:
            return last + 1
        if last < self.new_ends[at]:
            return self.ends[at]
        return self.ends[at] + last + 1 - self.new_ends[at]
