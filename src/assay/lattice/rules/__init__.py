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

RULES: tuple[Rule, ...] = (
    unknown_evidence_id.find,
    source_role_blocked.find,
    citation_mismatch.find,
    schema_invalid.find,
    manual_quote.find,
    no_evidence_pointer.find,
    too_many_pointers.find,
    too_many_claims.find,
    lazy_anchor.find,
    warrant_missing.find,
    title_mismatch.find,
    subject_tokens_absent.find,
    deflection.find,
    format_collapsed.find,
)
"""Every rule, in the order their violations are reported for a claim."""

NEEDS_QUESTION: dict[str, Rule] = {
    "SUBJECT_TOKENS_ABSENT": subject_tokens_absent.find,
    "DEFLECTION_DETECTED": deflection.find,
}
"""The rules that cannot look without a question."""
