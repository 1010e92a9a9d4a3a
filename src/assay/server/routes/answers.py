"""Answers written here: from the workspace's documents, verified before they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter

from assay.server.bodies import AskIn, ChatIn, RepairIn
from assay.server.routes.parts import At, Desk, Reader
from assay.server.schemas import MAYBE_OBJECT, MAYBE_TEXT, OBJECT, OBJECTS, TEXT, gives
from assay.server.wire import Json, check_length, documents_of, show_documents, with_memory

if TYPE_CHECKING:
    from assay.memory import Memory
    from assay.types import Document, Report

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
        )
        desk.metrics.count(asked.report)
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

        house = desk.house
        memory = house.memory(caller.workspace)
        said = chat_with_verification(
            [Message(message.role, message.content) for message in body.messages],
            memory=memory,
            generator=house.generator(body.model),
            verification=body.verification,
            correction=body.correction,
            show_claims=True,
            engine=house.engine(caller.workspace, body.judge),
        )
        shown: dict[str, Any] = said.to_dict() | {"attempts": [attempt.to_dict() for attempt in said.attempts]}
        if said.verification is not None:
            shown |= _noted(desk, caller, said.verification.report, body.judge, [], memory, "chat")
        return Json(shown)

    return await desk.gate.run(work)


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
        result = mend(
            body.question,
            body.answer,
            generator=house.generator(body.model) if body.model else None,
            memory=memory,
            sources=documents,
            engine=house.engine(caller.workspace, body.judge),
        )
        noted = _noted(desk, caller, result.report, body.judge, documents, memory, "repair")
        return Json(result.to_dict() | {"original": body.answer} | noted)

    return await desk.gate.run(work)


def _noted(
    desk: Desk,
    caller: Reader,
    report: Report,
    judge: str | None,
    documents: list[Document],
    memory: Memory | None,
    mode: str,
) -> dict[str, Any]:
    """The report, its documents and its place in the ledger, which wants the whole run: it is made once more."""
    desk.metrics.count(report)
    shown = {"report": report.to_dict(), "documents": show_documents(report.documents), "run_id": None}
    if not desk.settings.record or not report.answer:
        return shown
    engine = desk.house.engine(caller.workspace, judge)
    run = engine.run(report.answer, sources=with_memory(documents, memory), question=report.question)
    ledger = desk.house.ledger(caller.workspace)
    return shown | {"run_id": ledger.record(run, user=caller.name, mode=mode, memory=memory)}
