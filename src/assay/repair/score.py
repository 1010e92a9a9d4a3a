"""How good an answer is, by the engine's report alone: whether it passes, how sure it is, and what it still needs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from assay.policy import Policy
from assay.types import Finding, Importance, Report, Verdict
from assay.views import LedgerVerdict, RagVerdict, confidence_level, gap_type, ledger_verdict, rag_verdict

REVISE_LIMIT = 2  # times a repair has the answer revised claim by claim


_PENALTY = 0.1  # for each claim that nothing supports, or whose check failed
_BONUS = 0.1  # if every claim is fully supported
_PARTIAL = 0.5


def passes(report: Report) -> bool:
    """Whether something was verified, and nothing in the answer failed to be."""
    return report.grounded is True


def failing(report: Report) -> list[Finding]:
    """The findings that keep an answer from passing, the weightiest and surest first."""
    order = {Importance.CRITICAL: 0, Importance.MATERIAL: 1, Importance.MINOR: 2}
    found = [f for f in report.findings if f.verdict not in (Verdict.SUPPORTED, Verdict.NOT_CHECKABLE)]
    return sorted(
        found, key=lambda f: (f.verdict is not Verdict.REFUTED, order[f.claim.importance], -f.confidence, f.claim.span)
    )


@dataclass(frozen=True, slots=True)
class AnswerRating:
    """How far an answer can be relied on, with the figures from which it follows.

    `confidence` is (supported + half of the partly supported) / all, less 0.1 for each unsupported claim or error, plus
    0.1 if every claim is fully supported; `level` is the same in words, and "High" only for the last case.
    """

    confidence: float
    level: str
    supported: int
    partial: int
    unsupported: int
    fully_supported: bool

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"confidence": round(self.confidence, 6)}


def rate_answer(report: Report) -> AnswerRating | None:
    """The rating of an answer; None, and not 1, where nothing could be checked."""
    verdicts = [rag_verdict(finding) or RagVerdict.UNSUPPORTED for finding in report.checkable]
    if not verdicts:
        return None
    full = is_fully_supported(report)
    supported = verdicts.count(RagVerdict.SUPPORTED)
    partial = verdicts.count(RagVerdict.PARTIALLY_SUPPORTED)
    unsupported = verdicts.count(RagVerdict.UNSUPPORTED)  # among them errors: a failed check supports nothing
    score = (supported + _PARTIAL * partial) / len(verdicts) - _PENALTY * unsupported
    confidence = min(1.0, max(0.0, score + _BONUS if full else score))
    level = confidence_level(confidence)
    return AnswerRating(
        confidence, "Medium" if level == "High" and not full else level, supported, partial, unsupported, full
    )


def answer_confidence(report: Report) -> float | None:
    """The confidence of `rate_answer`."""
    rating = rate_answer(report)
    return None if rating is None else rating.confidence


def is_fully_supported(report: Report) -> bool:
    """Whether there are claims, and each is supported: none in part, none weakly, none in error."""
    claims = report.checkable
    return bool(claims) and all(ledger_verdict(finding) is LedgerVerdict.SUPPORTED for finding in claims)


def answer_level(report: Report) -> str | None:
    """The level of `rate_answer`."""
    rating = rate_answer(report)
    return None if rating is None else rating.level


def rank(report: Report) -> tuple[float, ...]:
    """A key by which the better of two answers is the greater; saying nothing is worse than anything supported."""
    confidence = answer_confidence(report)
    counts = report.counts
    failed = counts["REFUTED"] + counts["INSUFFICIENT"] + counts["ERROR"]
    return (
        float(passes(report)),
        float(counts["SUPPORTED"] > 0),
        -1.0 if confidence is None else confidence,
        -float(counts["REFUTED"]),
        -float(failed),
        float(counts["SUPPORTED"]),
    )


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether an answer is to be revised (again), and why."""

    revise: bool
    reason: str


def decide_revision(report: Report, done: int, policy: Policy) -> Decision:
    """Limit reached or good enough: stop. Critical not found, contradicted, or too little covered: revise."""
    verdicts = [ledger_verdict(finding) for finding in report.findings]
    critical = has_critical_gap(report)
    contradicted = LedgerVerdict.CONTRADICTED in verdicts
    covered = report.coverage
    if done >= REVISE_LIMIT:
        return Decision(False, "limit reached")
    if (covered is None or covered >= policy.coverage_floor) and not critical and not contradicted:
        return Decision(False, "covered")
    if critical:
        return Decision(True, "a critical claim was not found")
    return Decision(True, "a claim is contradicted" if contradicted else "coverage is too low")


def has_critical_gap(report: Report) -> bool:
    """Whether nothing was found for a claim on which the answer hangs."""
    return any(
        f.claim.importance is Importance.CRITICAL and ledger_verdict(f) is LedgerVerdict.NOT_FOUND
        for f in report.findings
    )


def critical_gaps(report: Report) -> list[Finding]:
    """Critical claims that show an epistemic gap."""
    return [f for f in report.findings if f.claim.importance is Importance.CRITICAL and gap_type(f) is not None]
