"""A document as the mutations read it, a sentence with one stretch replaced, and the claim that is made of it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from assay.text.sentences import split_sentences
from assay.text.tokens import is_stop_word, stem
from assay.text.words import points_back
from assay.types import Document, Span

_LEANING = re.compile(
    r"(?:Here|There|However|But|And|Or|So|Otherwise|Then|Instead|Also|Thus|Therefore|Else|Elsewhere|Later|Meanwhile"
    r"|In that case|In this case|After that|Before that|Since then|From then|By then"
    r"|Until then|If so|If not|Likewise|Another)\b"
)
_SHORTEST, _LONGEST = 5, 45  # words of a sentence that can stand alone
_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class SourceStatement:
    """A sentence, list item or table row in one line, where it stands, and the heading above it."""

    text: str
    span: Span
    kind: str
    heading: str = ""

    @property
    def stands_alone(self) -> bool:
        """Whether the sentence can be understood without the ones before it.

        >>> SourceStatement("It was sold in May to a bank.", Span(0, 29), "prose").stands_alone
        False
        """
        text = self.text
        plain = self.kind in ("prose", "bullet") and text.endswith(".") and text[:1].isupper()
        fits = plain and _SHORTEST <= len(text.split()) <= _LONGEST
        return fits and not points_back(text) and not _LEANING.match(text)


@dataclass(frozen=True)
class SourceText:
    """A document with its statements in order."""

    document: Document
    statements: tuple[SourceStatement, ...]

    @cached_property
    def sentences(self) -> tuple[SourceStatement, ...]:
        """The statements that stand alone."""
        return tuple(statement for statement in self.statements if statement.stands_alone)

    @cached_property
    def lower_words(self) -> frozenset[str]:
        """The words that the document writes without a capital: its common nouns are among them."""
        return frozenset(re.findall(r"(?<![\w-])[a-z][\w’'-]*", self.document.text))

    @cached_property
    def _lower_stems(self) -> frozenset[str]:
        return frozenset(stem(word) for word in self.lower_words)

    def lower_first(self, phrase: str) -> str:
        """A phrase as it is written inside a sentence: a name keeps its capital, any other word loses it."""
        first = re.match(r"[\w’'-]+", phrase)
        word = first.group() if first else ""
        common = stem(word.lower()) in self._lower_stems or is_stop_word(word)
        return phrase[:1].lower() + phrase[1:] if common and not word.isupper() else phrase


def read_source(document: Document) -> SourceText:
    """The statements of a document; headings and code are none."""
    found: list[SourceStatement] = []
    heading = ""
    for sentence in split_sentences(document.text):
        if sentence.kind == "heading":
            heading = _line(sentence.span.of(document.text))
        elif sentence.kind != "code":
            above = document.heading_at(sentence.span.start) if document.headings else heading
            label = (above or "").rsplit(" › ", 1)[-1]
            found.append(SourceStatement(_line(sentence.span.of(document.text)), sentence.span, sentence.kind, label))
    return SourceText(document, tuple(found))


def _line(text: str) -> str:
    return " ".join(text.split())


@lru_cache(maxsize=1 << 14)
def content_stems(text: str) -> frozenset[str]:
    """The stems of the words and numbers that carry meaning.

    >>> sorted(content_stems("The plans cost 1,200 euros."))
    ['1200', 'cost', 'euro', 'plan']
    """
    return frozenset(_stems(text))


def _stems(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text):
        word = match.group().lower()
        if word[0].isdigit():
            yield word.replace(",", "")
        elif not is_stop_word(word):
            yield stem(word)


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
