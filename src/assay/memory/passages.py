"""Cut documents into passages: sentence-aligned windows with exact offsets that never cross a heading."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from assay.policy import PASSAGE_MAX_TOKENS
from assay.text.sentences import split_sentences
from assay.text.tokens import WORD, count_tokens, is_stop_word, stem
from assay.types import Document, Span

PASSAGE_TARGET_TOKENS = 120  # passages are cut near this length, at sentence ends
TERMS_VERSION = 1  # stored with a memory: a changed rule means the full-text index must be made again


@dataclass(frozen=True, slots=True)
class PassageSpan:
    """Where a passage stands in its document, under which heading and on which page."""

    start: int
    end: int
    heading: str = ""
    page: int | None = None


def cut_passages(document: Document) -> list[PassageSpan]:
    """Windows of whole sentences of about the target length, each beginning with the last sentence of the one before.

    >>> document = Document("d", "One is here. Two is here. Three is here.")
    >>> [(cut.start, cut.end) for cut in cut_passages(document)]
    [(0, 40)]
    """
    pages = [mark.start for mark in document.pages]
    cuts = []
    for section in _sections(document):
        heading = document.headings[section.heading].label if section.heading >= 0 else ""
        for start, end in _windows(document.text, section.start, section.end):
            page = bisect_right(pages, start) - 1
            cuts.append(PassageSpan(start, end, heading, int(document.pages[page].label) if page >= 0 else None))
    return cuts


@dataclass(frozen=True, slots=True)
class _Section:
    start: int
    end: int
    heading: int  # index of its mark; -1 before the first


def _sections(document: Document) -> Iterator[_Section]:
    starts = [0, *(mark.start for mark in document.headings), len(document.text)]
    for index, (start, end) in enumerate(pairwise(starts)):
        if start < end:
            yield _Section(start, end, index - 1)


def _windows(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    sentences = list(_short_enough(text, start, end, PASSAGE_MAX_TOKENS))
    sizes = [count_tokens(span.of(text)) for span in sentences]
    first = 0
    while first < len(sentences):
        last, size = first, sizes[first]
        while last + 1 < len(sentences) and size + sizes[last + 1] <= PASSAGE_TARGET_TOKENS:
            last += 1
            size += sizes[last]
        yield sentences[first].start, sentences[last].end
        if last + 1 >= len(sentences):
            return
        # One sentence of overlap, unless the window is a single sentence or the overlap would fill the next one.
        overlap = last > first and sizes[last] + sizes[last + 1] <= PASSAGE_TARGET_TOKENS
        first = last if overlap else last + 1


def _short_enough(text: str, start: int, end: int, limit: int) -> Iterator[Span]:
    """The sentences of a section; one longer than the encoder's limit is cut between words."""
    section = text[start:end]
    for sentence in split_sentences(section):
        span = sentence.span.shifted(start)
        if len(span) <= limit or count_tokens(span.of(text)) <= limit:
            yield span
        else:
            yield from _cut_long(text, span, limit)


def _cut_long(text: str, span: Span, limit: int) -> Iterator[Span]:
    at = span.start
    while at < span.end:
        stop = _reach(text, at, span.end, limit)
        piece = text[at:stop]
        kept = piece.strip()
        if kept:
            lead = len(piece) - len(piece.lstrip())
            yield Span(at + lead, at + lead + len(kept))
        at = stop


def _reach(text: str, start: int, end: int, limit: int) -> int:
    """The farthest end of at most `limit` tokens, at a space if there is one in the last half."""
    length = min(end - start, limit * 8)
    while length > limit and count_tokens(text[start : start + length]) > limit:
        length = max(limit, length * 3 // 4)
    stop = start + length
    if stop >= end:
        return end
    space = text.rfind(" ", start + length // 2, stop)
    return space + 1 if space > 0 else stop


def embedding_text(document: Document, cut: PassageSpan) -> str:
    """What the embedder sees of a passage: its words under its title: 'It opened in 1889' must be about something."""
    text = document.text[cut.start : cut.end]
    subject = cut.heading if cut.heading and not cut.heading.startswith("row ") else document.title
    if document.title and document.title not in subject:
        subject = f"{document.title} › {subject}"
    return text if not subject or text.startswith(subject) else f"{subject}: {text}"


def search_terms(document: Document, cut: PassageSpan) -> str:
    """What full-text search sees of a passage: the terms of its title, heading and words."""
    return " ".join(find_terms(embedding_text(document, cut)))


def find_terms(text: str) -> list[str]:
    """The search terms of a text in order: lower case, stemmed, without stop words, repeats kept.

    >>> find_terms("The Sherpa's cities were running")
    ['sherpa', 'citi', 'run']
    """
    return [term for word in WORD.findall(text) if (term := _term(word))]


@lru_cache(maxsize=200_000)
def _term(word: str) -> str:
    """One word as a term, or nothing for a stop word; only letters and digits are left, whatever the language."""
    if is_stop_word(word):
        return ""
    root = stem(word.lower().replace("’", "'"))
    return "".join(mark for mark in root if mark.isalnum())[:60]
