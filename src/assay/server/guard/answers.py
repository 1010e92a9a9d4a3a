"""Checks an answer of the upstream and decides what the client gets: the answer, a repaired one, or an abstention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.abstention import Abstention, abstain
from assay.server.guard.messages import GuardRequest
from assay.server.run_recorder import RunRecorder
from assay.server.sources import with_memory
from assay.types import Action, Finding, Report, Verdict

if TYPE_CHECKING:
    from assay.engine import Engine, Run
    from assay.memory import Memory
    from assay.server.state import AppState

_WORST_FIRST = ("REFUTED", "ERROR", "INSUFFICIENT", "SUPPORTED", "NOT_CHECKABLE")


@dataclass(frozen=True)
class GuardOutcome:
    """The text a reader gets, why it ends, and the note that goes with it."""

    text: str
    finish_reason: str | None  # None: as the upstream said
    note: dict[str, Any]


class AnswerGuard:
    """Judges the answers to one request."""

    def __init__(self, state: AppState, workspace: str, user: str, request: GuardRequest) -> None:
        self._state, self._workspace, self._user, self.request = state, workspace, user, request

    @property
    def engine(self) -> Engine:
        # Short outputs are checked too: whether an answer is streamed must not decide whether it is stopped.
        return self._state.workspaces.engine(self._workspace, self.request.judge, {"exempt_tokens": 0})

    @property
    def memory(self) -> Memory | None:
        return self._state.workspaces.memory(self._workspace) if self.request.origin == "memory" else None

    def record(self, report: Report, run: Run | None, abstention: Abstention | None = None) -> str | None:
        """The place in the ledger of what was judged; an answer of no words has none."""
        self._state.metrics.count(report)
        if not self._state.settings.record or run is None or not report.answer:
            return None
        ledger = self._state.workspaces.ledger(self._workspace)
        return ledger.record(run, user=self._user, memory=self.memory, abstention=abstention)

    def settle(self, answer: str) -> GuardOutcome:
        """What becomes of a whole answer in the request's mode."""
        from assay.engine import Request

        sources = with_memory(self.request.documents, self.memory)
        run = self.engine.run(Request(answer, sources=sources, question=self.request.question))
        report = run.report
        wrong = refuted(report, self.engine.policy.halt_confidence)
        if self.request.mode == "annotate" or not wrong:
            return GuardOutcome(answer, None, self.note(report, self.record(report, run)))
        if self.request.mode == "repair":
            return self._repair(answer, run)
        abstention = abstain(report, wrong[0].explanation or None)
        note = self.note(report, self.record(report, run, abstention)) | _halt(wrong[0])
        if self.request.mode == "hold":
            return GuardOutcome(_before(answer, report, wrong[0]), "content_filter", note)
        return self._abstain(note, abstention)

    def note(self, report: Report, run_id: str | None) -> dict[str, Any]:
        shown = report.to_dict()
        return {
            "mode": self.request.mode,
            "sources": self.request.origin,
            "run_id": run_id,
            "verdict": shown["verdict"],
            "action": shown["action"],
            "confidence": shown["confidence"],
            "report": shown,
        }

    def _repair(self, answer: str, run: Run) -> GuardOutcome:
        """The answer brought in line with its sources; an abstention when that fails."""
        from assay.repair import repair

        report = run.report
        engine = RunRecorder(self.engine)
        result = repair(
            self.request.question or "",
            answer,
            report,
            memory=self.memory,
            sources=list(self.request.documents),
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
        return (
            self._abstain(note | _halt(wrong[0]), abstention) if abstention else GuardOutcome(result.answer, None, note)
        )

    def _abstain(self, note: dict[str, Any], abstention: Abstention) -> GuardOutcome:
        told = {"action": Action.ABSTAIN.value, "abstention": abstention.to_dict()}
        return GuardOutcome(abstention.text, "content_filter", note | told)


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


def worst_note(outcomes: Mapping[str, GuardOutcome]) -> dict[str, Any]:
    """The note of the field with the worst verdict; with several fields, its name and the notes of all of them."""
    notes = {name: outcome.note for name, outcome in outcomes.items()}
    name = min(notes, key=lambda one: _WORST_FIRST.index(notes[one]["verdict"]))
    return notes[name] if len(notes) == 1 else notes[name] | {"field": name, "fields": notes}
