"""The neighbourhood of each quote in its source: a page shows the context without carrying the whole document."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass

from assay.render.marks import Segment, decisive_in_quote, split_segments
from assay.types import Document, Evidence, Report, Span

REACH = 1_500  # characters kept on either side of a quote: about a page
_UNQUOTED_SHOWN = 24  # sources without a quote whose opening is shown; the others are only counted


@dataclass(frozen=True, slots=True)
class QuotedEvidence:
    """One receipt and the places that point at it: finding and evidence, both counted from 0."""

    finding: int
    item: int
    evidence: Evidence
    strong: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a source, cut into segments whose owners are indexes into the source's `quoted`."""

    start: int
    pieces: tuple[tuple[str, Segment], ...]
    cut_before: bool
    cut_after: bool


@dataclass(frozen=True, slots=True)
class QuotedSource:
    """A document as far as the report needs it."""

    name: str
    title: str
    length: int | None
    quoted: tuple[QuotedEvidence, ...]
    excerpts: tuple[Excerpt, ...]
    note: str = ""


def gather_sources(report: Report) -> tuple[list[QuotedSource], int]:
    """The sources that are quoted, then the openings of some that are not, and how many were left out."""
    quoted: dict[tuple[str, str], list[QuotedEvidence]] = defaultdict(list)
    for number, finding in enumerate(report.findings):
        for place, item in enumerate(finding.evidence):
            strong = tuple(span.shifted(item.start) for span in decisive_in_quote(finding, item))
            quoted[item.document, item.document_sha256].append(QuotedEvidence(number, place, item, strong))
    held = {(document.id, document.sha256): document for document in report.documents}
    known_ids = {document.id for document in report.documents}
    sources = [
        _from_document(held[key], items) if key in held else _from_quotes(key[0], items, key[0] in known_ids)
        for key, items in quoted.items()
    ]
    silent = [document for key, document in held.items() if key not in quoted]
    sources += [_from_document(document, []) for document in silent[:_UNQUOTED_SHOWN]]
    return sources, max(len(silent) - _UNQUOTED_SHOWN, 0)


def _from_document(document: Document, items: list[QuotedEvidence]) -> QuotedSource:
    text = document.text
    windows = _windows(items, len(text))
    starts = [window.start for window in windows]
    near: list[list[int]] = [[] for _ in windows]
    for place, item in enumerate(items):
        first = max(bisect_right(starts, item.evidence.start) - 1, 0)
        for index in range(first, bisect_left(starts, item.evidence.end)):
            near[index].append(place)
    excerpts = [_cut(text, window, items, places) for window, places in zip(windows, near, strict=True)]
    note = "" if items else "No claim is settled by this source."
    return QuotedSource(document.id, document.title, len(text), tuple(items), tuple(excerpts), note)


def _from_quotes(name: str, items: list[QuotedEvidence], changed: bool) -> QuotedSource:
    """A source whose text is not at hand: its quotes stand for it."""
    excerpts = []
    for place, item in enumerate(items):
        start, end = item.evidence.start, item.evidence.end
        pieces = split_segments(Span(start, end), [(Span(start, end), place)], item.strong)
        shown = tuple((item.evidence.quote[segment.start - start : segment.end - start], segment) for segment in pieces)
        excerpts.append(Excerpt(start, shown, cut_before=True, cut_after=True))
    note = "The document has changed since it was quoted." if changed else "Only the quotes of this source are at hand."
    return QuotedSource(name, "", None, tuple(items), tuple(excerpts), note)


def _windows(items: list[QuotedEvidence], length: int) -> list[Span]:
    """Both ends of every quote with their surroundings, merged; the middle of a very long quote is left out."""
    ends = {offset for item in items for offset in (item.evidence.start, item.evidence.end)} or {0}
    merged: list[Span] = []
    for offset in sorted(ends):
        window = Span(max(0, offset - REACH), min(length, offset + REACH))
        if merged and window.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, window.end))
        elif window.start < window.end:
            merged.append(window)
    return merged


def _cut(text: str, window: Span, items: list[QuotedEvidence], places: list[int]) -> Excerpt:
    marks = [(Span(items[place].evidence.start, items[place].evidence.end), place) for place in places]
    strong = (span for place in places for span in items[place].strong)
    pieces = tuple((segment.of(text), segment) for segment in split_segments(window, marks, strong))
    return Excerpt(window.start, pieces, cut_before=window.start > 0, cut_after=window.end < len(text))
