"""A claim in the form in which it is compared with sentences of a source."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.lexical.quotes import blank_anchors, drop_citation, find_quotes
from assay.lexical.surroundings import Assertion as Statement
from assay.lexical.words import Content, content_of, is_number, stems_of, words_of
from assay.policy import Policy
from assay.text.quantities import Quantity
from assay.text.tokens import stem
from assay.types import Claim, Span

Measure = tuple[Quantity, frozenset[str]]
_WORD = re.compile(r"[^\W\d_][\w’'-]*")


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a claim says: its words, those that carry meaning, the names that must not be missing, its quotes."""

    given: Claim
    text: str
    words: list[str]
    content: list[Content]
    stems: list[frozenset[str]]  # of each content word: "well-known" has two
    terms: frozenset[str]
    names: frozenset[str]
    quotes: tuple[str, ...]
    measures: tuple[Measure, ...]

    @classmethod
    def of(cls, given: Claim, policy: Policy) -> Assertion:
        whole = drop_citation(given.text, Span(0, len(given.text))).of(given.text)
        text = blank_anchors(whole)
        content = [word for word in content_of(text) if not all(map(is_number, word.words))]
        quotes = [span.of(text) for span in find_quotes(text, policy)]
        return cls(
            given,
            text,
            words_of(text),
            content,
            [frozenset(map(stem, word.words)) for word in content],
            frozenset(stems_of(text)),
            names_of(text),
            tuple(quote for quote in quotes if words_of(quote)),
            _measures_of(text),
        )

    @property
    def plain_terms(self) -> frozenset[str]:
        """The terms without the numbers, which are proved by value and not by spelling."""
        return frozenset(term for term in self.terms if not is_number(term))

    def coverage(self, roots: frozenset[str]) -> float:
        """The share of content words that a sentence has; numbers are left to their own proof."""
        if not self.content:
            return len(self.terms & roots) / len(self.terms) if self.terms else 0.0
        return sum(stems <= roots for stems in self.stems) / len(self.content)

    def missing(self, roots: frozenset[str]) -> list[str]:
        """The content words that a sentence does not have, as they were written."""
        lacking = (word.shown for word, stems in zip(self.content, self.stems, strict=True) if not stems <= roots)
        return list(dict.fromkeys(lacking))


def _measures_of(text: str) -> tuple[Measure, ...]:
    """The quantities that have a unit, each with the stems of the unit's words."""
    measured = [quantity for quantity in Statement.of(text).quantities if quantity.unit]
    found = (
        (quantity, frozenset(stem for stem in stems_of(quantity.text) if not is_number(stem))) for quantity in measured
    )
    return tuple((quantity, unit) for quantity, unit in found if unit)


def names_of(text: str) -> frozenset[str]:
    """The stems of the capitalised words of a text, stop words aside."""
    found: set[str] = set()
    for match in _WORD.finditer(text):
        if match.group()[0].isupper():
            found.update(stem(part) for part in words_of(match.group()) if len(part) > 1)
    return frozenset(found.intersection(stems_of(text)))
