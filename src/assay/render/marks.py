"""Which stretches of an answer, a quote or a source are marked, and the neighbourhood of each quote in its source."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from assay.lexical.decisive import find_decisive
from assay.types import Document, Evidence, Finding, Report, Span, Stance, Verdict
from assay.views import quotes


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch over which the same marks hold; `opens` and `closes` name the marks that begin or end with it."""

    start: int
    end: int
    owners: tuple[int, ...] = ()
    opens: tuple[int, ...] = ()
    closes: tuple[int, ...] = ()
    strong: bool = False

    def of(self, text: str) -> str:
        return text[self.start : self.end]


def split_segments(window: Span, marks: Iterable[tuple[Span, int]], strong: Iterable[Span] = ()) -> list[Segment]:
    """The window as adjoining segments, each with the marks that cover it; `strong` spans are the decisive words.

    >>> [(s.start, s.end, s.owners) for s in split_segments(Span(0, 9), [(Span(0, 5), 1), (Span(3, 9), 2)])]
    [(0, 3, (1,)), (3, 5, (1, 2)), (5, 9, (2,))]
    """
    opens, closes = _edges(window, marks)
    strong_opens, strong_closes = _edges(window, ((span, 0) for span in strong))
    cuts = sorted({window.start, window.end, *opens, *closes, *strong_opens, *strong_closes})
    active: Counter[int] = Counter()
    depth = 0
    segments = []
    for start, end in pairwise(cuts):
        for owner in closes.get(start, ()):
            active[owner] -= 1
            if not active[owner]:
                del active[owner]
        active.update(opens.get(start, ()))
        depth += len(strong_opens.get(start, ())) - len(strong_closes.get(start, ()))
        segments.append(
            Segment(
                start,
                end,
                owners=tuple(sorted(active)),
                opens=tuple(sorted(set(opens.get(start, ())))),
                closes=tuple(sorted(set(closes.get(end, ())))),
                strong=depth > 0,
            )
        )
    return segments


def _edges(window: Span, marks: Iterable[tuple[Span, int]]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Where marks begin and end inside the window; what is empty there is left out."""
    opens: dict[int, list[int]] = defaultdict(list)
    closes: dict[int, list[int]] = defaultdict(list)
    for span, owner in marks:
        start, end = max(span.start, window.start), min(span.end, window.end)
        if start < end:
            opens[start].append(owner)
            closes[end].append(owner)
    return opens, closes


def answer_segments(report: Report) -> list[Segment]:
    """The answer cut where claims and decisive words begin and end; the owners are indexes of findings."""
    marks = [(span, number) for number, finding in enumerate(report.findings) for span in finding.spans]
    return split_segments(Span(0, len(report.answer)), marks, decisive_in_answer(report))


def quote_segments(finding: Finding, item: Evidence, shown: int) -> list[Segment]:
    """The first characters of a quote, cut where the words that decided begin and end."""
    return split_segments(Span(0, min(len(item.quote), shown)), (), decisive_in_quote(finding, item))


def decisive_in_answer(report: Report) -> list[Span]:
    """Everything in the answer that a finding turns on: what its judge named, else what its quotes differ in."""
    found: set[Span] = set()
    for finding in report.findings:
        named = [s for s in finding.judgement.unsupported if any(s.overlaps(home) for home in finding.spans)]
        found.update(named)
        if finding.verdict is Verdict.REFUTED and not named and finding.evidence:
            for home in finding.spans:
                pair = find_decisive(home.of(report.answer), quotes(finding)[0].quote)
                anchors = [citation.span for citation in finding.claim.citations]  # the 3 of "[3]" is no number of it
                words = (span.shifted(home.start) for span in pair.claim)
                found.update(span for span in words if not any(map(span.overlaps, anchors)))
    return sorted(found)


def decisive_in_quote(finding: Finding, item: Evidence) -> tuple[Span, ...]:
    """The words of a quote that a refutation turns on; a quote that does not refute is taken whole."""
    turns = finding.verdict is Verdict.REFUTED and item.stance is Stance.REFUTES
    return find_decisive(finding.text, item.quote).quote if turns else ()


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
