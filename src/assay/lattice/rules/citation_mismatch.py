"""A cited text that shares too few content words with the claim is not about it."""

from __future__ import annotations

from collections.abc import Iterator

from assay.lattice.case import Case
from assay.lattice.kinds import ViolationKind
from assay.lattice.result import Violation


def find(case: Case) -> Iterator[Violation]:
    for claim in case.claims:
        if claim.idx in case.malformed:
            continue
        stems = claim.features.stems
        for item in claim.cited:
            shared = len(stems & item.features.stems)
            if len(stems) <= case.policy.lattice_short_claim:
                enough = shared >= 1
            else:
                enough = shared / len(stems) >= case.policy.lattice_coverage
            if not enough:
                message = f"{item.pointer_id} holds {shared} of the claim's {len(stems)} content words"
                yield Violation(
                    ViolationKind.CITATION_MISMATCH,
                    claim.idx,
                    message,
                    item.pointer_id,
                    (claim.idx,),
                    absent_tokens=tuple(sorted(stems - item.features.stems)),
                    ratio=shared / len(stems),
                )
