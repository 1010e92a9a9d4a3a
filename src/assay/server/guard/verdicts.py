"""What the guard finds about an answer and what it does about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.abstention import Abstention, abstain
from assay.server.guard.requests import Wish
from assay.server.minutes import Minutes
from assay.server.wire import with_memory
from assay.types import Action, Finding, Report, Verdict

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

    def record(self, report: Report, run: Run | None, abstention: Abstention | None = None) -> str | None:
        """The place in the ledger of what was judged; an answer of no words has none."""
        self._desk.metrics.count(report)
        if not self._desk.settings.record or run is None or not report.answer:
            return None
        ledger = self._desk.house.ledger(self._workspace)
        return ledger.record(run, user=self._user, memory=self.memory, abstention=abstention)

    def settle(self, answer: str) -> Outcome:
        """What becomes of a whole answer in the request's mode."""
        sources = with_memory(self.wish.documents, self.memory)
        run = self.engine.run(answer, sources=sources, question=self.wish.question)
        report = run.report
        wrong = refuted(report, self.engine.policy.halt_confidence)
        if self.wish.mode == "annotate" or not wrong:
            return Outcome(answer, None, self.note(report, self.record(report, run)))
        if self.wish.mode == "repair":
            return self._repair(answer, run)
        abstention = abstain(report, wrong[0].explanation or None)
        note = self.note(report, self.record(report, run, abstention)) | _halt(wrong[0])
        if self.wish.mode == "hold":
            return Outcome(_before(answer, report, wrong[0]), "content_filter", note)
        return self._abstain(note, abstention)

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

    def _repair(self, answer: str, run: Run) -> Outcome:
        """The answer brought in line with its sources; an abstention when that fails."""
        from assay.repair import repair

        report = run.report
        engine = Minutes(self.engine)
        result = repair(
            self.wish.question or "",
            answer,
            report,
            memory=self.memory,
            sources=list(self.wish.documents),
            engine=engine,
        )
        wrong = refuted(result.report, self.engine.policy.halt_confidence)
        abstention = abstain(result.report, wrong[0].explanation or None) if wrong else None
        if result.report is not report:
            self.record(report, run)
        last = run if result.report is report else engine.run_of(result.report)
        run_id = self.record(result.report, last, abstention)
        note = self.note(result.report, run_id) | {
            "repaired": result.answer != answer,
            "attempts": [attempt.to_dict() for attempt in result.attempts],
        }
        return self._abstain(note | _halt(wrong[0]), abstention) if abstention else Outcome(result.answer, None, note)

    def _abstain(self, note: dict[str, Any], abstention: Abstention) -> Outcome:
        told = {"action": Action.ABSTAIN.value, "abstention": abstention.to_dict()}
        return Outcome(abstention.text, "content_filter", note | told)


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
