"""The values of a lattice verification: forms, violations, claim statuses, and the frozen result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from assay.codec import Json, encode_fields
from assay.lattice.evidence_map import EvidenceObject
from assay.types import AuditMode, Span


class AnswerForm(StrEnum):
    """How an answer writes its citations."""

    POINTER = "pointer"
    JSON = "json"


class ViolationKind(StrEnum):
    """Everything a rule can find; each member is the name of the rule that finds it."""

    UNKNOWN_EVIDENCE_ID = "UNKNOWN_EVIDENCE_ID"
    SOURCE_ROLE_BLOCKED = "SOURCE_ROLE_BLOCKED"
    CITATION_MISMATCH = "CITATION_MISMATCH"
    SCHEMA_INVALID = "SCHEMA_INVALID"
    MANUAL_QUOTE_VIOLATION = "MANUAL_QUOTE_VIOLATION"
    NO_EVIDENCE_POINTER = "NO_EVIDENCE_POINTER"
    POINTER_OVERFLOW_TRIMMED = "POINTER_OVERFLOW_TRIMMED"
    TOO_MANY_EVIDENCE_IDS = "TOO_MANY_EVIDENCE_IDS"
    TOO_MANY_CLAIMS = "TOO_MANY_CLAIMS"
    LAZY_ANCHOR_DEMOTE = "LAZY_ANCHOR_DEMOTE"
    WARRANT_MISSING = "WARRANT_MISSING"
    TITLE_MISMATCH = "TITLE_MISMATCH"
    SUBJECT_TOKENS_ABSENT = "SUBJECT_TOKENS_ABSENT"
    DEFLECTION_DETECTED = "DEFLECTION_DETECTED"
    FORMAT_COLLAPSED = "FORMAT_COLLAPSED"
    ENTAILMENT_REFUTED = "ENTAILMENT_REFUTED"


class ClaimStatus(StrEnum):
    """Where one claim stands with its pointers."""

    EVIDENCE_LINKED = "EVIDENCE_LINKED"
    EVIDENCE_LINKED_PARTIAL = "EVIDENCE_LINKED_PARTIAL"
    SCHEMA_INVALID = "SCHEMA_INVALID"
    MANUAL_QUOTE_VIOLATION = "MANUAL_QUOTE_VIOLATION"
    NO_EVIDENCE_POINTER = "NO_EVIDENCE_POINTER"
    UNKNOWN_EVIDENCE_ID = "UNKNOWN_EVIDENCE_ID"
    SOURCE_ROLE_BLOCKED = "SOURCE_ROLE_BLOCKED"
    CITATION_MISMATCH = "CITATION_MISMATCH"


# What stops a claim from being linked at all, the gravest first.
CLAIM_FAILURES = (ViolationKind.SCHEMA_INVALID, ViolationKind.MANUAL_QUOTE_VIOLATION, ViolationKind.NO_EVIDENCE_POINTER)

# What stops one pointer of a claim from being verified.
PAIR_FAILURES = (ViolationKind.UNKNOWN_EVIDENCE_ID, ViolationKind.SOURCE_ROLE_BLOCKED, ViolationKind.CITATION_MISMATCH)

# The same failing under the name each form gives it.
OVERFLOW = {
    AnswerForm.POINTER: ViolationKind.POINTER_OVERFLOW_TRIMMED,
    AnswerForm.JSON: ViolationKind.TOO_MANY_EVIDENCE_IDS,
}

SECTIONS = VERIFIED, PARTLY_VERIFIED, UNVERIFIED = ("Verified", "Partly verified", "Unverified")


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing a rule found: about one claim, or about the whole answer (`claim_idx` is None).

    `claims` are the claims concerned: the one claim, or those that make up a finding about the answer. What the message
    says in words stands in the fields below it: `ratio` is the share of words or pairs that a limit was compared with.
    """

    kind: ViolationKind
    claim_idx: int | None
    message: str
    pointer_id: str | None = None
    claims: tuple[int, ...] = ()
    missing_anchors: tuple[str, ...] = ()
    absent_tokens: tuple[str, ...] = ()
    kept_pointers: tuple[str, ...] = ()
    dropped_pointers: tuple[str, ...] = ()
    ratio: float | None = None

    def to_dict(self) -> Json:
        return encode_fields(self) | {"ratio": None if self.ratio is None else round(self.ratio, 6)}


class Pair(NamedTuple):
    """A claim and one pointer it rests on; the evidence id is None when the pointer names nothing."""

    claim_idx: int
    pointer_id: str
    evidence_id: str | None
    verified: bool


