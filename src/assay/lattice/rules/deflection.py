"""What is verified never mentions what the question is about; only claims count, not the excerpts beside them."""

from __future__ import annotations

from collections.abc import Iterator

from assay.lattice.case import Case
from assay.lattice.kinds import ViolationKind
from assay.lattice.question import Asks
from assay.lattice.result import Violation

# A good answer to these need not repeat the subject: "It was in 1889."
EXEMPT = frozenset({Asks.TIME, Asks.COUNT, Asks.CAUSE})


def find(case: Case) -> Iterator[Violation]:
    question = case.question
    if question is None or not question.subject or question.asks in EXEMPT or not case.resolving:
        return
    if not any(question.subject in claim.features.stems for claim in case.resolving):
        message = f"no verified claim mentions {question.subject!r}, which the question is about"
        yield Violation(ViolationKind.DEFLECTION_DETECTED, None, message, absent_tokens=(question.subject,))
