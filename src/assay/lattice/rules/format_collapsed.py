"""Many long lines and not one pointer: the model has left the protocol and is writing prose."""

from __future__ import annotations

from collections.abc import Iterator

from assay.lattice.case import Case
from assay.lattice.kinds import ViolationKind
from assay.lattice.pointer import has_tag
from assay.lattice.result import Violation


def find(case: Case) -> Iterator[Violation]:
    if case.draft.unreadable:
        tagged = has_tag(case.draft.answer)
        lines = case.draft.answer.splitlines()
    else:
        tagged = any(claim.pointers for claim in case.claims)
        lines = [claim.text for claim in case.claims]
    long = sum(len(line.strip()) > case.policy.collapse_line_chars for line in lines)
    if not tagged and long >= case.policy.collapse_lines:
        message = f"{long} long lines and not one pointer: the citing format was abandoned"
        yield Violation(ViolationKind.FORMAT_COLLAPSED, None, message, claims=tuple(claim.idx for claim in case.claims))
