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
    """A source without a title says nothing either way; a title that shares only a stop word shares nothing."""
    titles = [item.title_words for item in claim.cited if item.title.strip()]
    return bool(titles) and not any(_shares(claim, title) for title in titles)


def _shares(claim: CitedClaim, title: frozenset[str]) -> bool:
    """Short words are only looked at when the longer ones do not settle it."""
    return not claim.features.stems.isdisjoint(title) or not claim.features.words.isdisjoint(title)
