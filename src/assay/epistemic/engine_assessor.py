"""The engine as assessor: the same judging as everywhere else, no language model, no cost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from assay.engine import Engine, Request
from assay.epistemic.assessment import NO_EVIDENCE, Assessment, probability
from assay.types import Claim, Document, Span, Verdict


class EngineAssessor:
    """Asks the engine, in a thread of its own so that several claims can be judged at once."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def name(self) -> str:
        return f"{self.engine.model}:{self.engine.policy.sha256[:16]}"

    async def assess(self, claim: Claim, documents: Sequence[Document], question: str | None = None) -> Assessment:
        return await asyncio.to_thread(self.assess_now, claim, documents, question)

    def assess_now(self, claim: Claim, documents: Sequence[Document], question: str | None = None) -> Assessment:
        """The same, at once; a judge that fails gives a failed assessment, never a guess."""
        filled = [document for document in documents if document.text.strip()]
        if not filled:
            return NO_EVIDENCE
        # What the claim cites was settled before: these documents are all that it is judged by.
        stated = replace(claim, spans=(Span(0, len(claim.text)),), citations=(), alignment=())
        request = Request(claim.text, filled, question, claims=(stated,))
        judgement = self.engine.unwatched().run(request).report.findings[0].judgement
        if judgement.verdict in (Verdict.ERROR, Verdict.NOT_CHECKABLE):
            return Assessment(None, judgement.verdict, judgement.explanation)
        return Assessment(
            probability(judgement),
            judgement.verdict,
            judgement.explanation,
            judgement.evidence,
            judgement.violations,
            judgement.support,
            chance=judgement.support_probability,
        )
