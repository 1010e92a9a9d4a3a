"""Branch: write the whole answer again, by another prompt and then by other sampling."""

from __future__ import annotations

from assay.policy import decide_action
from assay.repair.case import Case, Proposal
from assay.repair.writer import Writer
from assay.types import Action

_TEMPERATURE = 0.7  # other sampling, once the other prompt has been tried


class Branch:
    """For a sure refutation, or where the evidence does not settle a claim."""

    name = "branch"

    def applies(self, case: Case) -> bool:
        used = case.used(self.name)
        if not case.may_rewrite or used >= case.policy.max_branches:
            return False
        actions = (decide_action(f.verdict, f.confidence, used, policy=case.policy) for f in case.report.findings)
        return Action.BRANCH in actions

    def propose(self, case: Case) -> Proposal | None:
        assert case.generator is not None
        used = case.used(self.name)
        draft = Writer(case.generator, case.policy).draft(
            case.question or case.answer,
            case.shown,
            "branch" if used == 0 else "writer",
            temperature=_TEMPERATURE if used else 0.0,
            seed=used,
        )
        return None if draft.refused else Proposal(draft.text, draft.cost_usd)
