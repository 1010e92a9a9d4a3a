"""Refocus: ask again with the doubtful claims and the evidence on them in front."""

from __future__ import annotations

from collections.abc import Sequence

from assay.repair.case import Case, Proposal
from assay.repair.score import critical_gaps
from assay.repair.writer import Draft, Writer
from assay.types import Document, Finding, Passage

REFOCUS_LIMIT = 2  # times a repair asks again with the flagged claims in front


class Refocus:
    """For a claim on which the answer hangs and which its evidence does not carry."""

    name = "refocus"

    def applies(self, case: Case) -> bool:
        if not case.may_rewrite or case.used(self.name) >= REFOCUS_LIMIT:
            return False
        return bool(critical_gaps(case.report))

    def propose(self, case: Case) -> Proposal | None:
        draft = write_with_evidence_first(case, critical_gaps(case.report))
        return None if draft.refused else Proposal(draft.text, draft.cost_usd)


def write_with_evidence_first(case: Case, doubtful: Sequence[Finding], added: Sequence[Passage] = ()) -> Draft:
    """Another draft: the places that speak about the doubtful claims come first, then what was found, then the rest."""
    assert case.generator is not None
    documents = {document.id: document for document in case.report.documents}
    first = [
        passage
        for finding in doubtful
        for item in finding.evidence
        if (passage := _around(documents.get(item.document), item.start, item.end)) is not None
    ]
    first = list({(passage.document.id, passage.start): passage for passage in first}.values())
    rest = [p for p in (*added, *case.shown) if all(p.document.id != f.document.id or p.start > f.start for f in first)]
    return Writer(case.generator, case.policy).draft(
        case.question or case.answer,
        (*first, *rest)[: case.policy.writer_passages + len(added)],
        "refocus",
        doubts="\n".join(f"- {finding.text} ({finding.explanation})" for finding in doubtful),
    )


def _around(document: Document | None, start: int, end: int) -> Passage | None:
    """The quote with the paragraph it stands in: a sentence alone often does not say what it is about."""
    if document is None:
        return None
    first = document.text.rfind("\n", 0, start) + 1
    last = document.text.find("\n", end)
    return Passage(document, first, len(document.text) if last < 0 else last, reason="evidence")
