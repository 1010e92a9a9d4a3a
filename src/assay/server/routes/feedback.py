"""What readers say about findings."""

from __future__ import annotations

from fastapi import APIRouter

from assay.server.bodies import FeedbackIn
from assay.server.routes.audits import find
from assay.server.routes.parts import At, Reader, Writer
from assay.server.wire import Json

router = APIRouter(tags=["audits"])


@router.post("/v1/feedback", summary="Mark a finding right or wrong", status_code=201)
async def give(body: FeedbackIn, desk: At, caller: Writer) -> Json:
    def work() -> Json:
        ledger = desk.house.ledger(caller.workspace)
        stored = find(ledger, body.run_id)
        mark = ledger.feedback(stored.id, body.claim, body.right, body.note, caller.name, verdict=body.verdict)
        return Json(mark.to_dict(), 201)

    return await desk.gate.run(work)


@router.get("/v1/feedback", summary="All marks of this workspace, newest first")
async def list_marks(desk: At, caller: Reader) -> Json:
    def work() -> Json:
        return Json({"marks": [mark.to_dict() for mark in desk.house.ledger(caller.workspace).marks()]})

    return await desk.gate.run(work)
