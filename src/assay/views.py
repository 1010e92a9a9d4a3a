"""Other vocabularies for the same findings: pure functions, never a second judgement."""

from __future__ import annotations

from enum import StrEnum

from assay.types import AuditMode, Evidence, Finding, Report, Support, Verdict, audit_mode_of

LEDGER_SUPPORTED = 0.8  # full support above this is 'supported' in a ledger, below it 'weak'
audit_mode = audit_mode_of


class LedgerVerdict(StrEnum):
    """How an evidence ledger names a verdict."""

    SUPPORTED = "supported"
    WEAK = "weak"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"


class RagVerdict(StrEnum):
    """How retrieval-augmented applications name a verdict."""

    SUPPORTED = "SUPPORTED"
    PARTIALLY_SUPPORTED = "PARTIALLY_SUPPORTED"
    UNSUPPORTED = "UNSUPPORTED"


class GapType(StrEnum):
    """How an epistemic check names what is missing."""

    UNSUPPORTED = "unsupported"
    PARTIAL_SUPPORT = "partial_support"
    PHANTOM_CITATION = "phantom_citation"
    CONTRADICTED = "contradicted"
    OVER_EXTRAPOLATION = "over_extrapolation"
    EVIDENCE_INDEPENDENT = "evidence_independent"


class Rung(StrEnum):
    """How far up the ladder of proof an answer stands."""

    UNGROUNDED = "UNGROUNDED"
    POINTER_LINKED = "POINTER-LINKED"
    ANCHOR_WARRANTED = "ANCHOR-WARRANTED"
    EVIDENCE_WARRANTED = "EVIDENCE-WARRANTED"
    ENTAILMENT_VERIFIED = "ENTAILMENT-VERIFIED"


def ledger_verdict(finding: Finding) -> LedgerVerdict | None:
    """None for what cannot be entered: not checkable, or in error."""
    if finding.verdict in (Verdict.NOT_CHECKABLE, Verdict.ERROR):
        return None
    if finding.verdict is Verdict.REFUTED:
        return LedgerVerdict.CONTRADICTED
    if finding.verdict is Verdict.SUPPORTED:  # at least weak: a report and its ledger must not disagree
        sure = finding.support is Support.FULL and finding.confidence > LEDGER_SUPPORTED
        return LedgerVerdict.SUPPORTED if sure else LedgerVerdict.WEAK
    return LedgerVerdict.WEAK if finding.support is Support.PARTIAL else LedgerVerdict.NOT_FOUND


def rag_verdict(finding: Finding) -> RagVerdict | None:
    if finding.verdict in (Verdict.NOT_CHECKABLE, Verdict.ERROR):
        return None
    if finding.verdict is Verdict.SUPPORTED and finding.support is Support.FULL:
        return RagVerdict.SUPPORTED
    if finding.support is Support.PARTIAL:
        return RagVerdict.PARTIALLY_SUPPORTED
    return RagVerdict.UNSUPPORTED


def is_grounded(report: Report) -> bool | None:
    """None when the answer has nothing that could be scored."""
    return report.grounded


def confidence_level(confidence: float) -> str:
    """
    >>> confidence_level(0.72)
    'Medium'
    """
    for floor, name in ((0.9, "High"), (0.7, "Medium"), (0.5, "Low")):
        if confidence >= floor:
            return name
    return "Very Low"


def gap_type(finding: Finding) -> GapType | None:
    """The epistemic gap a finding shows, None where there is none."""
    if "phantom_citation" in finding.violations:
        return GapType.PHANTOM_CITATION
    if finding.verdict is Verdict.REFUTED:
        return GapType.CONTRADICTED
    if "evidence_independent" in finding.violations:
        return GapType.EVIDENCE_INDEPENDENT
    if "over_extrapolation" in finding.violations:
        return GapType.OVER_EXTRAPOLATION
    if finding.support is Support.PARTIAL:
        return GapType.PARTIAL_SUPPORT
    return GapType.UNSUPPORTED if finding.verdict is Verdict.INSUFFICIENT else None


def rung(report: Report) -> str:
    """The rung of an answer that cites nothing by pointer: entailed, warranted by its own words, or ungrounded."""
    mode = report.audit_mode
    if mode is AuditMode.UNGROUNDED:
        return Rung.UNGROUNDED.value
    supported = [f for f in report.findings if f.verdict is Verdict.SUPPORTED]
    entailed = all(f.method.startswith("encoder") or f.method == "quote" for f in supported)
    step = Rung.ENTAILMENT_VERIFIED if entailed else Rung.EVIDENCE_WARRANTED
    return step.value if mode is AuditMode.STRICT else f"{step.value}-PARTIAL"


def quotes(finding: Finding) -> tuple[Evidence, ...]:
    """The evidence that decided, strongest stance first."""
    order = {"refutes": 0, "supports": 1, "neutral": 2}
    return tuple(sorted(finding.evidence, key=lambda item: order[item.stance.value]))
