"""The rules, one a file, each named for the failure it finds and each a function from a case to violations."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from assay.lattice.case import Case
from assay.lattice.result import Violation
from assay.lattice.rules import (
    citation_mismatch,
    deflection,
    format_collapsed,
    lazy_anchor,
    manual_quote,
    no_evidence_pointer,
    schema_invalid,
    source_role_blocked,
    subject_tokens_absent,
    title_mismatch,
    too_many_claims,
    too_many_pointers,
    unknown_evidence_id,
    warrant_missing,
)

Rule = Callable[[Case], Iterable[Violation]]

POINTER_RULES: dict[str, Rule] = {
    "UNKNOWN_EVIDENCE_ID": unknown_evidence_id.find,
    "SOURCE_ROLE_BLOCKED": source_role_blocked.find,
    "CITATION_MISMATCH": citation_mismatch.find,
    "SCHEMA_INVALID": schema_invalid.find,
    "MANUAL_QUOTE_VIOLATION": manual_quote.find,
    "NO_EVIDENCE_POINTER": no_evidence_pointer.find,
    "POINTER_OVERFLOW_TRIMMED": too_many_pointers.find,
}
"""The rules that say which claims and pointers are verified, in the order their violations are reported."""

ANSWER_RULES: dict[str, Rule] = {
    "TOO_MANY_CLAIMS": too_many_claims.find,
    "LAZY_ANCHOR_DEMOTE": lazy_anchor.find,
    "WARRANT_MISSING": warrant_missing.find,
    "TITLE_MISMATCH": title_mismatch.find,
    "SUBJECT_TOKENS_ABSENT": subject_tokens_absent.find,
    "DEFLECTION_DETECTED": deflection.find,
    "FORMAT_COLLAPSED": format_collapsed.find,
}
"""The rules that look at what is verified, and at the answer as a whole."""

OPTIONAL = ("CITATION_MISMATCH", "MANUAL_QUOTE_VIOLATION", *ANSWER_RULES)
"""The checks that can be left out; the others are what a pointer means."""

NEEDS_QUESTION = ("SUBJECT_TOKENS_ABSENT", "DEFLECTION_DETECTED")
"""The rules that cannot look without a question."""
