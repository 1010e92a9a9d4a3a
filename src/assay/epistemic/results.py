"""What an epistemic check says about a claim and about a whole response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.types import Evidence, Importance, Span, Stance, Verdict
from assay.views import GapType

WEIGHTS = {Importance.CRITICAL: 3.0, Importance.MATERIAL: 2.0, Importance.MINOR: 1.0}
UNKNOWN = 0.5  # what a claim that was not checked, or could not be, counts for: nobody knows
CAP_BITS = 10.0


@dataclass(frozen=True, slots=True)
class ClaimVerification:
    """How far the evidence carries one claim, and how far the claim hangs on it.

    `evidence_support`, `evidence_dependence` and `consistency_score` lie between 0 and 1 and are None where the check
    failed (`verdict` is ERROR and `flag_reason` says why): a failed check is neither a good nor a bad one. `spans` is
    where the claim stands in the response, `checked_by` what judged it.
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
    importance: Importance = Importance.MINOR
    cost_usd: float | None = 0.0
    spans: tuple[Span, ...] = ()
    checked_by: str = ""

    @property
    def text(self) -> str:
        return self.claim_text

    @property
    def critical(self) -> bool:
        return self.importance is Importance.CRITICAL

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ClaimVerification:
        """The same verification again from its stored form, also from one of an earlier version."""
        evidence = tuple(Evidence(**{**item, "stance": Stance(item["stance"])}) for item in data["evidence"])
        gap = data["gap_type"]
        critical = Importance.CRITICAL if data.get("critical") else Importance.MINOR
        changed = {
            "evidence_ids": tuple(data["evidence_ids"]),
            "decorative": tuple(data["decorative"]),
            "verdict": Verdict(data["verdict"]),
            "gap_type": None if gap is None else GapType(gap),
            "evidence": evidence,
            "importance": Importance(data.get("importance", critical)),
            "spans": tuple(Span(item["start"], item["end"]) for item in data.get("spans", ())),
        }
        return cls(**{name: value for name, value in data.items() if name != "critical"} | changed)

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
            "importance": self.importance.value,
            "critical": self.critical,
            "cost_usd": self.cost_usd,
            "spans": [{"start": span.start, "end": span.end} for span in self.spans],
            "checked_by": self.checked_by,
        }


@dataclass(frozen=True, slots=True)
class EpistemicGap:
    """What is missing between a claim and its evidence, and what to do about it."""

    claim: ClaimVerification
    gap_type: GapType
    gap_bits: float
    suggested_action: str

    @property
    def claim_id(self) -> str:
        return self.claim.claim_id

    @property
    def claim_text(self) -> str:
        return self.claim.claim_text

    def to_dict(self) -> dict[str, Any]:
        return {
            "claim_id": self.claim_id,
            "claim_text": self.claim_text,
            "gap_type": self.gap_type.value,
            "gap_bits": round(self.gap_bits, 6),
            "suggested_action": self.suggested_action,
        }


@dataclass(frozen=True, slots=True)
class HallucinationReport:
    """The claims of a response, their gaps, and whether it should be written again.

    `skipped` says why nothing was checked; then there is no confidence, neither a high nor a low one. `left_out` are
    the checkable claims that were not looked at. `response_id` is the caller's, or the beginning of the text's hash.
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
    response_id: str = ""

    @property
    def verified_claims(self) -> int:
        return sum(not claim.is_flagged and claim.verdict is not Verdict.NOT_CHECKABLE for claim in self.claims)

    @property
    def flagged_claims(self) -> int:
        return sum(claim.is_flagged and claim.verdict is not Verdict.ERROR for claim in self.claims)

    @property
    def errors(self) -> int:
        return sum(claim.verdict is Verdict.ERROR for claim in self.claims)

    @property
    def all_clear(self) -> bool:
        """Whether something was checked, nothing was left out or failed to be, and nothing is flagged."""
        return bool(self.verified_claims) and not (self.left_out or self.flagged_claims or self.errors)

    @property
    def overall_confidence(self) -> float | None:
        """The support of the claims, critical ones weighing three times and material ones twice; None if none has any.

        A flagged claim counts for no more than its gap leaves of it, one that was not checked, or whose check failed,
        for 0.5: nobody knows.
        """
        scored = [(WEIGHTS[c.importance], _worth(c)) for c in self.claims if c.verdict is not Verdict.NOT_CHECKABLE]
        if all(worth is None for _, worth in scored):
            return None
        parts = [(weight, UNKNOWN if worth is None else worth) for weight, worth in scored]
        parts += [(WEIGHTS[Importance.MINOR], UNKNOWN)] * self.left_out
        return sum(weight * worth for weight, worth in parts) / sum(weight for weight, _ in parts)

    @property
    def lowest_support(self) -> float | None:
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
            "response_id": self.response_id,
            "total_claims": self.total_claims,
            "verified_claims": self.verified_claims,
            "flagged_claims": self.flagged_claims,
            "errors": self.errors,
            "not_checkable": self.not_checkable,
            "left_out": self.left_out,
            "skipped": self.skipped,
            "all_clear": self.all_clear,
            "claims": [claim.to_dict() for claim in self.claims],
            "gaps": [gap.to_dict() for gap in self.gaps],
            "overall_confidence": _rounded(self.overall_confidence),
            "lowest_support": _rounded(self.lowest_support),
            "max_gap_bits": round(self.max_gap_bits, 6),
            "has_critical_gaps": self.has_critical_gaps,
            "should_retry": self.should_retry,
            "retry_guidance": self.retry_guidance,
            "cost": dict(self.cost),
            "model": self.model,
        }


def _worth(claim: ClaimVerification) -> float | None:
    """What a claim counts for in the confidence of its response."""
    if claim.evidence_support is None or not claim.is_flagged:
        return claim.evidence_support
    return min(claim.evidence_support, max(0.0, 1.0 - claim.evidence_gap_bits / CAP_BITS))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
