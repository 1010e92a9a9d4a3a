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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.claims.citations import silent_stretches
from assay.confusables import Edit
from assay.text.markdown import find_markdown
from assay.types import Citation, Claim, Span

Run = tuple[int, int, int, int]
"""A stretch of a text (start, end) and the stretch it was read from (start, end)."""

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
        writer = _ProseWriter(self.text)
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


class _ProseWriter:
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


# Rows of a table, with their cells read one by one

_BAR = re.compile(r"(?<!\\)\|")
_LONGEST_NAME = 100  # characters of a column's name; more is no name
_SAYING = re.compile(r"[^\W_]|[✓✔✅☑✗✘❌✕]")


@dataclass(frozen=True, slots=True)
class TableRow:
    """The cells of a row in order."""

    cells: list[Stretch]

    def says_something(self) -> bool:
        return any(_SAYING.search(cell.text) for cell in self.cells)

    def joined(self, header: TableRow | None = None) -> tuple[str, list[Run]]:
        """The row as one line, each cell with the name of its column ("Plan: Basic; Seats: 3"), and its runs."""
        names = [cell.text for cell in header.cells] if header else []
        text = ""
        runs: list[Run] = []
        for number, cell in enumerate(self.cells):
            if not cell.text:
                continue
            name = names[number] if number < len(names) and len(names[number]) <= _LONGEST_NAME else ""
            text += ("; " if text else "") + (f"{name}: " if name else "")
            runs += moved(cell.runs_between(0, len(cell.text)), len(text))
            text += cell.text
        return text, runs


def read_row(prose: Prose, start: int, end: int) -> TableRow:
    """The cells between the bars of `text[start:end]`."""
    bars = [match.start() for match in _BAR.finditer(prose.text, start, end)]
    edges = [start - 1, *bars, end]
    places = [(low + 1, high) for low, high in pairwise(edges)]
    if bars and not prose.text[start : bars[0]].strip():
        places = places[1:]
    if bars and not prose.text[bars[-1] + 1 : end].strip():
        places = places[:-1]
    return TableRow([prose.read(low, high) for low, high in places])


# Places of a claim in the answer

_MARKS = 2  # characters of marks ("**") that do not part a place; the shortest anchor has three


def locate(claim: Claim, stretch: Span) -> tuple[Span, ...]:
    """The places in the answer of a stretch of `claim.text`; words that were carried in from elsewhere have none.

    There is one place for each occurrence of the claim, or more where an anchor or a link stands in between. All of
    them lie in the claim's spans.

    >>> from assay.claims import extract_claims
    >>> answer = "The mill opened in **1900** and closed in 1950."
    >>> first, second = extract_claims(answer)
    >>> second.text
    'The mill closed in 1950'
    >>> [place.of(answer) for place in locate(second, Span(4, 23))]
    ['closed in 1950']
    """
    return tuple(place for home in range(len(claim.spans)) for place in _places(claim, home, stretch))


def _places(claim: Claim, number: int, stretch: Span) -> Iterator[Span]:
    home = claim.spans[number]
    found: list[Run] = []
    for low, high, first, last in _runs(claim, number):
        start, end = max(low, stretch.start), min(high, stretch.end)
        if start >= end:
            continue
        if high - low == last - first:
            first, last = first + start - low, last - (high - end)
        before = found[-1] if found else None
        if before and before[1] == start and first - before[3] <= _MARKS:
            found[-1] = (before[0], end, before[2], last)
        else:
            found.append((start, end, first, last))
    for start, end, first, last in found:
        words = claim.text[start:end]
        if not words.isspace():
            first += len(words) - len(words.lstrip())
            last -= len(words) - len(words.rstrip())
            yield Span(home.start + first, home.start + last)


def _runs(claim: Claim, number: int) -> Sequence[Run]:
    if claim.alignment:
        return claim.alignment[number] if number < len(claim.alignment) else ()
    size = len(claim.text)
    return ((0, size, 0, size),) if len(claim.spans[number]) == size else ()
