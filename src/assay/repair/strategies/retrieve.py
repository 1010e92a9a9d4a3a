"""Retrieve (corrective retrieval): look for evidence on the claims that lack it, and write again from it."""

from __future__ import annotations

from assay.repair.case import Case, Proposal
from assay.repair.options import RETRIEVE_LIMIT
from assay.repair.score import answer_confidence, failing
from assay.repair.strategies.refocus import write_with_evidence_first
from assay.repair.writer import Writer
from assay.text.quantities import find_quantities
from assay.text.tokens import is_stop_word, stem, tokenize
from assay.types import Finding, Passage, Support, Verdict

QUERIES = 3  # queries of one search for further evidence: the claims most in need


class Retrieve:
    """For an answer that is not sure enough, or claims without evidence."""

    name = "retrieve"

    def __init__(self, *, threshold: float | None = None, limit: int | None = None) -> None:
        self.threshold, self.limit = threshold, limit

    def applies(self, case: Case) -> bool:
        limit = RETRIEVE_LIMIT if self.limit is None else self.limit
        if case.memory is None or case.generator is None or case.used(self.name) >= limit:
            return False
        confidence = answer_confidence(case.report)
        threshold = case.policy.repair_confidence if self.threshold is None else self.threshold
        unsure = confidence is None or confidence < threshold
        return unsure or any(map(_lacks_evidence, failing(case.report)))

    def propose(self, case: Case) -> Proposal | None:
        """Another answer from what was found; from what was shown already, put in front, where nothing new was."""
        assert case.generator is not None
        added, doubtful = self.search(case), failing(case.report)
        if case.may_rewrite and doubtful:
            draft = write_with_evidence_first(case, doubtful, added)
        elif added:
            shown = (*added, *case.shown)[: len(added) + case.policy.writer_passages]
            draft = Writer(case.generator, case.policy).draft(case.question or case.answer, shown)
        else:
            return None
        return None if draft.refused else Proposal(draft.text, draft.cost_usd, added=added)

    def search(self, case: Case) -> tuple[Passage, ...]:
        """Passages that were not shown yet, for the claims most in need of them."""
        assert case.memory is not None
        shown = " ".join(f"{passage.document.title} {passage.text}" for passage in case.shown)
        queries = [missing_query(finding, shown, case.question) for finding in failing(case.report)]
        wanted = list(dict.fromkeys(queries or [case.question or case.answer]))[:QUERIES]
        known = {(passage.document.sha256, passage.start) for passage in case.shown}
        found: dict[tuple[str, int], Passage] = {}
        for row in case.memory.retrieve_all(wanted, case.policy.passages_per_claim):
            for item in row:
                key = (item.document.sha256, item.start)
                if key not in known:
                    found.setdefault(key, item.passage)
        return tuple(found.values())[: case.policy.writer_passages]


def _lacks_evidence(finding: Finding) -> bool:
    """Whether nothing that was shown speaks for a claim, or against it."""
    return not finding.evidence or (finding.verdict is Verdict.INSUFFICIENT and finding.support is Support.NONE)


def missing_query(finding: Finding, shown: str, question: str | None = None) -> str:
    """What to look for: the claim's names, the words of it that nothing shown has, and the question's words.

    A value that a source contradicts is left out: looking for it would find what happens to have that value.
    """
    text = f"{finding.claim.context} {finding.text}".strip()
    disputed = [q.span for q in find_quantities(text)] if finding.verdict is Verdict.REFUTED else []
    held = {stem(token.text.lower()) for token in tokenize(shown)}
    words: dict[str, str] = {}
    for token in tokenize(text):
        root = stem(token.text.lower())
        if is_stop_word(token.text) or any(s.start < token.end and token.start < s.end for s in disputed):
            continue
        if root not in held or token.text[0].isupper():
            words.setdefault(root, token.text)
    for token in tokenize(question or ""):
        if not is_stop_word(token.text):
            words.setdefault(stem(token.text.lower()), token.text)
    return " ".join(words.values()) or finding.text
