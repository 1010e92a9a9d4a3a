"""Answers written here: from the workspace's documents, verified before they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter

from assay.abstention import abstain
from assay.engine import Request, Run
from assay.server.auth import Caller
from assay.server.bodies import AskIn, ChatIn, RepairIn
from assay.server.responses import (
    MAYBE_OBJECT,
    MAYBE_TEXT,
    OBJECT,
    OBJECTS,
    TEXT,
    Json,
    gives,
    show_documents,
    show_rating,
)
from assay.server.run_recorder import RunRecorder
from assay.server.sources import check_length, documents_of
from assay.server.state import AppState, Reader, State

if TYPE_CHECKING:
    from assay.memory import Memory
    from assay.repair import Attempt, VerificationOptions
    from assay.types import Report

router = APIRouter(tags=["answers"])


@router.post(
    "/v1/ask",
    summary="Answer a question from this workspace's documents, or abstain",
    responses=gives(answer=MAYBE_TEXT, report=OBJECT, run_id=MAYBE_TEXT, rating=MAYBE_OBJECT, draft=TEXT),
)
async def ask(body: AskIn, state: State, caller: Reader) -> Json:
    def work() -> Json:
        from assay.repair import ask as ask_memory

        workspaces = state.workspaces
        keep = state.settings.record if body.record is None else body.record
        asked = ask_memory(
            body.question,
            memory=workspaces.memory(caller.workspace),
            generator=workspaces.generator(body.model),
            engine=workspaces.engine(caller.workspace, body.judge),
            ledger=workspaces.ledger(caller.workspace) if keep else None,
            user=caller.name,
            session=body.session,
        )
        state.metrics.count(asked.report)
        state.metrics.count_corrections(asked.attempts)
        documents, rating = show_documents(asked.report.documents), show_rating(asked.report)
        return Json(asked.to_dict() | {"documents": documents, "rating": rating, "draft": asked.draft})

    return await state.pool.run(work)


@router.post(
    "/v1/chat",
    summary="Answer the last message of a conversation, with a verification beside it",
    responses=gives(answer=TEXT, verification=MAYBE_OBJECT),
)
async def chat(body: ChatIn, state: State, caller: Reader) -> Json:
    def work() -> Json:
        from assay.llm import Message
        from assay.llm.prices import Metered
        from assay.repair import chat_with_verification
        from assay.repair.options import engine_by

        workspaces = state.workspaces
        options = _verification_options(state, body)
        memory = workspaces.memory(caller.workspace)
        engine = RunRecorder(engine_by(options.model, workspaces.engine(caller.workspace, body.judge)))
        writer = Metered(workspaces.generator(body.model))
        said = chat_with_verification(
            [Message(message.role, message.content) for message in body.messages],
            memory=memory,
            generator=writer,
            verification=options.but(model=""),
            epistemic=workspaces.epistemic(body.epistemic) if options.epistemic or body.epistemic is not None else None,
            engine=engine,
        )
        state.metrics.count_corrections(said.attempts)
        shown: dict[str, Any] = said.to_dict() | {"attempts": [attempt.to_dict() for attempt in said.attempts]}
        if said.verification is not None:
            notes = Notes(state, caller, engine, memory, "chat", state.settings.record, body.session)
            shown |= notes.take(said.verification.report, said.attempts, writer.spent)
        return Json(shown)

    return await state.pool.run(work)


def _verification_options(state: AppState, body: ChatIn) -> VerificationOptions:
    """The server's options with what the request changes; who verifies must be a judge or a model of the settings."""
    from assay.repair import VerificationOptions

    options = VerificationOptions.load(
        policy=state.workspaces.policy, table={"show_claims": True, **state.settings.verification}
    )
    if isinstance(body.verification, bool):
        options = options.but(enabled=body.verification)
    elif body.verification is not None:
        given = body.verification.model_dump(exclude_none=True)
        if given.get("model"):
            given["model"] = state.workspaces.model_spec(given["model"])
        options = options.but(**given)
    return options if body.correction is None else options.but(correction=body.correction)


@router.post(
    "/v1/repair",
    summary="Bring an answer in line with its sources, changing as little as possible",
    responses=gives(answer=TEXT, edits=OBJECTS, attempts=OBJECTS, report=OBJECT),
)
async def repair(body: RepairIn, state: State, caller: Reader) -> Json:
    check_length(body.answer, state.settings)

    def work() -> Json:
        from assay.llm.prices import Metered
        from assay.repair import repair as mend

        workspaces = state.workspaces
        documents = documents_of(body.sources, state.settings)
        memory = workspaces.memory(caller.workspace) if body.use_memory else None
        engine = RunRecorder(workspaces.engine(caller.workspace, body.judge))
        writer = Metered(workspaces.generator(body.model)) if body.model else None
        result = mend(
            body.question,
            body.answer,
            generator=writer,
            memory=memory,
            sources=documents,
            engine=engine,
        )
        state.metrics.count_corrections(result.attempts)
        notes = Notes(state, caller, engine, memory, "repair", state.settings.record)
        spent = writer.spent if writer is not None else None
        return Json(result.to_dict() | {"original": body.answer} | notes.take(result.report, result.attempts, spent))

    return await state.pool.run(work)


@dataclass(frozen=True)
class Notes:
    """What is written down of an answer that was made here."""

    state: AppState
    caller: Caller
    engine: RunRecorder
    memory: Memory | None
    mode: str
    keep: bool
    session: str = ""

    def take(
        self, report: Report, attempts: Sequence[Attempt], spent: Mapping[str, float] | None = None
    ) -> dict[str, Any]:
        """The report, its documents and its place in the ledger; one on which nothing was judged has no place there."""
        self.state.metrics.count(report)
        run = self.engine.run_of(report)
        abstention = None
        if run is None and report.skipped == "no evidence":
            abstention = abstain(report, "no relevant information was found")
            run = Run(Request(report.answer), report, (), self.engine.policy, self.engine.model)
        run_id = None
        if self.keep and run is not None and report.answer:
            run_id = self.state.workspaces.ledger(self.caller.workspace).record(
                run,
                user=self.caller.name,
                session=self.session,
                mode=self.mode,
                attempts=attempts,
                memory=self.memory,
                abstention=abstention,
                spent=spent,
            )
        return {"report": report.to_dict(), "documents": show_documents(report.documents), "run_id": run_id}
