"""The runs behind the reports of a repair or a chat, so that they can be recorded without being judged again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.engine import Engine, Request, Run

if TYPE_CHECKING:
    from assay.types import Report


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
        """The run that gave this very report."""
        return next((run for run in self._runs if run.report is report), None)
