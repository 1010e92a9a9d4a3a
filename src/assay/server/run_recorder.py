"""The runs behind the reports of a repair or a chat, so that they can be recorded without being judged again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assay.engine import Engine, Request, Run

if TYPE_CHECKING:
    from assay.types import Claim, Judgement, Report


class RunRecorder(Engine):
    """An engine for one request that keeps its runs: a repair or a chat returns reports, the ledger records runs."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.policy, engine.judged_by, monitor=engine.monitor, cache=engine.cache)
        self._runs: list[Run] = []

    def run(self, request: Request) -> Run:
        run = super().run(request)
        self._runs.append(run)
        return run

    def run_of(self, report: Report) -> Run | None:
        """The run that gave a report; a caveat in its answer was not read then, and is in the report all the same."""
        run = next((run for run in reversed(self._runs) if _judged(run.report) == _judged(report)), None)
        return None if run is None else replace(run, report=report)


def _judged(report: Report) -> tuple[int, list[tuple[Claim, Judgement]]]:
    return len(report.answer), [(finding.claim, finding.judgement) for finding in report.findings]
