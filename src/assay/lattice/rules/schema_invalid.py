"""What is not a claim: unreadable JSON, a tag without text, a bare name, a field of the wrong type."""

from __future__ import annotations

from collections.abc import Iterator

from assay.lattice.case import Case, CitedClaim
from assay.lattice.kinds import ViolationKind
from assay.lattice.names import is_bare_name
from assay.lattice.result import Violation


def find(case: Case) -> Iterator[Violation]:
    if case.draft.unreadable:
        yield Violation(ViolationKind.SCHEMA_INVALID, None, f"the answer cannot be read: {case.draft.unreadable}")
    elif not case.claims:
        yield Violation(ViolationKind.SCHEMA_INVALID, None, "the answer makes no claim")
    for claim in case.claims:
        if claim.idx in case.malformed:
            yield Violation(ViolationKind.SCHEMA_INVALID, claim.idx, _reason(case, claim), claims=(claim.idx,))


def _reason(case: Case, claim: CitedClaim) -> str:
    if claim.problem:
        return f"this is not a claim: {claim.problem}"
    if not claim.text.strip():
        return "there is no text beside the pointer"
    if is_bare_name(claim.text):
        return "a bare name is not a claim"
    return f"a claim has at least {case.policy.lattice_min_content} content words; this has {len(claim.features.stems)}"
