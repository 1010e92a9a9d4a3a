"""Which stretches of an answer or a quote are marked: the claims that cover them, and the words that decided."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from assay.lexical.decisive import find_decisive
from assay.types import Evidence, Finding, Report, Span, Stance, Verdict
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
                words = (span.shifted(home.start) for span in pair.claim)
                found.update(span for span in words if not _in_anchor(finding, span))
    return sorted(found)


def _in_anchor(finding: Finding, span: Span) -> bool:
    """The 3 of "[3]" is no number of the claim."""
    return any(span.overlaps(citation.span) for citation in finding.claim.citations)


def decisive_in_quote(finding: Finding, item: Evidence) -> tuple[Span, ...]:
    """The words of a quote that a refutation turns on; a quote that does not refute is taken whole."""
    turns = finding.verdict is Verdict.REFUTED and item.stance is Stance.REFUTES
    return find_decisive(finding.text, item.quote).quote if turns else ()
