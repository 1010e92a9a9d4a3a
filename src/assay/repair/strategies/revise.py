"""Revise: the writer gets one instruction for each claim, and the skeptic's objections."""

from __future__ import annotations

from assay.errors import GeneratorError
from assay.llm.prices import total_usd
from assay.repair.case import Case, Proposal
from assay.repair.score import decide_revision, failing
from assay.repair.skeptic import instruct, object_by_model, object_by_rule
from assay.repair.writer import Writer
from assay.types import Verdict


class Revise:
    """For too low a coverage, a critical claim that was not found, or a contradiction."""

    name = "revise"

    def applies(self, case: Case) -> bool:
        if not case.may_rewrite:
            return False
        return decide_revision(case.report, case.used(self.name), case.policy).revise

    def propose(self, case: Case) -> Proposal | None:
        assert case.generator is not None
        question = case.question or "(none was given)"
        ruled = object_by_rule(case.report, case.policy)
        cost: float | None
        known = case.objections if not any(attempt.improved for attempt in case.attempts) else ()
        try:
            # What was said about the first draft still holds while nothing better was written.
            added, cost = (
                (tuple(line for line in known if line not in ruled), 0.0)
                if known
                else object_by_model(case.generator, question, case.answer, case.shown, case.policy)
            )
        except GeneratorError:  # the rules alone are enough to revise by
            added, cost = (), 0.0
        miscited = [f for f in case.report.findings if f.verdict is Verdict.SUPPORTED and f.violations]
        tasks = [instruct(finding) for finding in (*failing(case.report), *miscited)]
        draft = Writer(case.generator, case.policy).draft(
            question,
            case.shown,
            "revise",
            answer=case.answer,
            instructions="\n".join(f"- {line}" for line in (*tasks, *added)),
        )
        if draft.refused:
            return None
        return Proposal(
            draft.text, total_usd((cost, draft.cost_usd)), objections=tuple(dict.fromkeys((*ruled, *added)))
        )
