"""What an epistemic check says about a claim and about a whole response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.codec import Json, decode_fields, encode, encode_fields
from assay.epistemic.bits import GAP_CAP_BITS
from assay.types import Evidence, Importance, Span, Verdict
from assay.views import GapType

WEIGHTS = {Importance.CRITICAL: 3.0, Importance.MATERIAL: 2.0, Importance.MINOR: 1.0}
UNKNOWN = 0.5  # what a claim that was not checked, or could not be, counts for: nobody knows


@dataclass(frozen=True, slots=True)
class ClaimVerification:
    """How far the evidence carries one claim, and how far the claim hangs on it.

    `evidence_support`, `evidence_dependence` and `consistency_score` lie between 0 and 1 and are None where the check
    failed (`verdict` is ERROR and `flag_reason` says why): a failed check is neither a good nor a bad one. `spans` is
    where the claim stands in the response, `checked_by` what judged it. `doubt` says why a claim that is not flagged
    may not hold all the same: its support is likely, but below the threshold.
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
    doubt: str = ""

    def __post_init__(self) -> None:
        for name in ("evidence_support", "evidence_dependence", "consistency_score", "evidence_gap_bits"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, round(value, 6))  # finer is noise, and JSON shows no more

    @property
    def text(self) -> str:
        return self.claim_text

    @property
    def critical(self) -> bool:
        return self.importance is Importance.CRITICAL

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ClaimVerification:
        """The same verification again from its stored form, also from one of an earlier version."""
        critical = Importance.CRITICAL if data.get("critical") else Importance.MINOR
        return decode_fields(cls, {"importance": critical.value, **data})

    def to_dict(self) -> Json:
        return encode_fields(self, "critical")


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

    def to_dict(self) -> Json:
        names = ("claim_id", "claim_text", "gap_type", "gap_bits", "suggested_action")
        return {name: encode(getattr(self, name)) for name in names}


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
        """The claims that hold."""
        settled = (claim for claim in self.claims if claim.verdict is not Verdict.NOT_CHECKABLE)
        return sum(not (claim.is_flagged or claim.doubt) for claim in settled)

    @property
    def doubtful_claims(self) -> int:
        return sum(bool(claim.doubt) for claim in self.claims)

    @property
    def flagged_claims(self) -> int:
        return sum(claim.is_flagged and claim.verdict is not Verdict.ERROR for claim in self.claims)

    @property
    def errors(self) -> int:
        return sum(claim.verdict is Verdict.ERROR for claim in self.claims)

    @property
    def all_clear(self) -> bool:
        """Whether something was checked, nothing was left out or failed to be, and nothing is flagged or doubtful."""
        problems = self.left_out + self.flagged_claims + self.doubtful_claims + self.errors
        return bool(self.verified_claims) and not problems

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
        whole = sum(weight * worth for weight, worth in parts)
        return round(whole / sum(weight for weight, _ in parts), 6)

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

    def to_dict(self) -> Json:
        return encode_fields(self, *_DERIVED)


_DERIVED = (
    "verified_claims",
    "flagged_claims",
    "doubtful_claims",
    "errors",
    "all_clear",
    "overall_confidence",
    "lowest_support",
    "max_gap_bits",
    "has_critical_gaps",
)


def _worth(claim: ClaimVerification) -> float | None:
    """What a claim counts for in the confidence of its response."""
    if claim.evidence_support is None or not claim.is_flagged:
        return claim.evidence_support
    return min(claim.evidence_support, max(0.0, 1.0 - claim.evidence_gap_bits / GAP_CAP_BITS))
