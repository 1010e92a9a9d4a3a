"""The evidence ledger of one answer: an entry for each claim, a summary, quality gates and risk flags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.policy import Policy
from assay.types import Evidence, Finding, Importance, Report, RiskFlag, Support
from assay.views import LedgerVerdict, coverage, ledger_verdict, unsupported_rate


@dataclass(frozen=True)
class LedgerEntry:
    """One claim as a ledger shows it."""

    claim: str
    kind: str
    importance: str
    verdict: LedgerVerdict | None
    confidence: float
    receipts: tuple[Evidence, ...]
    notes: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, finding: Finding, policy: Policy) -> LedgerEntry:
        notes = [finding.explanation, *finding.marks, *finding.violations, *finding.claim.warnings]
        return cls(
            claim=finding.text,
            kind=finding.claim.kind.value,
            importance=finding.claim.importance.value,
            verdict=ledger_verdict(finding, policy),
            confidence=finding.confidence,
            receipts=finding.evidence,
            notes=tuple(note for note in notes if note),
            spans=tuple((span.start, span.end) for span in finding.spans),
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "claim": self.claim,
            "kind": self.kind,
            "importance": self.importance,
            "verdict": self.verdict.value if self.verdict else None,
            "confidence": round(self.confidence, 6),
            "spans": [{"start": start, "end": end} for start, end in self.spans],
            "receipts": [receipt.to_dict() for receipt in self.receipts],
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class QualityGate:
    """One condition an answer must meet before it may be called done."""

    name: str
    passed: bool | None
    value: float | None
    bound: float
    otherwise: str


@dataclass(frozen=True)
class RunOrigin:
    """The recorded run a ledger was taken from: who can be asked about it, and what proves it."""

    run_id: str
    time: str
    workspace: str
    user: str
    session: str
    mode: str
    model: str
    policy_sha256: str
    root: str
    hash: str
    documents: tuple[tuple[str, str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        told = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "documents"}
        documents = [{"id": name, "title": title, "sha256": sha256} for name, title, sha256 in self.documents]
        return {**told, "documents": documents}


@dataclass(frozen=True)
class EvidenceLedger:
    """Everything a reader needs to see where each sentence of an answer comes from."""

    question: str | None
    entries: tuple[LedgerEntry, ...]
    coverage: float | None
    unsupported_rate: float | None
    gates: tuple[QualityGate, ...]
    risk_flags: tuple[RiskFlag, ...]
    follow_up: tuple[str, ...]
    warnings: tuple[str, ...]
    not_entered: int
    answer: str = ""
    origin: RunOrigin | None = None

    @property
    def counts(self) -> dict[str, int]:
        return {verdict.value: sum(entry.verdict is verdict for entry in self.entries) for verdict in LedgerVerdict}

    def to_dict(self) -> dict[str, Any]:
        return {
            "version": 1,
            "origin": self.origin.to_dict() if self.origin else None,
            "question": self.question,
            "answer": self.answer,
            "summary": {
                "claims": len(self.entries),
                "not_entered": self.not_entered,
                "verdicts": self.counts,
                "coverage": self.coverage,
                "unsupported_rate": self.unsupported_rate,
            },
            "gates": [
                {"name": g.name, "passed": g.passed, "value": g.value, "bound": g.bound, "otherwise": g.otherwise}
                for g in self.gates
            ],
            "entries": [entry.to_dict() for entry in self.entries],
            "risk_flags": [flag.to_dict() for flag in self.risk_flags],
            "follow_up": list(self.follow_up),
            "warnings": list(self.warnings),
        }


def ledger_of(report: Report, policy: Policy | None = None, origin: RunOrigin | None = None) -> EvidenceLedger:
    """The ledger of a report; claims that are not checkable or in error are counted, not entered."""
    rules = policy or Policy()
    entered = [finding for finding in report.findings if ledger_verdict(finding, rules) is not None]
    return EvidenceLedger(
        question=report.question,
        entries=tuple(LedgerEntry.of(finding, rules) for finding in entered),
        coverage=coverage(report, rules),
        unsupported_rate=unsupported_rate(report, rules),
        gates=gates(report, rules),
        risk_flags=report.risk_flags,
        follow_up=tuple(_follow_up(finding, rules) for finding in entered if _is_open(finding, rules)),
        warnings=report.warnings,
        not_entered=len(report.findings) - len(entered),
        answer=report.answer,
        origin=origin,
    )


def gates(report: Report, policy: Policy) -> tuple[QualityGate, ...]:
    """The four gates: coverage, unsupported rate, critical claims without support, contradictions."""
    covered, missing = coverage(report, policy), unsupported_rate(report, policy)
    critical = sum(
        finding.claim.importance is Importance.CRITICAL and ledger_verdict(finding, policy) is LedgerVerdict.NOT_FOUND
        for finding in report.findings
    )
    contradicted = sum(ledger_verdict(finding, policy) is LedgerVerdict.CONTRADICTED for finding in report.findings)
    floor, ceiling = policy.coverage_floor, policy.unsupported_ceiling
    return (
        QualityGate("coverage", None if covered is None else covered >= floor, covered, floor, "revise"),
        QualityGate(
            "unsupported_rate", None if missing is None else missing <= ceiling, missing, ceiling, "mark clearly"
        ),
        QualityGate("critical_unsupported", critical == 0, float(critical), 0.0, "revise"),
        QualityGate("contradictions", contradicted == 0, float(contradicted), 0.0, "revise"),
    )


def _is_open(finding: Finding, policy: Policy) -> bool:
    weighty = finding.claim.importance is not Importance.MINOR
    return weighty and ledger_verdict(finding, policy) in (LedgerVerdict.NOT_FOUND, LedgerVerdict.CONTRADICTED)


def _follow_up(finding: Finding, policy: Policy) -> str:
    if ledger_verdict(finding, policy) is LedgerVerdict.CONTRADICTED:
        return f"Which is right, the answer or the source: “{finding.text}”?"
    return f"Which source says: “{finding.text}”?"


def level_confidence(
    support: Support | str, similarities: Sequence[float] = (), *, inferred: bool = False, policy: Policy | None = None
) -> float:
    """How sure a level is, given the similarity of each source that shows it.

    A contradiction counts like full support: both are a definite reading of the source. Nothing found is 0, whatever
    was looked at.

    >>> level_confidence("full", [0.9])
    0.9
    >>> level_confidence("partial", [0.5, 0.5, 0.5], inferred=True)
    0.6
    """
    rules = policy or Policy()
    level = Support(support)
    if level is Support.NONE:
        return 0.0
    value = rules.level_partial if level is Support.PARTIAL else rules.level_full
    further = min(max(len(similarities) - 1, 0), rules.level_most_sources)
    value += rules.level_further_source * further
    if similarities and sum(similarities) / len(similarities) > rules.level_close:
        value += rules.level_close_bonus
    if inferred:
        value -= rules.level_inferred
    return round(min(max(value, 0.0), 1.0), 6)
