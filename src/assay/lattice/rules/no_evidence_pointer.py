"""A claim that cites nothing."""

from __future__ import annotations

from collections.abc import Iterator

from assay.lattice.case import Case
from assay.lattice.kinds import ViolationKind
from assay.lattice.result import Violation


def find(case: Case) -> Iterator[Violation]:
    for claim in case.claims:
        if not claim.pointers:
            message = "the claim cites no evidence"
            yield Violation(ViolationKind.NO_EVIDENCE_POINTER, claim.idx, message, claims=(claim.idx,))
