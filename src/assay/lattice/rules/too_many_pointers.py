"""A claim that cites everything cites nothing: the first pointers are kept, all are counted."""

from __future__ import annotations

from collections.abc import Iterator

from assay.lattice.case import Case
from assay.lattice.kinds import OVERFLOW
from assay.lattice.result import Violation


def find(case: Case) -> Iterator[Violation]:
    for claim in case.claims:
        if claim.trimmed:
            kept = len(claim.pointers)
            message = f"{kept + len(claim.trimmed)} pointers; kept {', '.join(claim.pointers)}"
            yield Violation(
                OVERFLOW[case.draft.form],
                claim.idx,
                message,
                claims=(claim.idx,),
                kept_pointers=claim.pointers,
                dropped_pointers=claim.trimmed,
            )
