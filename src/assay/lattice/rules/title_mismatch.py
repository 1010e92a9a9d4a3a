"""No title of a cited source shares a content word with the claim: the source is about something else."""

from __future__ import annotations

from collections.abc import Iterator

from assay.lattice.case import Case, CitedClaim
from assay.lattice.kinds import ViolationKind
from assay.lattice.result import Violation


def find(case: Case) -> Iterator[Violation]:
    for claim in case.resolving:
        if _is_mismatched(claim):
            titles = ", ".join(repr(item.title[:60]) for item in claim.cited if item.title)
            message = f"nothing in the claim is in the title {titles}"
            yield Violation(ViolationKind.TITLE_MISMATCH, claim.idx, message, claims=(claim.idx,))


def _is_mismatched(claim: CitedClaim) -> bool:
    """A source whose title has no content word ("FAQ", a file name, none) says nothing either way."""
    titles = [item.title_words for item in claim.cited]
    return all(titles) and not any(claim.features.stems & title for title in titles)
