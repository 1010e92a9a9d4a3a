"""Retrieve (corrective retrieval): look for evidence on the claims that lack it, and write again from it."""

from __future__ import annotations

from assay.repair.case import Case, Proposal
from assay.repair.score import answer_confidence, failing
from assay.repair.writer import Writer
from assay.types import Passage


class Retrieve:
    """For an answer that is not sure enough, or claims without evidence."""

    name = "retrieve"

    def __init__(self, *, threshold: float | None = None, limit: int | None = None) -> None:
        self.threshold, self.limit = threshold, limit

    def applies(self, case: Case) -> bool:
        limit = case.policy.retrieve_limit if self.limit is None else self.limit
        if case.memory is None or case.generator is None or case.used(self.name) >= limit:
            return False
        confidence = answer_confidence(case.report)
        threshold = case.policy.repair_confidence if self.threshold is None else self.threshold
        unsure = confidence is None or confidence < threshold
        return unsure or any(not finding.evidence for finding in failing(case.report))

    def propose(self, case: Case) -> Proposal | None:
        assert case.generator is not None
        added = self.search(case)
        if not added:
            return None
        room = max(case.policy.writer_passages, len(added))
        shown = (*added, *case.shown)[: room + case.policy.writer_passages]
        draft = Writer(case.generator, case.policy).draft(case.question or case.answer, shown)
        return None if draft.refused else Proposal(draft.text, draft.cost_usd, added=added)

    def search(self, case: Case) -> tuple[Passage, ...]:
        """Passages that were not shown yet, for the claims most in need of them."""
        assert case.memory is not None
        queries = [f"{f.claim.context} {f.text}".strip() for f in failing(case.report)] or [
            case.question or case.answer
        ]
        wanted = queries[: case.policy.retrieve_queries]
        known = {(passage.document.sha256, passage.start) for passage in case.shown}
        found: dict[tuple[str, int], Passage] = {}
        for row in case.memory.retrieve_all(wanted, case.policy.passages_per_claim):
            for item in row:
                key = (item.document.sha256, item.start)
                if key not in known:
                    found.setdefault(key, item.passage)
        return tuple(found.values())[: case.policy.writer_passages]
