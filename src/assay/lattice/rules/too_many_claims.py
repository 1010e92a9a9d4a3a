"""An answer of very many claims was not written to be checked."""

from __future__ import annotations

from collections.abc import Iterator

from assay.lattice.case import Case
from assay.lattice.kinds import ViolationKind
from assay.lattice.result import Violation


def find(case: Case) -> Iterator[Violation]:
    limit = case.policy.lattice_max_claims
    if len(case.claims) > limit:
        beyond = tuple(claim.idx for claim in case.claims[limit:])
        message = f"{len(case.claims)} claims; at most {limit} belong in one answer"
        yield Violation(ViolationKind.TOO_MANY_CLAIMS, None, message, claims=beyond)
