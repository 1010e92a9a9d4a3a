"""A claim in the form in which it is compared with sentences of a source."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.lexical.quotes import blank_anchors, drop_citation, find_quotes
from assay.lexical.surroundings import Assertion as Statement
from assay.lexical.words import Content, content_of, is_number, stems_of, words_of
from assay.policy import Policy
from assay.text.tokens import stem
from assay.types import Claim, Span

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
    plain_terms: frozenset[str]  # without the numbers and their units, which are proved by value and not by spelling
    names: frozenset[str]
    quotes: tuple[str, ...]

    @classmethod
    def of(cls, given: Claim, policy: Policy) -> Assertion:
        whole = drop_citation(given.text, Span(0, len(given.text))).of(given.text)
        text = blank_anchors(whole)
        unmeasured = _without_measures(text)
        content = [word for word in content_of(unmeasured) if not all(map(is_number, word.words))]
        quotes = [drop_citation(text, span).of(text) for span in find_quotes(text, policy)]
        return cls(
            given,
            text,
            words_of(text),
            content,
            [frozenset(map(stem, word.words)) for word in content],
            frozenset(stems_of(text)),
            frozenset(term for term in stems_of(unmeasured) if not is_number(term)),
            names_of(text),
            tuple(quote for quote in quotes if words_of(quote)),
        )

    def coverage(self, roots: frozenset[str]) -> float:
        """The share of content words that a sentence has; numbers and units are left to their own proof."""
        if not self.content:
            return len(self.terms & roots) / len(self.terms) if self.terms else 0.0
        return sum(stems <= roots for stems in self.stems) / len(self.content)

    def missing(self, roots: frozenset[str]) -> list[str]:
        """The content words that a sentence does not have, as they were written."""
        lacking = (word.shown for word, stems in zip(self.content, self.stems, strict=True) if not stems <= roots)
        return list(dict.fromkeys(lacking))


def _without_measures(text: str) -> str:
    """The text with blanks for "8,849 metres", which is the same as "8.849 km" and not the same as "8,849 feet"."""
    for quantity in Statement.of(text).quantities:
        if quantity.unit:
            span = quantity.span
            text = text[: span.start] + " " * len(span) + text[span.end :]
    return text


def names_of(text: str) -> frozenset[str]:
    """The stems of the capitalised words of a text, stop words aside."""
    found: set[str] = set()
    for match in _WORD.finditer(text):
        if match.group()[0].isupper():
            found.update(stem(part) for part in words_of(match.group()) if len(part) > 1)
    return frozenset(found.intersection(stems_of(text)))
