"""What was judged on the way to an answer, so that it can be recorded without being judged again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assay.engine import Engine, Run, Source

if TYPE_CHECKING:
    from assay.lattice.evidence_map import AnyEvidence
    from assay.types import Report


class Minutes(Engine):
    """An engine for one request that keeps its runs: a repair or a chat hands out reports, the ledger wants runs."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.policy, engine.judge, monitor=engine.monitor, cache=engine.cache)
        self._runs: list[Run] = []

    def run(
        self,
        answer: str,
        *,
        sources: Iterable[Source] | Source = (),
        question: str | None = None,
        evidence: AnyEvidence | None = None,
        branches: int = 0,
        inline: bool = False,
    ) -> Run:
        run = super().run(
            answer, sources=sources, question=question, evidence=evidence, branches=branches, inline=inline
        )
        self._runs.append(run)
        return run

    def run_of(self, report: Report) -> Run | None:
        """The run that gave this very report."""
        return next((run for run in self._runs if run.report is report), None)
