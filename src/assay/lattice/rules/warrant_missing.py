"""The words the claim turns on (a name, a year, a count) stand in none of the spans it cites."""

from __future__ import annotations

from collections.abc import Iterator

from assay.lattice.case import Case
from assay.lattice.kinds import ViolationKind
from assay.lattice.result import Violation


def find(case: Case) -> Iterator[Violation]:
    for idx, gap in case.gaps.items():
        if not gap.chained:
            words = "; ".join(f"{kind.value}: {', '.join(anchors)}" for kind, anchors in gap.missing.items())
            anchors = tuple(anchor for of_class in gap.missing.values() for anchor in of_class)
            message = f"not in the cited text: {words}"
            yield Violation(ViolationKind.WARRANT_MISSING, idx, message, claims=(idx,), missing_anchors=anchors)
