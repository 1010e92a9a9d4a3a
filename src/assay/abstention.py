"""Saying no in a structured way: what could not be verified, why, and what evidence would settle it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.types import Finding, Report, Verdict

_WHY = {
    Verdict.REFUTED: "the sources contradict {}",
    Verdict.ERROR: "{} could not be checked",
    Verdict.INSUFFICIENT: "the sources do not settle {}",
}


@dataclass(frozen=True, slots=True)
class FailedClaim:
    """One claim that stands in the way, and the evidence that would settle it."""

    text: str
    verdict: Verdict
    confidence: float
    explanation: str
    wanted: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "verdict": self.verdict.value,
            "confidence": round(self.confidence, 6),
            "explanation": self.explanation,
            "evidence_wanted": self.wanted,
        }


@dataclass(frozen=True, slots=True)
class Abstention:
    """Why there is no verified answer; `str()` is what a reader sees."""

    question: str | None
    reasons: tuple[str, ...]
    failed: tuple[FailedClaim, ...]

    @property
    def wanted(self) -> tuple[str, ...]:
        """The evidence that would settle the failed claims, each once."""
        return tuple(dict.fromkeys(claim.wanted for claim in self.failed))

    @property
    def text(self) -> str:
        return f"I cannot provide a verified answer to this question. [Reason: {'; '.join(self.reasons)}]"

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "question": self.question,
            "reasons": list(self.reasons),
            "failed_claims": [claim.to_dict() for claim in self.failed],
            "evidence_wanted": list(self.wanted),
        }


def abstain(report: Report, reason: str | None = None) -> Abstention:
    """The abstention that a report calls for; a reason of the caller's own comes first."""
    failed = [f for f in report.findings if f.verdict in _WHY]
    failed.sort(key=lambda finding: list(_WHY).index(finding.verdict))
    reasons = [reason] if reason else []
    for verdict, words in _WHY.items():
        count = sum(finding.verdict is verdict for finding in failed)
        if count:
            reasons.append(words.format("one claim" if count == 1 else f"{count} claims"))
    if not reasons:
        reasons.append(report.skipped or "the answer was withdrawn")
    return Abstention(report.question, tuple(reasons), tuple(_failed(finding, report.answer) for finding in failed))


def _failed(finding: Finding, answer: str) -> FailedClaim:
    wanted = _wanted(finding, answer)
    return FailedClaim(finding.text, finding.verdict, finding.confidence, finding.explanation, wanted)


def _wanted(finding: Finding, answer: str) -> str:
    """What a reader should look for: a source that states the missing words, or one that settles the dispute."""
    claim = finding.text.strip().rstrip(".")
    if finding.verdict is Verdict.REFUTED:
        quote = _shown(finding)
        return f"a source that says “{claim}” and outweighs {quote}" if quote else f"a source that says “{claim}”"
    if finding.verdict is Verdict.ERROR:
        return f"a check that completes for “{claim}”"
    missing = _missing(finding, answer)
    return f"a source that says “{claim}”" + (f", in particular {missing}" if missing else "")


def _shown(finding: Finding) -> str:
    against = [item for item in finding.evidence if item.stance.value == "refutes"]
    return f"{against[0].document} (“{_cut(against[0].quote)}”)" if against else ""


def _missing(finding: Finding, answer: str) -> str:
    spans: Sequence[str] = [
        span.of(answer)
        for span in finding.judgement.unsupported
        if finding.spans and finding.claim.span.start <= span.start and span.end <= finding.claim.span.end
    ]
    return ", ".join(f"“{words}”" for words in spans[:4] if words.strip())


def _cut(text: str, most: int = 120) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rsplit(" ", 1)[0] + "…"
