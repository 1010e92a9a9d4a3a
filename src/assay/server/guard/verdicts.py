"""What the guard finds about an answer and what it does about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.server.guard.requests import Wish
from assay.server.minutes import Minutes
from assay.server.wire import with_memory
from assay.types import Finding, Report, Verdict

if TYPE_CHECKING:
    from assay.engine import Engine, Run
    from assay.memory import Memory
    from assay.server.routes.parts import Desk


@dataclass(frozen=True)
class Outcome:
    """The text a reader gets, why it ends, and the note that goes with it."""

    text: str
    finish_reason: str | None  # None: as the upstream said
    note: dict[str, Any]


class Bench:
    """Judges the answers to one request."""

    def __init__(self, desk: Desk, workspace: str, user: str, wish: Wish) -> None:
        self._desk, self._workspace, self._user, self.wish = desk, workspace, user, wish

    @property
    def engine(self) -> Engine:
        # Short outputs are checked too: whether an answer is streamed must not decide whether it is stopped.
        return self._desk.house.engine(self._workspace, self.wish.judge, {"exempt_tokens": 0})

    @property
    def memory(self) -> Memory | None:
        return self._desk.house.memory(self._workspace) if self.wish.origin == "memory" else None

    def judge(self, answer: str) -> tuple[Report, str | None]:
        """The report on an answer, and its place in the ledger if the server records."""
        sources = with_memory(self.wish.documents, self.memory)
        run = self.engine.run(answer, sources=sources, question=self.wish.question)
        return run.report, self.record(run.report, run)

    def record(self, report: Report, run: Run | None) -> str | None:
        """The place in the ledger of what was judged; an answer of no words has none."""
        self._desk.metrics.count(report)
        if not self._desk.settings.record or run is None or not report.answer:
            return None
        return self._desk.house.ledger(self._workspace).record(run, user=self._user, memory=self.memory)

    def settle(self, answer: str) -> Outcome:
        """What becomes of a whole answer in the request's mode."""
        report, run_id = self.judge(answer)
        wrong = refuted(report, self.engine.policy.halt_confidence)
        note = self.note(report, run_id)
        if self.wish.mode == "annotate" or not wrong:
            return Outcome(answer, None, note)
        if self.wish.mode == "repair":
            return self._repair(answer, report, run_id)
        if self.wish.mode == "hold":
            return Outcome(_before(answer, report, wrong[0]), "content_filter", note | _halt(wrong[0]))
        return self._abstain(report, note | _halt(wrong[0]))

    def note(self, report: Report, run_id: str | None) -> dict[str, Any]:
        shown = report.to_dict()
        return {
            "mode": self.wish.mode,
            "sources": self.wish.origin,
            "run_id": run_id,
            "verdict": shown["verdict"],
            "action": shown["action"],
            "confidence": shown["confidence"],
            "report": shown,
        }

    def _repair(self, answer: str, report: Report, run_id: str | None) -> Outcome:
        """The answer brought in line with its sources; an abstention when that fails."""
        from assay.repair import repair

        engine = Minutes(self.engine)
        result = repair(
            self.wish.question or "",
            answer,
            report,
            memory=self.memory,
            sources=list(self.wish.documents),
            engine=engine,
        )
        if result.report is not report:
            run_id = self.record(result.report, engine.run_of(result.report))
        note = self.note(result.report, run_id) | {
            "repaired": result.answer != answer,
            "attempts": [attempt.to_dict() for attempt in result.attempts],
        }
        wrong = refuted(result.report, self.engine.policy.halt_confidence)
        return self._abstain(result.report, note | _halt(wrong[0])) if wrong else Outcome(result.answer, None, note)

    def _abstain(self, report: Report, note: dict[str, Any]) -> Outcome:
        from assay.abstention import abstain

        abstention = abstain(report)
        return Outcome(abstention.text, "content_filter", note | {"abstention": abstention.to_dict()})


def refuted(report: Report, sure: float) -> list[Finding]:
    """The findings that stop an answer."""
    return [item for item in report.findings if item.verdict is Verdict.REFUTED and item.confidence >= sure]


def _halt(finding: Finding) -> dict[str, Any]:
    return {"halt": {"reason": finding.explanation or f"refuted: {finding.text}", "finding": finding.to_dict()}}


def _before(answer: str, report: Report, finding: Finding) -> str:
    """The answer up to the sentence of a finding."""
    first = finding.claim.sentence_index
    start = min(
        (item.claim.span.start for item in report.findings if item.claim.sentence_index == first),
        default=finding.claim.span.start,
    )
    return answer[:start].rstrip()
