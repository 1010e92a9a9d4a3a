"""Cuts a text where marks begin and end, so that overlapping and repeated marks can be drawn one stretch at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from assay.types import Span


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch over which the same marks hold; `opens` and `closes` name the marks that begin or end with it."""

    start: int
    end: int
    owners: tuple[int, ...] = ()
    opens: tuple[int, ...] = ()
    closes: tuple[int, ...] = ()
    strong: bool = False

    def of(self, text: str) -> str:
        return text[self.start : self.end]


def split_segments(window: Span, marks: Iterable[tuple[Span, int]], strong: Iterable[Span] = ()) -> list[Segment]:
    """The window as adjoining segments, each with the marks that cover it; `strong` spans are the decisive words.

    >>> [(s.start, s.end, s.owners) for s in split_segments(Span(0, 9), [(Span(0, 5), 1), (Span(3, 9), 2)])]
    [(0, 3, (1,)), (3, 5, (1, 2)), (5, 9, (2,))]
    """
    opens, closes = _edges(window, marks)
    strong_opens, strong_closes = _edges(window, ((span, 0) for span in strong))
    cuts = sorted({window.start, window.end, *opens, *closes, *strong_opens, *strong_closes})
    active: Counter[int] = Counter()
    depth = 0
    segments = []
    for start, end in pairwise(cuts):
        for owner in closes.get(start, ()):
            active[owner] -= 1
            if not active[owner]:
                del active[owner]
        active.update(opens.get(start, ()))
        depth += len(strong_opens.get(start, ())) - len(strong_closes.get(start, ()))
        segments.append(
            Segment(
                start,
                end,
                owners=tuple(sorted(active)),
                opens=tuple(sorted(set(opens.get(start, ())))),
                closes=tuple(sorted(set(closes.get(end, ())))),
                strong=depth > 0,
            )
        )
    return segments


def _edges(window: Span, marks: Iterable[tuple[Span, int]]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Where marks begin and end inside the window; what is empty there is left out."""
    opens: dict[int, list[int]] = defaultdict(list)
    closes: dict[int, list[int]] = defaultdict(list)
    for span, owner in marks:
        start, end = max(span.start, window.start), min(span.end, window.end)
        if start < end:
            opens[start].append(owner)
            closes[end].append(owner)
    return opens, closes
