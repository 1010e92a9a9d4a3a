"""An answer as it is read: without Markdown marks, formulas' signs and anchors, and with the way back to each place.

>>> prose = Prose("In **2020** it rose by $5$ % [1].", ())
>>> stretch = prose.read(0, 33)
>>> stretch.text
'In 2020 it rose by 5 % [1].'
>>> stretch.runs_between(3, 7)
[(3, 7, 5, 9)]
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from assay.claims.alignment import Run
from assay.claims.citations import silent_stretches
from assay.text.edits import Edit
from assay.text.markdown import find_markdown
from assay.types import Citation

# What may be a mark; "[1]" is none, "[words](link)" and "[words]: link" are.
_MARKED = re.compile(r"[*_`<&\\~$]|\][(:]")
_LOOSE = re.compile(r"[ \t\n\r\f\v]{2,}|[\t\n\r\f\v]")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of the answer as prose, in runs that each come from one place."""

    text: str
    runs: list[Run]

    def place(self, offset: int) -> int:
        """Where in the answer the character at an offset of the prose stands."""
        at = bisect_right(self.runs, offset, key=lambda run: run[0]) - 1
        start, end, first, last = self.runs[max(0, at)]
        if offset < end:
            return first + offset - start if end - start == last - first else first
        return self.runs[at + 1][2] if at + 1 < len(self.runs) else last

    def runs_between(self, start: int, end: int) -> list[Run]:
        """The runs of a stretch of the prose; one that was read as a whole (a formula's sign) stays whole."""
        found = []
        for at in range(bisect_right(self.runs, start, key=lambda run: run[1]), len(self.runs)):
            low, high, first, last = self.runs[at]
            if low >= end:
                break
            if high - low == last - first:
                before, after = max(0, start - low), max(0, high - end)
                found.append((low + before, high - after, first + before, last - after))
            else:
                found.append((max(low, start), min(high, end), first, last))
        return found


def moved(runs: list[Run], by: int) -> list[Run]:
    """The runs of a text that is put behind `by` other characters."""
    return [(low + by, high + by, first, last) for low, high, first, last in runs]


class Prose:
    """One answer with everything in it that is not to be read."""

    def __init__(self, text: str, citations: Sequence[Citation]) -> None:
        self.text = text
        marks = find_markdown(text) if _MARKED.search(text) else []
        self._edits = _merged(silent_stretches(text, citations), marks)
        self._ends = [end for _, end, _ in self._edits]
        self._marks = {end: start for start, end, new in marks if not new}

    def read(self, start: int, end: int) -> Stretch:
        """The prose of `text[start:end]`, without white space at its ends."""
        at = bisect_right(self._ends, start)
        if (at == len(self._edits) or self._edits[at][0] >= end) and not _LOOSE.search(self.text, start, end):
            words = self.text[start:end].strip()
            first = start + len(self.text[start:end]) - len(self.text[start:end].lstrip())
            return Stretch(words, [(0, len(words), first, first + len(words))])
        writer = _Writer(self.text)
        while at < len(self._edits) and self._edits[at][0] < end:
            low, high, new = self._edits[at]
            writer.copy(start, max(start, low))
            if new and low >= start and high <= end:
                writer.put(new, low, high)
            start = max(start, min(high, end))
            at += 1
        writer.copy(start, end)
        return writer.stretch()

    def cut(self, stretch: Stretch, offset: int) -> int:
        """Where in the answer the words from an offset of the prose on begin, with the marks that open right there."""
        place = stretch.place(offset)
        while self._marks.get(place, place) < place:
            place = self._marks[place]
        return place


class _Writer:
    """Puts prose together, with one space between words and none at the start."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[str] = []
        self.runs: list[Run] = []
        self.size = 0
        self.open = True  # nothing yet, or a space: no other space may follow

    def copy(self, start: int, end: int) -> None:
        for gap in _LOOSE.finditer(self.text, start, end):
            self.put(self.text[start : gap.start()], start, gap.start())
            self.put(" ", *gap.span())
            start = gap.end()
        self.put(self.text[start:end], start, end)

    def put(self, words: str, start: int, end: int) -> None:
        if self.open and words[:1].isspace():
            kept = words.lstrip()
            start += len(words) - len(kept) if len(words) == end - start else 0
            words = kept
        if not words:
            return
        after = self.size + len(words)
        last = self.runs[-1] if self.runs else (0, 0, 0, 0)
        same = len(words) == end - start and last[1] - last[0] == last[3] - last[2]
        if same and last[1] == self.size and last[3] == start and self.runs:
            self.runs[-1] = (last[0], after, last[2], end)
        elif same or not words.isspace():
            self.runs.append((self.size, after, start, end))
        self.pieces.append(words)
        self.size = after
        self.open = words[-1].isspace()

    def stretch(self) -> Stretch:
        text = "".join(self.pieces)
        return Stretch(text.rstrip(), self.runs or [(0, 0, 0, 0)])


def _merged(silent: list[tuple[int, int]], marks: list[Edit]) -> list[Edit]:
    """All edits in order; what lies in a stretch that is not read at all needs none of its own."""
    edits: list[Edit] = []
    at = 0
    for start, end in silent:
        while at < len(marks) and marks[at][1] <= start:
            edits.append(marks[at])
            at += 1
        while at < len(marks) and marks[at][0] < end:
            at += 1
        edits.append((start, end, ""))
    return edits + marks[at:]
