"""A sentence with one stretch replaced, the claim made of it, and the check that no other statement makes it true."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.mutations.source import SourceStatement, SourceText, content_stems
from assay.types import Span

_ARTICLE = re.compile(r"\b([Aa])n? $")


@dataclass(frozen=True, slots=True)
class Mutation:
    """A sentence that no longer holds: what kind of change, the new text, where it differs and what stood there.

    `changed` is empty where words were only taken away.
    """

    kind: str
    text: str
    changed: Span
    original: str

    def __post_init__(self) -> None:
        if self.changed.end > len(self.text):
            raise ValueError(f"the change at {self.changed} lies outside {self.text!r}")


@dataclass(frozen=True)
class MutationInput:
    """A sentence to be changed, the random numbers to choose with, and other true sentences of the same sources."""

    text: str
    rng: random.Random
    others: Sequence[str] = ()

    def replaced(self, kind: str, start: int, end: int, new: str) -> Mutation:
        return replace(kind, self.text, start, end, new)


def replace(kind: str, text: str, start: int, end: int, new: str) -> Mutation:
    """The text with one stretch replaced, the article before it made to fit.

    >>> replace("qualifier", "He is an alleged thief.", 9, 17, "").text
    'He is a thief.'
    """
    before, after = text[:start], text[end:]
    article = _ARTICLE.search(before)
    following = (new or after.lstrip())[:1]
    if article and following.isalpha():
        before = f"{before[: article.start()]}{article[1]}{'n' if following.lower() in 'aeiou' else ''} "
    if not new:
        before, after = _closed(before, after)
    if not before.strip():
        opening = new or after.lstrip()
        capital = opening[:1].upper() + opening[1:]
        new, after = (capital, after) if new else ("", capital)
    return Mutation(kind, before + new + after, Span(len(before), len(before) + len(new)), text[start:end])


def _closed(before: str, after: str) -> tuple[str, str]:
    """The two sides of a gap with one space between them, and none before a stop."""
    kept = after.lstrip()
    gap = "" if not kept or kept[0] in ".,;:!?)" or not before.strip() else " "
    return before.rstrip() + gap, kept


@dataclass(frozen=True, slots=True)
class GeneratedClaim:
    """A claim made from a document by rule.

    `kind` is the kind of mutation or paraphrase, `change` what was changed, `old` and `new` the words that were
    exchanged. `places` are the stretches of the document it was made from, the one it speaks about first. `telling`
    are the stems that, together in another statement, would make it true; without them its own words decide.
    """

    kind: str
    change: str
    text: str
    places: tuple[Span, ...]
    old: str = ""
    new: str = ""
    telling: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not self.places:
            raise ValueError(f"{self.text!r} names no place of its document")

    @classmethod
    def of(cls, kind: str, made: Mutation, statement: SourceStatement) -> GeneratedClaim:
        """The claim of an edited sentence; the mutation's own kind says what was changed."""
        return cls(kind, made.kind, made.text, (statement.span,), made.original, made.changed.of(made.text))


class StatementIndex:
    """The statements of all sources by their stems, to find out whether one of them tells what a claim says."""

    _SAME, _NEARLY_ALL = 0.6, 0.8  # share of a claim's stems in another statement, with and without its new words

    def __init__(self, sources: Sequence[SourceText]) -> None:
        self._stems: list[frozenset[str]] = []
        self._places: list[tuple[int, Span]] = []
        self._with: dict[str, set[int]] = {}
        for number, source in enumerate(sources):
            for statement in source.statements:
                stems = content_stems(statement.text) | content_stems(statement.heading)
                for one in stems:
                    self._with.setdefault(one, set()).add(len(self._stems))
                self._stems.append(stems)
                self._places.append((number, statement.span))

    def tells(self, claim: GeneratedClaim, source: int, origin: str) -> bool:
        """Whether a statement other than the ones it was made from may make the claim true."""
        if claim.telling:
            return any(self._holding(claim.telling, claim, source))
        words = content_stems(claim.text)
        new = words - content_stems(origin)
        least = self._SAME if new else self._NEARLY_ALL
        candidates = self._holding(new, claim, source) if new else self._sharing(words, claim, source)
        return any(len(words & self._stems[at]) >= least * len(words) for at in candidates)

    def _holding(self, stems: frozenset[str], claim: GeneratedClaim, source: int) -> Iterator[int]:
        sets = [self._with.get(one, set()) for one in stems]
        for at in set.intersection(*sets) if sets else set():
            if not self._is_own(at, claim, source):
                yield at

    def _sharing(self, stems: frozenset[str], claim: GeneratedClaim, source: int) -> Iterator[int]:
        for at in set().union(*(self._with.get(one, set()) for one in stems)):
            if not self._is_own(at, claim, source):
                yield at

    def _is_own(self, at: int, claim: GeneratedClaim, source: int) -> bool:
        number, span = self._places[at]
        return number == source and any(span.overlaps(place) for place in claim.places)
