"""A document as the mutations read it: its statements, each with its place and its heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
