"""What the lattice rules look at in a text: content stems, capitalised words, calendar mentions, counts, sentences.

>>> sorted(content_stems("The towers were finished in 1889, and the Eiffel tower stands."))
['1889', 'eiffel', 'finished', 'stand', 'tower']
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from assay.text.comparable import words_of
from assay.text.dates import CalendarMentions, find_calendar_mentions
from assay.text.names import capitalised_words
from assay.text.quantities import QuantityKind, find_quantities
from assay.text.sentences import split_sentences
from assay.text.tokens import STOP_WORDS, singular
from assay.types import Span

_MIN_LENGTH = 4


def content_tokens(text: str) -> list[str]:
    """The content words in the singular, in order, with repeats: four characters or more, and no stop words."""
    return [singular(word) for word in words_of(text) if len(word) >= _MIN_LENGTH and word not in STOP_WORDS]


def content_stems(text: str) -> frozenset[str]:
    """The distinct content words in the singular."""
    return frozenset(content_tokens(text))


def all_words(text: str) -> frozenset[str]:
    """All words in the singular, short ones and stop words too."""
    return frozenset({singular(word) for word in words_of(text)})


@dataclass(frozen=True, slots=True)
class Counts:
    """`counts` leaves out years and days of the month, which are dates; `numbers` holds everything."""

    counts: frozenset[Fraction] = frozenset()
    numbers: frozenset[Fraction] = frozenset()


def find_counts(text: str) -> Counts:
    """Every number of a text as it is written, in digits or in words, and those that count something.

    >>> sorted(map(int, find_counts("Twenty-one of 3,500 men, the 12th group, in 1953").counts))
    [12, 21, 3500]
    """
    counts: set[Fraction] = set()
    dated: set[Fraction] = set()
    for item in find_quantities(text):
        if item.kind is QuantityKind.DATE:
            dated.update(Fraction(part) for part in (item.year, item.day) if part is not None)
        elif item.text != "second" or text[: item.span.start].rstrip().endswith("the"):  # "a second" is a time
            written = {item.low / item.scale, item.high / item.scale}
            is_year = len(item.text) == _MIN_LENGTH and item.text.isdecimal() and 1500 <= item.low <= 2199
            (dated if is_year else counts).update(written)
    return Counts(frozenset(counts), frozenset(counts | dated))


@dataclass(frozen=True)
class TextFeatures:
    """The features of one text, each worked out once and only when a rule asks for it."""

    text: str

    @cached_property
    def stems(self) -> frozenset[str]:
        return content_stems(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        return all_words(self.text)

    @cached_property
    def capitalised(self) -> frozenset[str]:
        """The capitalised words in the singular; all words when the text has no capitals, as in a transcript."""
        if self.text == self.text.lower():
            return self.words
        return all_words(" ".join(capitalised_words(self.text)))

    @cached_property
    def calendar(self) -> CalendarMentions:
        return find_calendar_mentions(self.text)

    @cached_property
    def counts(self) -> Counts:
        return find_counts(self.text)

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """Where the sentences lie."""
        return tuple(sentence.span for sentence in split_sentences(self.text))
