"""A source whose role is not allowed cannot carry a claim."""

from __future__ import annotations

from collections.abc import Iterator

from assay.lattice.case import Case
from assay.lattice.kinds import ViolationKind
from assay.lattice.result import Violation


def find(case: Case) -> Iterator[Violation]:
    for claim in case.claims:
        for item in claim.objects:
            if item is not None and item.source_role not in case.allowed_roles:
                message = f"{item.pointer_id} is a {item.source_role}, which may not carry a claim"
                yield Violation(ViolationKind.SOURCE_ROLE_BLOCKED, claim.idx, message, item.pointer_id, (claim.idx,))
