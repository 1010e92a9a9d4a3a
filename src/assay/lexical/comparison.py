"""A claim held against passages: which sentences are closest, and where its words stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.lexical.agreement import subject_of
from assay.lexical.assertion import Assertion, names_of
from assay.lexical.reading import Line, Reading
from assay.lexical.surroundings import read_statements
from assay.lexical.words import locate_words, words_of
from assay.text.quantities import Match, compare
from assay.text.tokens import stem
from assay.types import Span

POINTS_BACK = re.compile(r"(?:it|its|he|she|they|his|her|their|this|these|those|such|both)\b", re.IGNORECASE)
LONG_PASSAGE = 20_000  # characters; a passage is a few sentences, and a longer text is first cut into passages
_KNOWN = 20_000  # characters of a document, before the passage, in which a name counts as known


class Comparison:
    """One claim and the readings of its passages; `ranked` has the closest sentences first."""

    def __init__(self, claim: Assertion, readings: Sequence[Reading], tolerance: float) -> None:
        self.claim = claim
        self.readings = [_respelt(reading, claim, tolerance) for reading in readings]
        self._subject = subject_of(claim.text)
        self.ranked = self._rank()

    def _rank(self) -> list[tuple[float, Line, Reading]]:
        """Sentences, and pairs of which the second points back to the first, by how much of the claim they hold."""
        found = []
        for reading in self.readings:
            pairs = [one.joined(two) for one, two in reading.pairs() if self._continues(one, two)]
            lines = [*reading.lines, *pairs]
            for line in lines:
                # "They are considered …" under the title "Area 12" speaks of Area 12.
                under = reading.title_roots if POINTS_BACK.match(line.text) else frozenset()
                share = self.claim.coverage(line.roots | under)
                if share:
                    found.append((share, line, reading))
        # The shortest of the best: a pair is worth it only if it holds more than either sentence.
        found.sort(key=lambda entry: (-entry[0], entry[1].sentences))
        return found

    def _continues(self, one: Line, two: Line) -> bool:
        """Whether the second sentence goes on about the claim's subject: "Everest is high. It stands in Nepal." """
        return bool(POINTS_BACK.match(two.text)) and bool(self._subject) and self._subject <= subject_of(one.text)

    def places(self, words: list[str]) -> Iterator[tuple[Line, Reading, Span]]:
        """Every sentence in which the words stand one after the other; a quote may run over two or more sentences."""
        roots = frozenset(map(stem, words))
        for reading in self.readings:
            alone = [line for line in reading.lines if roots <= line.roots]
            whole = [_whole(reading)] if not alone and len(reading.lines) > 1 else []
            for line in (*alone, *whole):
                if roots <= line.roots and (place := locate_words(words, line.text)):
                    yield line, reading, place

    def same_referent(self, reading: Reading) -> bool:
        """For "It was built in 1889": whether the passage speaks of what the answer's "it" points back to."""
        if not self.claim.given.context or not POINTS_BACK.match(self.claim.text):
            return True
        names = names_of(self.claim.given.context)
        if not names or names & _roots([reading]):
            return True
        # The passage may be the one sentence alone: then the document must at least know the name.
        known = set(map(stem, words_of(reading.passage.document.text[: reading.passage.end][-_KNOWN:])))
        return bool(names & known)

    def everything(self) -> frozenset[str]:
        """The stems of all that is shown, titles included."""
        return _roots(self.readings)

    def around(self, near: Reading | None) -> frozenset[str]:
        """The stems of everything shown of the document that a passage is of, its title included."""
        if near is None:
            return frozenset()
        return _roots([reading for reading in self.readings if reading.passage.document == near.passage.document])


def _respelt(reading: Reading, claim: Assertion, tolerance: float) -> Reading:
    """The reading with the claim's own words for a unit where a sentence states the same measure: "8,849 m" has
    "metres" for a claim of 8,849 metres, and nothing for one of 8,849 feet."""
    if not claim.measures or len(reading.prose.text) > LONG_PASSAGE:
        return reading
    lines = []
    for line, statement in zip(reading.lines, read_statements(reading.prose.text), strict=True):
        units = [
            unit
            for claimed, unit in claim.measures
            if any(
                compare(claimed, stated, tolerance) in (Match.EQUAL, Match.ROUNDED) for stated in statement.quantities
            )
        ]
        lines.append(replace(line, roots=line.roots.union(*units)) if units else line)
    return replace(reading, lines=tuple(lines))


def _roots(readings: Sequence[Reading]) -> frozenset[str]:
    return frozenset().union(
        *(reading.title_roots for reading in readings), *(line.roots for reading in readings for line in reading.lines)
    )


def _whole(reading: Reading) -> Line:
    """All sentences of a passage as one."""
    first, last = reading.lines[0], reading.lines[-1]
    roots = frozenset().union(*(line.roots for line in reading.lines))
    span = Span(first.span.start, last.span.end)
    return Line(first.document, span, reading.prose.text, roots, len(reading.lines))
