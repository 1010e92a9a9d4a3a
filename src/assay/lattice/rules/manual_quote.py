"""In JSON, quoting is the renderer's work: a double quote in a claim is the model's own, unproven quotation."""

from __future__ import annotations

from collections.abc import Iterator

from assay.lattice.case import Case
from assay.lattice.kinds import Form, ViolationKind
from assay.lattice.result import Violation

DOUBLE_QUOTES = frozenset('"“”„‟＂')


def find(case: Case) -> Iterator[Violation]:
    if case.draft.form is not Form.JSON:
        return
    for claim in case.claims:
        if not DOUBLE_QUOTES.isdisjoint(claim.text):
            message = "a claim is written without double quotes; excerpts are added from the source"
            yield Violation(ViolationKind.MANUAL_QUOTE_VIOLATION, claim.idx, message, claims=(claim.idx,))
