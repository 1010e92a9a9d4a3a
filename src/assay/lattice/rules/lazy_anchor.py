"""One pointer pasted behind most claims is a habit, not a citation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assay.lattice.case import Case
from assay.lattice.kinds import ViolationKind
from assay.lattice.result import Violation


def find(case: Case) -> Iterator[Violation]:
    counts = Counter(pointer for claim in case.resolving for pointer in claim.pointers)
    pairs = counts.total()
    if not counts or pairs < case.policy.lazy_anchor_pairs:
        return
    pointer, count = counts.most_common(1)[0]
    if count / pairs >= case.policy.lazy_anchor_share:
        leaning = tuple(claim.idx for claim in case.resolving if pointer in claim.pointers)
        message = f"{pointer[:40]} carries {count} of {pairs} pairs"
        yield Violation(ViolationKind.LAZY_ANCHOR_DEMOTE, None, message, pointer, leaning, ratio=count / pairs)
