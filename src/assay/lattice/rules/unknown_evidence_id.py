"""A pointer that names nothing in the evidence map was invented."""

from __future__ import annotations

from collections.abc import Iterator

from assay.lattice.case import Case
from assay.lattice.kinds import ViolationKind
from assay.lattice.result import Violation


def find(case: Case) -> Iterator[Violation]:
    for claim in case.claims:
        for pointer, item in zip(claim.pointers, claim.objects, strict=True):
            if item is None:
                message = f"{pointer[:40]!r} is not in the evidence map"
                yield Violation(ViolationKind.UNKNOWN_EVIDENCE_ID, claim.idx, message, pointer, (claim.idx,))
