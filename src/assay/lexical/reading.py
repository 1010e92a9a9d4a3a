"""A passage as the lexical judge reads it: its sentences with their words, each tied to its place in the document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from assay.lexical.words import words_of
from assay.text.normalise import Mapped, strip_markup
from assay.text.sentences import split_sentences
from assay.text.tokens import stem
from assay.types import Document, Passage, Span


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence, or two that belong together: where it stands in the document, its prose, the stems of its words."""

    document: Document
    span: Span
    text: str
    roots: frozenset[str]
    sentences: int = 1

    def joined(self, following: Line) -> Line:
        return Line(
            self.document,
            Span(self.span.start, following.span.end),
            f"{self.text} {following.text}",
            self.roots | following.roots,
            2,
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """The prose of a passage, its sentences, and the stems of the title and headings it stands under."""

    passage: Passage
    prose: Mapped
    lines: tuple[Line, ...]
    title_roots: frozenset[str]

    def span_of(self, start: int, end: int) -> Span:
        """A stretch of the prose as a stretch of the document."""
        return self.prose.to_original(start, end).shifted(self.passage.start)

    def pairs(self) -> Iterator[tuple[Line, Line]]:
        yield from zip(self.lines, self.lines[1:], strict=False)


@lru_cache(maxsize=512)
def read_passage(passage: Passage) -> Reading:
    """The passage split and stemmed, kept for the next claim that is judged against it."""
    document = passage.document
    prose = strip_markup(passage.text, document.markup)
    lines = tuple(
        Line(
            document,
            prose.to_original(sentence.span.start, sentence.span.end).shifted(passage.start),
            text := sentence.span.of(prose.text),
            frozenset(map(stem, words_of(text))),
        )
        for sentence in split_sentences(prose.text)
    )
    title = f"{document.title} {document.heading_at(passage.start) or ''}"
    return Reading(passage, prose, lines, frozenset(map(stem, words_of(title))))
