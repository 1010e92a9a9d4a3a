"""The words the lattice uses: the two forms, what can be wrong, and how a claim ends up."""

from __future__ import annotations

from enum import StrEnum


class Form(StrEnum):
    """How an answer writes its citations."""

    POINTER = "pointer"
    JSON = "json"


class ViolationKind(StrEnum):
    """Everything a rule can find; each member is found by the rule file of the same name."""

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
CLAIM_FAILURES = (
    ViolationKind.SCHEMA_INVALID,
    ViolationKind.MANUAL_QUOTE_VIOLATION,
    ViolationKind.NO_EVIDENCE_POINTER,
)

# What stops one pointer of a claim from being verified.
PAIR_FAILURES = (
    ViolationKind.UNKNOWN_EVIDENCE_ID,
    ViolationKind.SOURCE_ROLE_BLOCKED,
    ViolationKind.CITATION_MISMATCH,
)

# The same failing under the name each form gives it.
OVERFLOW = {Form.POINTER: ViolationKind.POINTER_OVERFLOW_TRIMMED, Form.JSON: ViolationKind.TOO_MANY_EVIDENCE_IDS}
