"""What a repair is made of and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.codec import Json, encode, encode_fields
from assay.llm.prices import total_usd
from assay.types import Document, Evidence, Passage, Report, Span

if TYPE_CHECKING:
    from assay.abstention import Abstention
    from assay.epistemic import ResolvedResponse
    from assay.ledger import EvidenceLedger
    from assay.repair.skeptic import SuggestedCorrection

NO_IMPROVEMENT = "NO_IMPROVEMENT"
UNSUPPORTED_CLAIMS = "UNSUPPORTED_CLAIMS"
CAVEAT = " (not confirmed by the sources)"
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

    def to_dict(self) -> Json:
        span: Json = encode(self.span)
        return encode_fields(self, without=("span",)) | span


@dataclass(frozen=True, slots=True)
class RepairBudget:
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

    def to_dict(self) -> Json:
        return encode_fields(self, without=("report",)) | {"verdict": self.report.verdict.value}


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

    def to_dict(self) -> Json:
        added = [Evidence.cite(p.document, p.start, p.end, similarity=p.similarity) for p in self.evidence_added]
        known = encode_fields(self, "changed", "cost_usd", without=("original", "evidence_added"))
        return known | {"evidence_added": encode(added)}


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

    def to_dict(self) -> Json:
        return encode_fields(self, without=("draft", "sources", "seconds")) | {
            "sources": [{"id": d.id, "title": d.title, "sha256": d.sha256} for d in self.sources],
            "seconds": round(self.seconds, 3),
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

    def to_dict(self) -> Json:
        shown = encode_fields(self, without=("report", "show_claims"))
        return shown | ({"claims": encode(self.report.findings)} if self.show_claims else {})


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

    def to_dict(self) -> Json:
        shown = [
            {"document_id": p.document_id, "title": p.document.title, "start": p.start, "end": p.end, "text": p.text}
            for p in self.sources
        ]
        return encode_fields(self, without=("attempts", "sources")) | {"content": self.answer, "sources": shown}
