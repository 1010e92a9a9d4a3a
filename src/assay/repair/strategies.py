"""Ways to better an answer; `STRATEGIES` is the order in which they are tried. Those without a model are in `edit`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from assay.errors import GeneratorError
from assay.llm.prices import total_usd
from assay.policy import decide_action
from assay.repair.case import Case, Proposal, Strategy, paragraph_at
from assay.repair.edit import MinimalEdit
from assay.repair.options import RETRIEVE_LIMIT
from assay.repair.score import answer_confidence, critical_gaps, decide_revision, failing
from assay.repair.skeptic import instruct, object_by_model, object_by_rule
from assay.repair.writer import Draft, Writer
from assay.text.quantities import find_quantities
from assay.text.tokens import is_stop_word, stem, tokenize
from assay.types import Action, Finding, Passage, Support, Verdict

REFOCUS_LIMIT = 2  # times a repair asks again with the flagged claims in front
QUERIES = 3  # queries of one search for further evidence: the claims most in need
_TEMPERATURE = 0.7  # other sampling, once the other prompt has been tried


class Retrieve:
    """Corrective retrieval: looks for evidence on the claims that lack it, and writes again from it."""

    name = "retrieve"

    def __init__(self, *, threshold: float | None = None, limit: int = RETRIEVE_LIMIT) -> None:
        self.threshold, self.limit = threshold, limit

    def applies(self, case: Case) -> bool:
        """Whether the answer is not sure enough, or nothing that was shown speaks for or against a claim."""
        if case.memory is None or case.generator is None or case.used(self.name) >= self.limit:
            return False
        confidence = answer_confidence(case.report)
        threshold = case.policy.repair_confidence if self.threshold is None else self.threshold
        return (confidence is None or confidence < threshold) or any(
            not finding.evidence or (finding.verdict is Verdict.INSUFFICIENT and finding.support is Support.NONE)
            for finding in failing(case.report)
        )

    def propose(self, case: Case) -> Proposal | None:
        """Another answer from what was found; from what was shown already, put in front, where nothing new was."""
        added, doubtful = self.search(case), failing(case.report)
        if case.may_rewrite and doubtful:
            draft = write_with_evidence_first(case, doubtful, added)
        elif added:
            draft = _write(case, "writer", (*added, *case.shown)[: len(added) + case.policy.writer_passages])
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
        for item in chain.from_iterable(case.memory.retrieve_all(wanted, case.policy.passages_per_claim)):
            if (key := (item.document.sha256, item.start)) not in known:
                found.setdefault(key, item.passage)
        return tuple(found.values())[: case.policy.writer_passages]


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


class Revise:
    """The writer gets one instruction for each claim, and the skeptic's objections.

    For too low a coverage, a critical claim that was not found, or a contradiction.
    """

    name = "revise"

    def applies(self, case: Case) -> bool:
        return case.may_rewrite and decide_revision(case.report, case.used(self.name), case.policy).revise

    def propose(self, case: Case) -> Proposal | None:
        assert case.generator is not None
        question = case.question or "(none was given)"
        cost: float | None = 0.0
        ruled = object_by_rule(case.report, case.policy)
        if case.objections and not any(attempt.improved for attempt in case.attempts):
            # What was said about the first draft still holds while nothing better was written.
            added = tuple(line for line in case.objections if line not in ruled)
        else:
            try:
                added, cost = object_by_model(case.generator, question, case.answer, case.shown, case.policy)
            except GeneratorError:  # the rules alone are enough to revise by
                added = ()
        miscited = [f for f in case.report.findings if f.verdict is Verdict.SUPPORTED and f.violations]
        tasks = [instruct(finding) for finding in (*failing(case.report), *miscited)]
        instructions = "\n".join(f"- {line}" for line in (*tasks, *added))
        draft = Writer(case.generator, case.policy).draft(
            question, case.shown, "revise", answer=case.answer, instructions=instructions
        )
        objections = tuple(dict.fromkeys((*ruled, *added)))
        spent = total_usd((cost, draft.cost_usd))
        return None if draft.refused else Proposal(draft.text, spent, objections=objections)


class Branch:
    """The whole answer written again, by another prompt and then by other sampling.

    For a sure refutation, or where the evidence does not settle a claim.
    """

    name = "branch"

    def applies(self, case: Case) -> bool:
        used = case.used(self.name)
        if not case.may_rewrite or used >= case.policy.max_branches:
            return False
        actions = (decide_action(f.verdict, f.confidence, used, policy=case.policy) for f in case.report.findings)
        return Action.BRANCH in actions

    def propose(self, case: Case) -> Proposal | None:
        used = case.used(self.name)
        prompt, temperature = ("writer", _TEMPERATURE) if used else ("branch", 0.0)
        draft = _write(case, prompt, case.shown, temperature=temperature, seed=used)
        return None if draft.refused else Proposal(draft.text, draft.cost_usd)


class Refocus:
    """Asks again with the doubtful claims and the evidence on them in front.

    For a claim on which the answer hangs and which its evidence does not carry.
    """

    name = "refocus"

    def applies(self, case: Case) -> bool:
        return case.may_rewrite and case.used(self.name) < REFOCUS_LIMIT and bool(critical_gaps(case.report))

    def propose(self, case: Case) -> Proposal | None:
        draft = write_with_evidence_first(case, critical_gaps(case.report))
        return None if draft.refused else Proposal(draft.text, draft.cost_usd)


def write_with_evidence_first(case: Case, doubtful: Sequence[Finding], added: Sequence[Passage] = ()) -> Draft:
    """Another draft: the places that speak about the doubtful claims come first, then what was found, then the rest."""
    documents = {document.id: document for document in case.report.documents}
    quoted = [
        paragraph_at(documents[item.document], item.start, item.end)
        for finding in doubtful
        for item in finding.evidence
        if item.document in documents
    ]
    first = list({(passage.document.id, passage.start): passage for passage in quoted}.values())
    rest = [p for p in (*added, *case.shown) if all(p.document.id != f.document.id or p.start > f.start for f in first)]
    doubts = "\n".join(f"- {finding.text} ({finding.explanation})" for finding in doubtful)
    return _write(case, "refocus", (*first, *rest)[: case.policy.writer_passages + len(added)], doubts=doubts)


def _write(case: Case, prompt: str, shown: Sequence[Passage], **options: Any) -> Draft:
    assert case.generator is not None
    return Writer(case.generator, case.policy).draft(case.question or case.answer, shown, prompt, **options)


# What costs nothing first; taking words out of an answer last.
STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "correct": lambda: MinimalEdit(drop=False),
    "retrieve": Retrieve,
    "revise": Revise,
    "branch": Branch,
    "refocus": Refocus,
    "edit": MinimalEdit,
}
