"""The evidence ledger of one answer: an entry for each claim, a summary, quality gates and risk flags."""

from __future__ import annotations

from dataclasses import dataclass

from assay.codec import Json, encode_fields, schema_of_fields, shape_of
from assay.policy import Policy
from assay.types import Evidence, Finding, Importance, Kind, Report, RiskFlag, Span
from assay.views import LedgerVerdict, ledger_verdict

VERSION = 1
_JSON = ("origin", "question", "answer", "summary", "gates", "entries", "risk_flags", "follow_up", "warnings")


@dataclass(frozen=True)
class LedgerEntry:
    """One claim as a ledger shows it."""

    claim: str
    kind: Kind
    importance: Importance
    verdict: LedgerVerdict | None
    confidence: float
    receipts: tuple[Evidence, ...]
    notes: tuple[str, ...]
    spans: tuple[Span, ...]

    @classmethod
    def of(cls, finding: Finding) -> LedgerEntry:
        notes = [finding.explanation, *finding.marks, *finding.violations, *finding.claim.warnings]
        return cls(
            claim=finding.text,
            kind=finding.claim.kind,
            importance=finding.claim.importance,
            verdict=ledger_verdict(finding),
            confidence=finding.confidence,
            receipts=finding.evidence,
            notes=tuple(note for note in notes if note),
            spans=finding.spans,
        )


@dataclass(frozen=True)
class QualityGate:
    """One condition an answer must meet before it may be called done."""

    name: str
    passed: bool | None
    value: float | None
    bound: float
    otherwise: str


@dataclass(frozen=True)
class CitedDocument:
    """A document that a run was made from."""

    id: str
    title: str
    sha256: str


@dataclass(frozen=True)
class LedgerSummary:
    """The claims of a ledger by verdict, those that were not entered, and the shares that the gates look at."""

    claims: int
    not_entered: int
    verdicts: dict[str, int]
    coverage: float | None
    unsupported_rate: float | None


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
    documents: tuple[CitedDocument, ...] = ()


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

    @property
    def summary(self) -> LedgerSummary:
        return LedgerSummary(len(self.entries), self.not_entered, self.counts, self.coverage, self.unsupported_rate)

    def to_dict(self) -> Json:
        shown = encode_fields(self, "summary")
        return {"version": VERSION} | {name: shown[name] for name in _JSON}

    @classmethod
    def schema(cls) -> Json:
        """The published JSON Schema of the JSON export."""
        known = schema_of_fields(cls, "summary")["properties"]
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Evidence ledger"} | shape_of(
            {"version": {"const": VERSION}} | {name: known[name] for name in _JSON}
        )


def ledger_of(report: Report, policy: Policy | None = None, origin: RunOrigin | None = None) -> EvidenceLedger:
    """The ledger of a report; claims that are not checkable or in error are counted, not entered."""
    rules = policy or Policy()
    entered = [finding for finding in report.findings if ledger_verdict(finding) is not None]
    return EvidenceLedger(
        question=report.question,
        entries=tuple(LedgerEntry.of(finding) for finding in entered),
        coverage=report.coverage,
        unsupported_rate=report.unsupported_rate,
        gates=gates(report, rules),
        risk_flags=report.risk_flags,
        follow_up=tuple(_follow_up(finding) for finding in entered if _is_open(finding)),
        warnings=report.warnings,
        not_entered=len(report.findings) - len(entered),
        answer=report.answer,
        origin=origin,
    )


def gates(report: Report, policy: Policy) -> tuple[QualityGate, ...]:
    """The four gates: coverage, unsupported rate, critical claims without support, contradictions."""
    covered, missing = report.coverage, report.unsupported_rate
    critical = sum(
        finding.claim.importance is Importance.CRITICAL and ledger_verdict(finding) is LedgerVerdict.NOT_FOUND
        for finding in report.findings
    )
    contradicted = sum(ledger_verdict(finding) is LedgerVerdict.CONTRADICTED for finding in report.findings)
    floor, ceiling = policy.coverage_floor, policy.unsupported_ceiling
    return (
        QualityGate("coverage", None if covered is None else covered >= floor, covered, floor, "revise"),
        QualityGate(
            "unsupported_rate", None if missing is None else missing <= ceiling, missing, ceiling, "mark clearly"
        ),
        QualityGate("critical_unsupported", critical == 0, float(critical), 0.0, "revise"),
        QualityGate("contradictions", contradicted == 0, float(contradicted), 0.0, "revise"),
    )


def _is_open(finding: Finding) -> bool:
    weighty = finding.claim.importance is not Importance.MINOR
    return weighty and ledger_verdict(finding) in (LedgerVerdict.NOT_FOUND, LedgerVerdict.CONTRADICTED)


def _follow_up(finding: Finding) -> str:
    if ledger_verdict(finding) is LedgerVerdict.CONTRADICTED:
        return f"Which is right, the answer or the source: “{finding.text}”?"
    return f"Which source says: “{finding.text}”?"
