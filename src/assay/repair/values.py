"""What a repair is made of and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.llm.prices import total_usd
from assay.types import Document, Evidence, Passage, Report, Span

if TYPE_CHECKING:
    from assay.abstention import Abstention
    from assay.epistemic import ResolvedResponse
    from assay.ledger import EvidenceLedger
    from assay.repair.suggest import SuggestedCorrection

NO_IMPROVEMENT = "NO_IMPROVEMENT"
UNSUPPORTED_CLAIMS = "UNSUPPORTED_CLAIMS"
COST_UNKNOWN = "COST_UNKNOWN: the price of the model is not listed, so the money budget was not kept"


@dataclass(frozen=True, slots=True)
class Edit:
    """One change to an answer: `answer[span]`, which was `old`, becomes `new`; `evidence` is what the source says."""

    kind: str
    span: Span
    old: str
    new: str
    reason: str
    evidence: Evidence | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "start": self.span.start,
            "end": self.span.end,
            "old": self.old,
            "new": self.new,
            "reason": self.reason,
            "evidence": self.evidence.to_dict() if self.evidence else None,
        }


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a repair may take; what is None is taken from the policy."""

    attempts: int | None = None
    usd: float | None = None


@dataclass(frozen=True)
class Attempt:
    """One try at a better answer, with the engine's report on it; `confidence` is that of `answer_confidence`."""

    strategy: str
    answer: str
    report: Report
    confidence: float | None
    improved: bool
    cost_usd: float | None = 0.0
    edits: tuple[Edit, ...] = ()
    objections: tuple[str, ...] = ()
    problem: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "strategy": self.strategy,
            "answer": self.answer,
            "verdict": self.report.verdict.value,
            "confidence": self.confidence,
            "improved": self.improved,
            "cost_usd": self.cost_usd,
            "edits": [edit.to_dict() for edit in self.edits],
            "objections": list(self.objections),
            "problem": self.problem,
        }


@dataclass(frozen=True)
class RepairResult:
    """The best attempt, how it came about, and why the loop stopped.

    `stopped` is `nothing to do`, `success`, `attempts`, `cost`, `no improvement` or `nothing left to try`.
    """

    original: str
    answer: str
    report: Report
    attempts: tuple[Attempt, ...] = ()
    warnings: tuple[str, ...] = ()
    evidence_added: tuple[Passage, ...] = ()
    stopped: str = ""
    edits: tuple[Edit, ...] = ()

    @property
    def changed(self) -> bool:
        return self.answer != self.original

    @property
    def cost_usd(self) -> float | None:
        """What the attempts cost; None if the price of one is not known."""
        return total_usd(attempt.cost_usd for attempt in self.attempts)

    @property
    def real_attempts(self) -> int:
        """The attempts in which another answer was written; one that had nothing to propose is none."""
        return sum(not attempt.problem for attempt in self.attempts)

    def to_dict(self) -> dict[str, Any]:
        return {
            "answer": self.answer,
            "changed": self.changed,
            "stopped": self.stopped,
            "warnings": list(self.warnings),
            "edits": [edit.to_dict() for edit in self.edits],
            "attempts": [attempt.to_dict() for attempt in self.attempts],
            "evidence_added": [
                Evidence.cite(p.document, p.start, p.end, similarity=p.similarity).to_dict()
                for p in self.evidence_added
            ],
            "cost_usd": self.cost_usd,
            "report": self.report.to_dict(),
        }


@dataclass(frozen=True)
class Asked:
    """A question's outcome: an answer of which every claim was verified, or an abstention; never both, never neither.

    `draft` is what the writer first wrote, before verification and repair, and `objections` what the skeptic said about
    it; they are for study, not for readers.
    """

    question: str
    answer: str | None
    report: Report
    ledger: EvidenceLedger
    abstention: Abstention | None
    attempts: tuple[Attempt, ...] = ()
    seconds: float = 0.0
    draft: str = ""
    sources: tuple[Document, ...] = ()
    warnings: tuple[str, ...] = ()
    run_id: str | None = None
    objections: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "answer": self.answer,
            "abstention": self.abstention.to_dict() if self.abstention else None,
            "report": self.report.to_dict(),
            "ledger": self.ledger.to_dict(),
            "sources": [{"id": d.id, "title": d.title, "sha256": d.sha256} for d in self.sources],
            "attempts": [attempt.to_dict() for attempt in self.attempts],
            "warnings": list(self.warnings),
            "objections": list(self.objections),
            "seconds": round(self.seconds, 3),
            "run_id": self.run_id,
        }


@dataclass(frozen=True)
class Verification:
    """What is said about an answer in the chat view; a confidence of None means that nothing could be checked.

    `crag_attempts` counts the answers that corrective retrieval wrote, `model` is what judged.
    """

    confidence: float | None
    level: str | None
    is_grounded: bool | None
    claims_checked: int
    claims_supported: int
    crag_attempts: int
    report: Report
    show_claims: bool = False
    suggested_corrections: tuple[SuggestedCorrection, ...] = ()
    model: str = ""

    def to_dict(self) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "confidence": self.confidence,
            "level": self.level,
            "is_grounded": self.is_grounded,
            "claims_checked": self.claims_checked,
            "claims_supported": self.claims_supported,
            "crag_attempts": self.crag_attempts,
            "suggested_corrections": [one.to_dict() for one in self.suggested_corrections],
            "model": self.model,
        }
        if self.show_claims:
            shown["claims"] = [finding.to_dict() for finding in self.report.findings]
        return shown


@dataclass(frozen=True)
class Chat:
    """A reply in a conversation, the verification of it if that was wanted, and what it leaned on.

    `model` wrote it, `epistemic` is the outcome of the epistemic checks, if they were made.
    """

    answer: str
    verification: Verification | None
    sources: tuple[Passage, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    warnings: tuple[str, ...] = ()
    model: str = ""
    workspace: str = ""
    epistemic: ResolvedResponse | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "answer": self.answer,
            "content": self.answer,
            "model": self.model,
            "workspace": self.workspace,
            "verification": self.verification.to_dict() if self.verification else None,
            "epistemic": self.epistemic.to_dict() if self.epistemic else None,
            "sources": [
                {
                    "document_id": p.document_id,
                    "title": p.document.title,
                    "start": p.start,
                    "end": p.end,
                    "text": p.text,
                }
                for p in self.sources
            ],
            "warnings": list(self.warnings),
        }
