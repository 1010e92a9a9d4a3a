"""The words every rendering shares: what was found, of how many, and where the proof stands."""

from __future__ import annotations

from collections.abc import Sequence

from assay.render.clean import one_line
from assay.render.signs import SIGNS
from assay.types import Evidence, Finding, Report, Span, Verdict

_PLACES_SHOWN = 5


def state_outcome(report: Report) -> str:
    """The outcome as one sentence for a reader who has never seen a verdict."""
    counts = report.counts
    if report.skipped:
        return "This answer was not checked"
    if report.verdict is Verdict.REFUTED:
        return f"The sources contradict {_claims(counts['REFUTED'])}"
    if report.verdict is Verdict.ERROR:
        return f"{_claims(counts['ERROR']).capitalize()} could not be checked"
    if report.verdict is Verdict.INSUFFICIENT:
        return f"The sources do not settle {_claims(counts['INSUFFICIENT'])}"
    if report.verdict is Verdict.SUPPORTED:
        return "The sources back every claim" + (" that could be checked" if counts["ERROR"] else "")
    return "Nothing in this answer can be checked"


def count_claims(report: Report) -> str:
    """How many were scored and how they came out, with what could not be scored beside it."""
    counts = report.counts
    scored = [f"{counts[v.value]} {SIGNS[v].word}" for v in (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INSUFFICIENT)]
    rest = f"{counts['NOT_CHECKABLE']} not checkable, {_number(counts['ERROR'], 'error')}"
    return f"{len(report.scored)} scored ({', '.join(scored)}), {rest}"


def show_confidence(report: Report) -> str:
    return "confidence n/a" if report.confidence is None else f"confidence {show_share(report.confidence)}"


def show_share(share: float) -> str:
    """A share without false certainty: 0.999 is not shown as 1.00.

    >>> show_share(0.9991), show_share(1.0), show_share(0.004)
    ('0.99', '1.00', '0.00')
    """
    return f"{int(share * 100 + 1e-9) / 100:.2f}"


def summarise(report: Report) -> str:
    """The whole report in one line."""
    parts = [report.verdict.value, count_claims(report), report.audit_mode.value, show_confidence(report)]
    if report.skipped:
        parts.insert(0, f"skipped: {one_line(report.skipped, 120)}")
    return " · ".join(parts)


def locate_evidence(evidence: Evidence) -> str:
    """Where a quote stands: document, page, offsets."""
    page = f" p. {evidence.page}" if evidence.page is not None else ""
    return f"{one_line(evidence.document, 80)}{page} {evidence.start}–{evidence.end}"


def locate_claim(spans: Sequence[Span]) -> str:
    """Where a claim stands in the answer, the first few occurrences and how many more."""
    shown = ", ".join(f"{span.start}–{span.end}" for span in spans[:_PLACES_SHOWN])
    more = f" and {len(spans) - _PLACES_SHOWN} more places" if len(spans) > _PLACES_SHOWN else ""
    return f"answer {shown}{more}".rstrip()


def explain(finding: Finding) -> str:
    """Why the verdict is what it is: the judge's words, else the reason the claim was not judged."""
    return finding.explanation or finding.claim.reason


def name_violation(kind: str) -> str:
    """A machine's name for a fault, as words: phantom_citation → phantom citation."""
    return one_line(kind, 80).replace("_", " ").lower()


def _claims(count: int) -> str:
    return "one claim" if count == 1 else f"{count} claims"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
