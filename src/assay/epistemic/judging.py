"""Assay's own judges as referees: no language model, no cost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from assay.epistemic.opinion import NO_EVIDENCE, Opinion, probability
from assay.judges import Judge, make_judge
from assay.policy import Policy
from assay.types import Claim, Document, Verdict


class JudgeReferee:
    """Weighs claims with the judge of the engine, in a thread of its own so that several can be weighed at once."""

    def __init__(self, judge: str | Judge = "cascade", policy: Policy | None = None) -> None:
        self.policy = policy or Policy()
        self.judge = make_judge(judge, self.policy) if isinstance(judge, str) else judge

    @property
    def name(self) -> str:
        return f"{getattr(self.judge, 'model', self.judge.name)}:{self.policy.sha256[:16]}"

    async def weigh(self, claim: Claim, documents: Sequence[Document], question: str | None = None) -> Opinion:
        return await asyncio.to_thread(self.weigh_now, claim, documents, question)

    def weigh_now(self, claim: Claim, documents: Sequence[Document], question: str | None = None) -> Opinion:
        """The same, at once; a judge that fails gives a failed opinion, never a guess."""
        from assay.engine.gathering import collect_evidence
        from assay.judges.asking import ask

        filled = [document for document in documents if document.text.strip()]
        if not filled:
            return NO_EVIDENCE
        whole = getattr(self.judge, "reads_whole", False)
        passages = collect_evidence([claim], filled, (), self.policy, whole=whole).passages
        judgement = ask(self.judge, [claim], passages, question, self.policy).judgements[0]
        if judgement.verdict in (Verdict.ERROR, Verdict.NOT_CHECKABLE):
            return Opinion(None, judgement.verdict, judgement.explanation)
        return Opinion(
            probability(judgement),
            judgement.verdict,
            judgement.explanation,
            judgement.evidence,
            judgement.violations,
            judgement.support,
        )
