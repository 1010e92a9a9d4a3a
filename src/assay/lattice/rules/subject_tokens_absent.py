"""The claim repeats the question's words, and its cited spans know nothing of them."""

from __future__ import annotations

from collections.abc import Iterator

from assay.lattice.case import Case
from assay.lattice.kinds import ViolationKind
from assay.lattice.result import Violation


def find(case: Case) -> Iterator[Violation]:
    if case.question is None or not case.policy.subject_tokens:
        return
    for claim in case.resolving:
        absent = (case.question.stems & claim.features.stems) - claim.span_stems
        if len(absent) >= case.policy.subject_tokens:
            message = f"the question's words are not in the cited text: {', '.join(sorted(absent))}"
            tokens = tuple(sorted(absent))
            yield Violation(
                ViolationKind.SUBJECT_TOKENS_ABSENT, claim.idx, message, claims=(claim.idx,), absent_tokens=tokens
            )
