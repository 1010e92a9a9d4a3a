"""What an epistemic check says about a claim and about a whole response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.types import Evidence, Stance, Verdict
from assay.views import GapType


@dataclass(frozen=True, slots=True)
class ClaimVerification:
    """How far the evidence carries one claim, and how far the claim hangs on it.

    `evidence_support`, `evidence_dependence` and `consistency_score` lie between 0 and 1 and are None where the check
    failed (`verdict` is ERROR and `flag_reason` says why): a failed check is neither a good nor a bad one.
    """

    claim_id: str
    claim_text: str
    evidence_ids: tuple[str, ...] = ()
    evidence_support: float | None = None
    evidence_dependence: float | None = None
    consistency_score: float | None = None
    confidence_justified: bool = False
    evidence_gap_bits: float = 0.0
    is_flagged: bool = False
    flag_reason: str = ""
    verdict: Verdict = Verdict.INSUFFICIENT
    gap_type: GapType | None = None
    explanation: str = ""
    evidence: tuple[Evidence, ...] = ()
    decorative: tuple[str, ...] = ()
    critical: bool = False
    cost_usd: float | None = 0.0

    @property
    def text(self) -> str:
        return self.claim_text

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ClaimVerification:
        """The same verification again from its stored form."""
        evidence = tuple(Evidence(**{**item, "stance": Stance(item["stance"])}) for item in data["evidence"])
        gap = data["gap_type"]
        changed = {
            "evidence_ids": tuple(data["evidence_ids"]),
            "decorative": tuple(data["decorative"]),
            "verdict": Verdict(data["verdict"]),
            "gap_type": None if gap is None else GapType(gap),
            "evidence": evidence,
        }
        return cls(**{**data, **changed})

    def to_dict(self) -> dict[str, Any]:
        return {
            "claim_id": self.claim_id,
            "claim_text": self.claim_text,
            "evidence_ids": list(self.evidence_ids),
            "evidence_support": _rounded(self.evidence_support),
            "evidence_dependence": _rounded(self.evidence_dependence),
            "consistency_score": _rounded(self.consistency_score),
            "confidence_justified": self.confidence_justified,
            "evidence_gap_bits": round(self.evidence_gap_bits, 6),
            "is_flagged": self.is_flagged,
            "flag_reason": self.flag_reason,
            "verdict": self.verdict.value,
            "gap_type": None if self.gap_type is None else self.gap_type.value,
            "explanation": self.explanation,
            "evidence": [item.to_dict() for item in self.evidence],
            "decorative": list(self.decorative),
            "critical": self.critical,
            "cost_usd": self.cost_usd,
        }


@dataclass(frozen=True, slots=True)
class EpistemicGap:
    """What is missing between a claim and its evidence, and what to do about it."""

    claim: ClaimVerification
    gap_type: GapType
    gap_bits: float
    suggested_action: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "claim_id": self.claim.claim_id,
            "claim": self.claim.claim_text,
            "gap_type": self.gap_type.value,
            "gap_bits": round(self.gap_bits, 6),
            "suggested_action": self.suggested_action,
        }


@dataclass(frozen=True, slots=True)
class HallucinationReport:
    """The claims of a response, their gaps, and whether it should be written again.

    `skipped` says why nothing was checked; then there is no confidence, neither a high nor a low one.
    """

    total_claims: int = 0
    claims: tuple[ClaimVerification, ...] = ()
    gaps: tuple[EpistemicGap, ...] = ()
    not_checkable: int = 0
    left_out: int = 0
    skipped: str | None = None
    should_retry: bool = False
    retry_guidance: str = ""
    cost: Mapping[str, Any] = field(default_factory=dict)
    model: str = ""

    @property
    def verified_claims(self) -> int:
        return sum(not claim.is_flagged for claim in self.claims)

    @property
    def flagged_claims(self) -> int:
        return sum(claim.is_flagged and claim.verdict is not Verdict.ERROR for claim in self.claims)

    @property
    def errors(self) -> int:
        return sum(claim.verdict is Verdict.ERROR for claim in self.claims)

    @property
    def overall_confidence(self) -> float | None:
        """The lowest support of any claim that was scored; None when none was."""
        return min((c.evidence_support for c in self.claims if c.evidence_support is not None), default=None)

    @property
    def max_gap_bits(self) -> float:
        return max((gap.gap_bits for gap in self.gaps), default=0.0)

    @property
    def has_critical_gaps(self) -> bool:
        """Whether a critical claim has a gap, or could not be checked."""
        return any(claim.critical and claim.is_flagged for claim in self.claims)

    def to_dict(self) -> dict[str, Any]:
        return {
            "total_claims": self.total_claims,
            "verified_claims": self.verified_claims,
            "flagged_claims": self.flagged_claims,
            "errors": self.errors,
            "not_checkable": self.not_checkable,
            "left_out": self.left_out,
            "skipped": self.skipped,
            "claims": [claim.to_dict() for claim in self.claims],
            "gaps": [gap.to_dict() for gap in self.gaps],
            "overall_confidence": _rounded(self.overall_confidence),
            "max_gap_bits": round(self.max_gap_bits, 6),
            "has_critical_gaps": self.has_critical_gaps,
            "should_retry": self.should_retry,
            "retry_guidance": self.retry_guidance,
            "cost": dict(self.cost),
            "model": self.model,
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