@dataclass(frozen=True, slots=True)
class Link:
    """One kept pointer of a claim and the evidence it names."""

    pointer_id: str
    evidence: EvidenceObject | None
    failure: ViolationKind | None = None

    @property
    def verified(self) -> bool:
        return self.evidence is not None and self.failure is None


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim with its links; `span` is its place in the answer, `trimmed` the pointers beyond the limit."""

    idx: int
    text: str
    span: Span
    status: ClaimStatus
    links: tuple[Link, ...]
    trimmed: tuple[str, ...] = ()

    @property
    def evidence(self) -> tuple[EvidenceObject, ...]:
        """The objects whose link is verified."""
        return tuple(link.evidence for link in self.links if link.evidence is not None and link.verified)

    @property
    def verified(self) -> bool:
        """Whether every pointer the claim cites holds."""
        return self.status is ClaimStatus.EVIDENCE_LINKED and all(link.verified for link in self.links)

    @property
    def units(self) -> int:
        """What the claim adds to the denominator: every pointer it cites, or one when it cites none."""
        return len(self.links) + len(self.trimmed) or 1


# What is written into the JSON of a result besides its fields.
_FIGURES = (
    "n_quotes n_verified unverified_quotes partially_verified verifier_method claim_statuses pointer_id_distribution "
    "claim_indices"
).split()


@dataclass(frozen=True)
class LatticeResult:
    """A verified lattice answer."""

    form: AnswerForm
    audit_mode: AuditMode
    rung: str
    claims: tuple[CheckedClaim, ...]
    violations: tuple[Violation, ...]
    json_fixups: tuple[str, ...] = ()
    warrant_chain_claims: tuple[int, ...] = ()
    checks_skipped: tuple[str, ...] = ()

    @property
    def n_quotes(self) -> int:
        return sum(claim.units for claim in self.claims)

    @property
    def n_verified(self) -> int:
        return sum(link.verified for claim in self.claims for link in claim.links)

    @property
    def verifier_method(self) -> str:
        return self.form.value

    @property
    def unverified_quotes(self) -> tuple[str, ...]:
        """The texts of the claims of which no pointer is verified."""
        return tuple(claim.text for claim in self.claims if self.section_of(claim) == UNVERIFIED)

    @property
    def partially_verified(self) -> tuple[str, ...]:
        """The texts of the claims of which some pointer is verified and another is not, or to which a rule objects."""
        return tuple(claim.text for claim in self.claims if self.section_of(claim) == PARTLY_VERIFIED)

    @cached_property
    def _doubted(self) -> frozenset[int | None]:
        return frozenset(violation.claim_idx for violation in self.violations)

    def section_of(self, claim: CheckedClaim) -> str:
        """Verified: every pointer holds and no rule objects. Unverified: no pointer holds. Partly: the rest."""
        if not claim.evidence:
            return UNVERIFIED
        return VERIFIED if claim.verified and claim.idx not in self._doubted else PARTLY_VERIFIED

    @property
    def claim_statuses(self) -> tuple[ClaimStatus, ...]:
        return tuple(claim.status for claim in self.claims)

    @property
    def evidence_id_pairs(self) -> tuple[Pair, ...]:
        return tuple(
            Pair(claim.idx, link.pointer_id, link.evidence.evidence_id if link.evidence else None, link.verified)
            for claim in self.claims
            for link in claim.links
        )

    @property
    def pointer_id_distribution(self) -> dict[str, int]:
        """How many claims rest on each pointer, the most used first."""
        return dict(Counter(link.pointer_id for claim in self.claims for link in claim.links).most_common())

    @property
    def lazy_anchor_ratio(self) -> float:
        """The share of the pairs of linked claims that the most used pointer carries; 0 when there is no pair."""
        counts = Counter(link.pointer_id for claim in self.claims if claim.evidence for link in claim.links)
        return max(counts.values()) / counts.total() if counts else 0.0

    @cached_property
    def claim_indices(self) -> Mapping[str, tuple[int, ...]]:
        """For every check, the claims it found something about; empty where it found nothing."""
        found: dict[str, set[int]] = {kind.value: set() for kind in ViolationKind}
        for violation in self.violations:
            found[violation.kind.value].update(violation.claims)
        return {kind: tuple(sorted(indices)) for kind, indices in found.items()}

    @property
    def format_collapsed(self) -> bool:
        return self.has(ViolationKind.FORMAT_COLLAPSED)

    def has(self, kind: ViolationKind) -> bool:
        return any(violation.kind is kind for violation in self.violations)

    @cached_property
    def rendered_text(self) -> str:
        """The claims with literal excerpts in three sections: verified, partly verified, unverified."""
        from assay.lattice.render import render_claims

        return render_claims(self)

    def __str__(self) -> str:
        return f"{self.audit_mode.value} · {self.rung} · {self.n_verified} of {self.n_quotes} verified"

    def to_dict(self) -> Json:
        return encode_fields(self, *_FIGURES, without=("claims",)) | {
            "claims": [
                {"idx": c.idx, "text": c.text, "status": c.status.value} | encode_fields(c.span) for c in self.claims
            ],
            "evidence_id_pairs": [pair._asdict() for pair in self.evidence_id_pairs],
            "lazy_anchor_ratio": round(self.lazy_anchor_ratio, 6),
            "rendered_text": self.rendered_text,
        }
