"""Finds the words on which a refutation turns: the number in the answer and the one in the source that it is not."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from assay.types import Span

_WORD = re.compile(r"\d+(?:[.,:/]\d+)*|\w+(?:[’'-]\w+)*")
_COMMAS = re.compile(r"(?<=\d),(?=\d{3})")
_READ = 4_000  # characters of a quote or claim that are compared; more is a chapter, not a sentence
_ALIGNED = 80  # words compared one against the other
_SWAP = 3  # a longer stretch of differing words is another sentence, not another word


class _Word(NamedTuple):
    key: str
    span: Span

    @property
    def numeric(self) -> bool:
        return self.key[:1].isdigit()


class Decisive(NamedTuple):
    """The deciding words of a claim and of the quote beside it, as offsets into each."""

    claim: tuple[Span, ...]
    quote: tuple[Span, ...]


def find_decisive(claim: str, quote: str) -> Decisive:
    """The words that differ: numbers first, else words swapped between otherwise like sentences.

    >>> found = find_decisive("It is 8,611 metres high.", "Its height is 8,849 metres (29,032 ft).")
    >>> [span.of("Its height is 8,849 metres (29,032 ft).") for span in found.quote]
    ['8,849']
    """
    return _compare(claim[:_READ], quote[:_READ])


@lru_cache(maxsize=512)  # a claim that stands in many places is compared once
def _compare(claim: str, quote: str) -> Decisive:
    ours, theirs = _words(claim), _words(quote)
    return _differing_numbers(ours, theirs) or _swapped_words(ours, theirs) or Decisive((), ())


def _words(text: str) -> list[_Word]:
    return [_Word(_COMMAS.sub("", m[0]).lower(), Span(*m.span())) for m in _WORD.finditer(text)]


def _differing_numbers(ours: list[_Word], theirs: list[_Word]) -> Decisive | None:
    stated = {word.key for word in theirs}
    claimed = {word.key for word in ours}
    strange = [i for i, word in enumerate(ours) if word.numeric and word.key not in stated]
    others = [i for i, word in enumerate(theirs) if word.numeric and word.key not in claimed]
    if not strange or not others:
        return None
    units = {_after(ours, i) for i in strange} - {""}
    lengths = {len(ours[i].key) for i in strange}
    same_unit = [i for i in others if _after(theirs, i) in units]
    same_length = [i for i in others if len(theirs[i].key) in lengths]
    chosen = same_unit or same_length or others
    return Decisive(tuple(ours[i].span for i in strange), tuple(theirs[i].span for i in chosen))


def _after(words: list[_Word], index: int) -> str:
    """The word behind a number, taken as its unit."""
    return words[index + 1].key if index + 1 < len(words) and not words[index + 1].numeric else ""


def _swapped_words(ours: list[_Word], theirs: list[_Word]) -> Decisive | None:
    a, b = ours[:_ALIGNED], theirs[:_ALIGNED]
    matcher = SequenceMatcher(None, [w.key for w in a], [w.key for w in b], autojunk=False)
    mine: list[Span] = []
    yours: list[Span] = []
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag == "replace" and a2 - a1 <= _SWAP and b2 - b1 <= _SWAP:
            mine.append(Span(a[a1].span.start, a[a2 - 1].span.end))
            yours.append(Span(b[b1].span.start, b[b2 - 1].span.end))
    # Two sentences that share little differ everywhere, and marking everything marks nothing.
    alike = sum(block.size for block in matcher.get_matching_blocks())
    return Decisive(tuple(mine), tuple(yours)) if mine and 2 * alike >= len(a) else None
