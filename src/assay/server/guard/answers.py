"""Checks an answer of the upstream and decides what the client gets: the answer, a repaired one, or an abstention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.abstention import Abstention, abstain
from assay.policy import Policy
from assay.server.guard.request import GuardRequest
from assay.server.guard.wire import Slot, TextKey, Wire
from assay.server.problems import Problem
from assay.server.run_recorder import RunRecorder
from assay.server.sources import with_memory
from assay.server.tracing import AnswerSpan
from assay.types import Action, Finding, Report, Verdict

if TYPE_CHECKING:
    from assay.engine import Engine, Run
    from assay.memory import Memory
    from assay.server.state import AppState

_WORST_FIRST = ("REFUTED", "ERROR", "INSUFFICIENT", "SUPPORTED", "NOT_CHECKABLE")


@dataclass(frozen=True)
class GuardOutcome:
    """The text a reader gets, whether it was stopped, and the note that goes with it."""

    text: str
    note: dict[str, Any]
    stopped: bool = False  # it ends here because of the guard


class AnswerGuard:
    """Judges the answers to one request."""

    def __init__(self, state: AppState, workspace: str, user: str, request: GuardRequest, span: AnswerSpan) -> None:
        self._state, self._workspace, self._user, self.request, self.span = state, workspace, user, request, span

    @cached_property
    def engine(self) -> Engine:
        # Short outputs are checked too: whether an answer is streamed must not decide whether it is stopped.
        changes: dict[str, Any] = {"exempt_tokens": 0}
        if self.request.mode != "annotate" and self._state.workspaces.policy.halt_confidence == Policy.halt_confidence:
            # A client that knows nothing of marks would show a refuted claim like any other, so each one stops.
            changes["halt_confidence"] = 0.0
        return self._state.workspaces.engine(self._workspace, self.request.judge, changes)

    @cached_property
    def memory(self) -> Memory | None:
        return self._state.workspaces.memory(self._workspace) if self.request.origin == "memory" else None

    def record(self, report: Report, run: Run | None, abstention: Abstention | None = None) -> str | None:
        """The place in the ledger of what was judged; an answer of no words has none."""
        self._state.metrics.count(report)
        self.span.note_report(report, self.request.mode)
        if not self._state.settings.record or run is None or not report.answer:
            return None
        ledger = self._state.workspaces.ledger(self._workspace)
        return ledger.record(run, user=self._user, memory=self.memory, abstention=abstention)

    def count_stopped(self, stopped: bool) -> None:
        if stopped:
            self._state.metrics.halts.inc()
            self.span.stopped()

    def check_length(self, size: int) -> None:
        """Refuses an answer that is too long to be checked here."""
        most = self._state.settings.max_answer_chars
        if size > most:
            raise Problem(502, f"the upstream's answer has more than {most:,} characters", kind="upstream-answer")

    async def settle_all(self, texts: Mapping[TextKey, str]) -> dict[TextKey, GuardOutcome]:
        """What becomes of each text of an answer."""
        return {key: await self._state.pool.run_admitted(self.settle, text) for key, text in texts.items() if text}

    async def settle_whole(self, answer: dict[str, Any], wire: Wire) -> None:
        """Puts into an answer what becomes of its texts, and the note."""
        slots = wire.slots(answer)
        texts: dict[TextKey, str] = {}
        for slot in slots:
            texts[slot.key] = texts.get(slot.key, "") + slot.text
        outcomes = await self.settle_all(texts)
        for key, outcome in outcomes.items():
            if outcome.text != texts[key]:
                _distribute(outcome.text, texts[key], [slot for slot in slots if slot.key == key])
        stopped = {key.choice for key, outcome in outcomes.items() if outcome.stopped}
        for choice in stopped:
            wire.stop(answer, choice)
        self.count_stopped(bool(stopped))
        answer["assay"] = merge_notes(outcomes, self.request.mode, len(answer.get("choices") or ()))

    def settle(self, answer: str) -> GuardOutcome:
        """What becomes of a whole text in the request's mode."""
        from assay.engine import Request

        self.check_length(len(answer))
        sources = with_memory(self.request.documents, self.memory)
        run = self.engine.run(Request(answer, sources=sources, question=self.request.question))
        report = run.report
        wrong = refuted(report, self.engine.policy.halt_confidence)
        if self.request.mode == "annotate" or not wrong:
            return GuardOutcome(answer, self.note(report, self.record(report, run)))
        if self.request.mode == "repair":
            return self._repair(answer, run)
        abstention = abstain(report, reason_of(wrong[0]))
        note = self.note(report, self.record(report, run, abstention)) | _halt(wrong[0])
        if self.request.mode == "hold":
            return GuardOutcome(_before(answer, report, wrong[0]), note, stopped=True)
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
        abstention = abstain(result.report, reason_of(wrong[0])) if wrong else None
        if result.report is not report:
            self.record(report, run)
        last = run if result.report is report else engine.run_of(result.report)
        run_id = self.record(result.report, last, abstention)
        note = self.note(result.report, run_id) | {
            "repaired": result.answer != answer,
            "attempts": [attempt.to_dict() for attempt in result.attempts],
        }
        return self._abstain(note | _halt(wrong[0]), abstention) if abstention else GuardOutcome(result.answer, note)

    def _abstain(self, note: dict[str, Any], abstention: Abstention) -> GuardOutcome:
        told = {"action": Action.ABSTAIN.value, "abstention": abstention.to_dict()}
        return GuardOutcome(abstention.text, note | told, stopped=True)


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


def _distribute(text: str, before: str, slots: list[Slot]) -> None:
    """Puts a text in place of the one that several slots held: cut as it was if it is its beginning, else as one."""
    kept = before.startswith(text)
    for number, slot in enumerate(slots):
        slot.put(text[: len(slot.text)] if kept else text if number == 0 else "")
        text = text[len(slot.text) :] if kept else text


def reason_of(finding: Finding) -> str:
    """Why a reader gets no answer: what the source says, and not what was refuted."""
    against = next((item for item in finding.evidence if item.stance.value == "refutes"), None)
    if against is None:
        return "the sources contradict what was written"
    return f"the source {against.document} says otherwise: “{' '.join(against.quote.split())}”"


def merge_notes(outcomes: Mapping[TextKey, GuardOutcome], mode: str, choices: int = 1) -> dict[str, Any]:
    """The note of an answer; with several choices, one for each of them that has text."""
    by_choice: dict[int, dict[str, GuardOutcome]] = {}
    for key, outcome in outcomes.items():
        by_choice.setdefault(key.choice, {})[key.field] = outcome
    notes = {choice: _worst_note(fields) for choice, fields in by_choice.items()}
    count = max([choices, *(choice + 1 for choice in notes)])
    if count > 1:
        return {"mode": mode, "choices": [notes.get(choice) for choice in range(count)]}
    return notes.get(0, {"mode": mode})  # without text, as in a tool call, nothing is claimed


def _worst_note(outcomes: Mapping[str, GuardOutcome]) -> dict[str, Any]:
    """The note of the field with the worst verdict; with several fields, its name and the notes of all of them."""
    notes = {name: outcome.note for name, outcome in outcomes.items()}
    name = min(notes, key=lambda one: _WORST_FIRST.index(notes[one]["verdict"]))
    return notes[name] if len(notes) == 1 else notes[name] | {"field": name, "fields": notes}
