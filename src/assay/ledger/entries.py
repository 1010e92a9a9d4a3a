"""The evidence ledger of one answer: an entry for each claim, a summary, gates and risk flags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.policy import Policy
from assay.types import Evidence, Finding, Importance, Report, RiskFlag
from assay.views import LedgerVerdict, coverage, ledger_verdict, unsupported_rate


@dataclass(frozen=True)
class Entry:
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
    def of(cls, finding: Finding, policy: Policy) -> Entry:
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
class Gate:
    """One condition an answer must meet before it may be called done."""

    name: str
    passed: bool | None
    value: float | None
    bound: float
    otherwise: str


@dataclass(frozen=True)
class Origin:
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
    entries: tuple[Entry, ...]
    coverage: float | None
    unsupported_rate: float | None
    gates: tuple[Gate, ...]
    risk_flags: tuple[RiskFlag, ...]
    follow_up: tuple[str, ...]
    warnings: tuple[str, ...]
    not_entered: int
    answer: str = ""
    origin: Origin | None = None

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


def ledger_of(report: Report, policy: Policy | None = None, origin: Origin | None = None) -> EvidenceLedger:
    """The ledger of a report; claims that are not checkable or in error are counted, not entered."""
    rules = policy or Policy()
    entered = [finding for finding in report.findings if ledger_verdict(finding, rules) is not None]
    return EvidenceLedger(
        question=report.question,
        entries=tuple(Entry.of(finding, rules) for finding in entered),
        coverage=coverage(report, rules),
        unsupported_rate=unsupported_rate(report, rules),
        gates=gates(report, rules),
        risk_flags=report.risk_flags,
        follow_up=tuple(_follow_up(finding, rules) for finding in entered if _open(finding, rules)),
        warnings=report.warnings,
        not_entered=len(report.findings) - len(entered),
        answer=report.answer,
        origin=origin,
    )


def gates(report: Report, policy: Policy) -> tuple[Gate, ...]:
    """The four gates: coverage, unsupported rate, critical claims without support, contradictions."""
    covered, missing = coverage(report, policy), unsupported_rate(report, policy)
    critical = sum(
        finding.claim.importance is Importance.CRITICAL and ledger_verdict(finding, policy) is LedgerVerdict.NOT_FOUND
        for finding in report.findings
    )
    contradicted = sum(ledger_verdict(finding, policy) is LedgerVerdict.CONTRADICTED for finding in report.findings)
    floor, ceiling = policy.coverage_floor, policy.unsupported_ceiling
    return (
        Gate("coverage", None if covered is None else covered >= floor, covered, floor, "revise"),
        Gate("unsupported_rate", None if missing is None else missing <= ceiling, missing, ceiling, "mark clearly"),
        Gate("critical_unsupported", critical == 0, float(critical), 0.0, "revise"),
        Gate("contradictions", contradicted == 0, float(contradicted), 0.0, "revise"),
    )


def _open(finding: Finding, policy: Policy) -> bool:
    weighty = finding.claim.importance is not Importance.MINOR
    return weighty and ledger_verdict(finding, policy) in (LedgerVerdict.NOT_FOUND, LedgerVerdict.CONTRADICTED)


def _follow_up(finding: Finding, policy: Policy) -> str:
    if ledger_verdict(finding, policy) is LedgerVerdict.CONTRADICTED:
        return f"Which is right, the answer or the source: “{finding.text}”?"
    return f"Which source says: “{finding.text}”?"
