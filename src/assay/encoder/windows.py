"""Evidence of any length as windows that the network can read, cut between sentences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from assay.encoder.pairing import Tokens
from assay.encoder.subject import Subject, roots
from assay.text.sentences import split_sentences
from assay.types import Span

PIECE_TOKENS = 120  # a longer sentence goes into a digest in pieces
FIRST_BONUS = 0.5  # as much as a few shared words


def split_windows(tokens: Tokens, room: int, overlap: int) -> list[Span]:
    """Spans that cover the whole text, each of at most `room` tokens; neighbours share up to `overlap` tokens.

    The overlap keeps a fact whole that begins in the last sentence of one window and ends in the first of the next.
    """
    if len(tokens) <= room:
        return [Span(0, len(tokens.text))]
    units = split_units(tokens, room)
    sizes = [len(tokens.between(unit.start, unit.end)) for unit in units]
    return [Span(units[first].start, units[last - 1].end) for first, last in fill(sizes, room, overlap)]


def split_units(tokens: Tokens, most: int) -> list[Span]:
    """The sentences of a text with the space and marks around them, none longer than `most` tokens, covering it all."""
    text = tokens.text
    cuts = [sentence.span.start for sentence in split_sentences(text)]
    edges = [0, *(cut for cut in cuts if 0 < cut < len(text)), len(text)]
    starts = tokens.starts.tolist()
    units: list[Span] = []
    for start, end in pairwise(edges):
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        # A sentence that is too long is cut at a word: "x" × 10,000 without a space is cut anywhere.
        inner = [starts[place] for place in range(first + most, last, most)]
        bounds = [start, *(cut for cut in inner if start < cut < end), end]
        units.extend(Span(a, b) for a, b in pairwise(bounds) if a < b)
    return units


def fill(sizes: Sequence[int], room: int, overlap: int) -> list[tuple[int, int]]:
    """Ranges of units whose sizes sum to at most `room`, every unit in one of them, neighbours overlapping a little.

    >>> fill([4, 4, 4, 4], room=9, overlap=4)
    [(0, 2), (1, 3), (2, 4)]
    """
    ranges: list[tuple[int, int]] = []
    first = 0
    while first < len(sizes):
        last, used = first, 0
        while last < len(sizes) and (last == first or used + sizes[last] <= room):
            used += sizes[last]
            last += 1
        ranges.append((first, last))
        if last == len(sizes):
            break
        back, shared = last, 0
        while back - 1 > first and shared + sizes[back - 1] <= min(overlap, room - sizes[last]):
            back -= 1
            shared += sizes[back]
        first = back
    return ranges


@dataclass(frozen=True, eq=False)
class Window:
    """A stretch of a source: its place, its token ids and the stems of its content words."""

    source: Source
    span: Span
    ids: NDArray[np.int64]

    @property
    def text(self) -> str:
        return self.span.of(self.source.tokens.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        return self.source.stems(self.span)


class Source:
    """A text of evidence, tokenised once and cut as often as claims of another length need it."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._cuts: dict[int, list[Window]] = {}

    @cached_property
    def _words(self) -> tuple[list[int], list[str]]:
        found = roots(self.tokens.text)
        return [start for start, _ in found], [root for _, root in found]

    def stems(self, span: Span) -> frozenset[str]:
        starts, stems = self._words
        return frozenset(stems[bisect_left(starts, span.start) : bisect_left(starts, span.end)])

    def window(self, span: Span, room: int) -> Window:
        return Window(self, span, self.tokens.between(span.start, span.end)[:room])

    @cached_property
    def _pieces(self) -> list[Window]:
        return [self.window(unit, PIECE_TOKENS) for unit in split_units(self.tokens, PIECE_TOKENS)]

    def digest(self, subject: Subject, room: int) -> tuple[NDArray[np.int64], bool]:
        """The sentences that share most with a subject, in their own order, and whether they are about it.

        Where a document says one half of a claim in its first paragraph and the other in its last, no window has both.
        The first sentence is favoured: it says what the rest is about.
        """
        pieces = self._pieces
        shared = [len(subject.words & piece.stems) for piece in pieces]
        strength = [count / (4 + len(piece.stems)) ** 0.5 for count, piece in zip(shared, pieces, strict=True)]
        strength[0] += FIRST_BONUS
        nearest, *others = sorted(range(len(pieces)), key=lambda n: -strength[n])
        chosen, left = [nearest], room - len(pieces[nearest].ids)
        for number in others:
            if len(pieces[number].ids) <= left:
                chosen.append(number)
                left -= len(pieces[number].ids)
        kept = [pieces[number] for number in sorted(chosen)]
        stems: frozenset[str] = frozenset().union(*(piece.stems for piece in kept))
        return np.concatenate([piece.ids for piece in kept])[:room], subject.is_about(stems)

    def windows(self, room: int, overlap: int) -> list[Window]:
        if room not in self._cuts:
            self._cuts[room] = [self.window(span, room) for span in split_windows(self.tokens, room, overlap)]
        return self._cuts[room]
