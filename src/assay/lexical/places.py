"""The sentences of a source, split block by block when they are first asked for."""

from __future__ import annotations

from bisect import bisect_right

from assay.lexical.words import words_of
from assay.text.normalise import strip_markup
from assay.text.sentences import split_sentences
from assay.text.tokens import stem
from assay.types import Document, Span

_BLOCK = 4_096  # characters split at once; blocks end at a line end or a space where there is one near


class Places:
    """Where the sentences of a document stand; only the neighbourhood of a question is ever split."""

    def __init__(self, document: Document) -> None:
        self._prose = strip_markup(document.text, document.markup)
        self._cuts = _cut(self._prose.text)
        self._raw_cuts = [self._prose.to_original(cut, cut + 1).start for cut in self._cuts[:-1]]
        self._sentences: dict[int, list[Span]] = {}
        self._roots: dict[Span, frozenset[str]] = {}

    def around(self, span: Span, before: int = 0, after: int = 0) -> list[Span]:
        """The sentences that a stretch of the raw document touches, and some of their neighbours."""
        if not self._raw_cuts:
            return []
        first = max(bisect_right(self._raw_cuts, span.start) - 1, 0)
        last = max(bisect_right(self._raw_cuts, max(span.end - 1, span.start)) - 1, first)
        near = self._block(first - 1) if before else []
        here = [sentence for block in range(first, last + 1) for sentence in self._block(block)]
        far = self._block(last + 1) if after else []
        near = [*near, *here, *far]
        touched = [i for i, sentence in enumerate(near) if sentence.start < span.end and span.start < sentence.end]
        if not touched:
            return []
        return near[max(touched[0] - before, 0) : touched[-1] + 1 + after]

    def roots(self, span: Span) -> frozenset[str]:
        """The stems of all words in a stretch of the raw document."""
        known = self._roots.get(span)
        if known is None:
            known = self._roots[span] = frozenset(map(stem, words_of(span.of(self._prose.original))))
        return known

    def _block(self, number: int) -> list[Span]:
        if not 0 <= number < len(self._raw_cuts):
            return []
        known = self._sentences.get(number)
        if known is None:
            start, end = self._cuts[number], self._cuts[number + 1]
            known = self._sentences[number] = [
                self._prose.to_original(start + s.span.start, start + s.span.end)
                for s in split_sentences(self._prose.text[start:end])
            ]
        return known


def _cut(text: str) -> list[int]:
    """Where the blocks begin, and where the text ends."""
    cuts = [0]
    while len(text) - cuts[-1] > 2 * _BLOCK:
        wanted = cuts[-1] + _BLOCK
        for mark in ("\n\n", "\n", ". ", " "):
            at = text.find(mark, wanted, wanted + _BLOCK)
            if at >= 0:
                cuts.append(at + len(mark))
                break
        else:
            cuts.append(wanted)
    return [*cuts, len(text)] if text else [0]
