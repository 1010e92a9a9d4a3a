"""A claim and the passages shown for it in the form in which the lexical judge compares them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from assay.lexical.agreement import subject_of
from assay.lexical.number_context import NumericClaim, read_numeric_sentences
from assay.lexical.quotes import blank_anchors, drop_citation, find_quotes
from assay.text.comparable import ContentWord, content_of, is_number, locate_words, stems_of, words_of
from assay.text.names import capitalised_words
from assay.text.normalise import Mapped, strip_markup
from assay.text.quantities import Match, Quantity, compare
from assay.text.sentences import split_sentences
from assay.text.tokens import stem
from assay.text.words import points_back
from assay.types import Claim, Document, Passage, Span

Measure = tuple[Quantity, frozenset[str]]


@dataclass(frozen=True, slots=True)
class ClaimWords:
    """What a claim says: its words, those that carry meaning, the names that must not be missing, its quotes."""

    given: Claim
    text: str
    words: list[str]
    content: list[ContentWord]
    stems: list[frozenset[str]]  # of each content word: "well-known" has two
    terms: frozenset[str]
    names: frozenset[str]
    quotes: tuple[str, ...]
    measures: tuple[Measure, ...]

    @classmethod
    def of(cls, given: Claim) -> ClaimWords:
        whole = drop_citation(given.text, Span(0, len(given.text))).of(given.text)
        text = blank_anchors(whole)
        content = [word for word in content_of(text) if not all(map(is_number, word.words))]
        quotes = [span.of(text) for span in find_quotes(text)]
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
    measured = [quantity for quantity in NumericClaim.of(text).quantities if quantity.unit]
    found = (
        (quantity, frozenset(stem for stem in stems_of(quantity.text) if not is_number(stem))) for quantity in measured
    )
    return tuple((quantity, unit) for quantity, unit in found if unit)


def names_of(text: str) -> frozenset[str]:
    """The stems of the capitalised words of a text, stop words aside."""
    found: set[str] = set()
    for word in capitalised_words(text):
        found.update(stem(part) for part in words_of(word) if len(part) > 1)
    return frozenset(found.intersection(stems_of(text)))


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """One sentence, or two that belong together: where it stands in the document, its prose, the stems of its words."""

    document: Document
    span: Span
    text: str
    roots: frozenset[str]
    sentences: int = 1

    def joined(self, following: PassageSentence) -> PassageSentence:
        return PassageSentence(
            self.document,
            Span(self.span.start, following.span.end),
            f"{self.text} {following.text}",
            self.roots | following.roots,
            2,
        )


@dataclass(frozen=True, slots=True)
class PassageText:
    """The prose of a passage, its sentences, and the stems of the title and headings it stands under."""

    passage: Passage
    prose: Mapped
    lines: tuple[PassageSentence, ...]
    title_roots: frozenset[str]

    def span_of(self, start: int, end: int) -> Span:
        """A stretch of the prose as a stretch of the document."""
        return self.prose.to_original(start, end).shifted(self.passage.start)

    def pairs(self) -> Iterator[tuple[PassageSentence, PassageSentence]]:
        yield from zip(self.lines, self.lines[1:], strict=False)


@lru_cache(maxsize=512)
def read_passage(passage: Passage) -> PassageText:
    """The passage split and stemmed, kept for the next claim that is judged against it."""
    document = passage.document
    prose = strip_markup(passage.text, document.markup)
    lines = tuple(
        PassageSentence(
            document,
            prose.to_original(sentence.span.start, sentence.span.end).shifted(passage.start),
            text := sentence.span.of(prose.text),
            frozenset(map(stem, words_of(text))),
        )
        for sentence in split_sentences(prose.text)
    )
    title = f"{document.title} {document.heading_at(passage.start) or ''}"
    return PassageText(passage, prose, lines, frozenset(map(stem, words_of(title))))


LONG_PASSAGE = 20_000  # characters; a passage is a few sentences, and a longer text is first cut into passages
_KNOWN = 20_000  # characters of a document, before the passage, in which a name counts as known


class Comparison:
    """One claim and the readings of its passages; `ranked` has the closest sentences first."""

    def __init__(self, claim: ClaimWords, readings: Sequence[PassageText], tolerance: float) -> None:
        self.claim = claim
        self.readings = [_respelt(reading, claim, tolerance) for reading in readings]
        self._subject = subject_of(claim.text)
        self.ranked = self._rank()

    def _rank(self) -> list[tuple[float, PassageSentence, PassageText]]:
        """Sentences, and pairs of which the second points back to the first, by how much of the claim they hold."""
        found = []
        for reading in self.readings:
            pairs = [one.joined(two) for one, two in reading.pairs() if self._continues(one, two)]
            lines = [*reading.lines, *pairs]
            for line in lines:
                # "They are considered …" under the title "Area 12" speaks of Area 12.
                under = reading.title_roots if points_back(line.text) else frozenset()
                share = self.claim.coverage(line.roots | under)
                if share:
                    found.append((share, line, reading))
        # The shortest of the best: a pair is worth it only if it holds more than either sentence.
        found.sort(key=lambda entry: (-entry[0], entry[1].sentences))
        return found

    def _continues(self, one: PassageSentence, two: PassageSentence) -> bool:
        """Whether the second sentence goes on about the claim's subject: "Everest is high. It stands in Nepal." """
        return points_back(two.text) and bool(self._subject) and self._subject <= subject_of(one.text)

    def places(self, words: list[str]) -> Iterator[tuple[PassageSentence, PassageText, Span]]:
        """Every sentence in which the words stand one after the other; a quote may run over two or more sentences."""
        roots = frozenset(map(stem, words))
        for reading in self.readings:
            alone = [line for line in reading.lines if roots <= line.roots]
            whole = [_whole(reading)] if not alone and len(reading.lines) > 1 else []
            for line in (*alone, *whole):
                if roots <= line.roots and (place := locate_words(words, line.text)):
                    yield line, reading, place

    def same_referent(self, reading: PassageText) -> bool:
        """For "It was built in 1889": whether the passage speaks of what the answer's "it" points back to."""
        if not self.claim.given.context or not points_back(self.claim.text):
            return True
        names = names_of(self.claim.given.context)
        if not names or names & reading.title_roots.union(*(line.roots for line in reading.lines)):
            return True
        # The passage may be the one sentence alone: then the document must at least know the name.
        known = set(map(stem, words_of(reading.passage.document.text[: reading.passage.end][-_KNOWN:])))
        return bool(names & known)


def _respelt(reading: PassageText, claim: ClaimWords, tolerance: float) -> PassageText:
    """The reading with the claim's own words for a unit where a sentence states the same measure: "8,849 m" has
    "metres" for a claim of 8,849 metres, and nothing for one of 8,849 feet."""
    if not claim.measures or len(reading.prose.text) > LONG_PASSAGE:
        return reading
    lines = []
    for line, statement in zip(reading.lines, read_numeric_sentences(reading.prose.text), strict=True):
        units = [
            unit
            for claimed, unit in claim.measures
            if any(
                compare(claimed, stated, tolerance) in (Match.EQUAL, Match.ROUNDED) for stated in statement.quantities
            )
        ]
        lines.append(replace(line, roots=line.roots.union(*units)) if units else line)
    return replace(reading, lines=tuple(lines))


def _whole(reading: PassageText) -> PassageSentence:
    """All sentences of a passage as one."""
    first, last = reading.lines[0], reading.lines[-1]
    roots = frozenset().union(*(line.roots for line in reading.lines))
    span = Span(first.span.start, last.span.end)
    return PassageSentence(first.document, span, reading.prose.text, roots, len(reading.lines))
