"""Answers written here: from the workspace's documents, verified before they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter

from assay.abstention import abstain
from assay.engine import Run
from assay.server.bodies import AskIn, ChatIn, RepairIn
from assay.server.door import Caller
from assay.server.minutes import Minutes
from assay.server.routes.parts import At, Desk, Reader
from assay.server.schemas import MAYBE_OBJECT, MAYBE_TEXT, OBJECT, OBJECTS, TEXT, gives
from assay.server.wire import Json, check_length, documents_of, show_documents

if TYPE_CHECKING:
    from assay.memory import Memory
    from assay.repair import Attempt, VerificationOptions
    from assay.types import Report

router = APIRouter(tags=["answers"])


@router.post(
    "/v1/ask",
    summary="Answer a question from this workspace's documents, or abstain",
    responses=gives(answer=MAYBE_TEXT, report=OBJECT, run_id=MAYBE_TEXT),
)
async def ask(body: AskIn, desk: At, caller: Reader) -> Json:
    def work() -> Json:
        from assay.repair import ask as ask_memory

        house = desk.house
        keep = desk.settings.record if body.record is None else body.record
        asked = ask_memory(
            body.question,
            memory=house.memory(caller.workspace),
            generator=house.generator(body.model),
            engine=house.engine(caller.workspace, body.judge),
            ledger=house.ledger(caller.workspace) if keep else None,
            user=caller.name,
            session=body.session,
        )
        desk.metrics.count(asked.report)
        desk.metrics.count_corrections(asked.attempts)
        return Json(asked.to_dict() | {"documents": show_documents(asked.report.documents)})

    return await desk.gate.run(work)


@router.post(
    "/v1/chat",
    summary="Answer the last message of a conversation, with a verification beside it",
    responses=gives(answer=TEXT, verification=MAYBE_OBJECT),
)
async def chat(body: ChatIn, desk: At, caller: Reader) -> Json:
    def work() -> Json:
        from assay.llm import Message
        from assay.repair import chat_with_verification
        from assay.repair.options import engine_by

        house = desk.house
        options = _verification_options(desk, body)
        memory = house.memory(caller.workspace)
        engine = Minutes(engine_by(options.model, house.engine(caller.workspace, body.judge)))
        said = chat_with_verification(
            [Message(message.role, message.content) for message in body.messages],
            memory=memory,
            generator=house.generator(body.model),
            verification=options.but(model=""),
            epistemic=house.epistemic(body.epistemic) if options.epistemic or body.epistemic is not None else None,
            engine=engine,
        )
        desk.metrics.count_corrections(said.attempts)
        shown: dict[str, Any] = said.to_dict() | {"attempts": [attempt.to_dict() for attempt in said.attempts]}
        if said.verification is not None:
            notes = Notes(desk, caller, engine, memory, "chat", desk.settings.record, body.session)
            shown |= notes.take(said.verification.report, said.attempts)
        return Json(shown)

    return await desk.gate.run(work)


def _verification_options(desk: Desk, body: ChatIn) -> VerificationOptions:
    """The server's options with what the request changes; who verifies must be a judge or a model of the settings."""
    from assay.repair import VerificationOptions

    options = VerificationOptions.load(
        policy=desk.house.policy, table={"show_claims": True, **desk.settings.verification}
    )
    if isinstance(body.verification, bool):
        options = options.but(enabled=body.verification)
    elif body.verification is not None:
        given = body.verification.model_dump(exclude_none=True)
        if given.get("model"):
            given["model"] = desk.house.model_spec(given["model"])
        options = options.but(**given)
    return options if body.correction is None else options.but(correction=body.correction)


@router.post(
    "/v1/repair",
    summary="Bring an answer in line with its sources, changing as little as possible",
    responses=gives(answer=TEXT, edits=OBJECTS, attempts=OBJECTS, report=OBJECT),
)
async def repair(body: RepairIn, desk: At, caller: Reader) -> Json:
    check_length(body.answer, desk.settings)

    def work() -> Json:
        from assay.repair import repair as mend

        house = desk.house
        documents = documents_of(body.sources, desk.settings)
        memory = house.memory(caller.workspace) if body.use_memory else None
        engine = Minutes(house.engine(caller.workspace, body.judge))
        result = mend(
            body.question,
            body.answer,
            generator=house.generator(body.model) if body.model else None,
            memory=memory,
            sources=documents,
            engine=engine,
        )
        desk.metrics.count_corrections(result.attempts)
        notes = Notes(desk, caller, engine, memory, "repair", desk.settings.record)
        return Json(result.to_dict() | {"original": body.answer} | notes.take(result.report, result.attempts))

    return await desk.gate.run(work)


@dataclass(frozen=True)
class Notes:
    """What is written down of an answer that was made here."""

    desk: Desk
    caller: Caller
    engine: Minutes
    memory: Memory | None
    mode: str
    keep: bool
    session: str = ""

    def take(self, report: Report, attempts: Sequence[Attempt]) -> dict[str, Any]:
        """The report, its documents and its place in the ledger; one on which nothing was judged has no place there."""
        self.desk.metrics.count(report)
        run = self.engine.run_of(report)
        abstention = None
        if run is None and report.skipped == "no evidence":
            abstention = abstain(report, "no relevant information was found")
            run = Run(report, (), (), (), self.engine.policy, self.engine.judged_by.name)
        run_id = None
        if self.keep and run is not None and report.answer:
            run_id = self.desk.house.ledger(self.caller.workspace).record(
                run,
                user=self.caller.name,
                session=self.session,
                mode=self.mode,
                attempts=attempts,
                memory=self.memory,
                abstention=abstention,
            )
        return {"report": report.to_dict(), "documents": show_documents(report.documents), "run_id": run_id}
