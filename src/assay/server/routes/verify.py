"""Answers against their sources, one or many."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from assay.server import problems
from assay.server.bodies import BatchIn, VerifyIn
from assay.server.problems import Problem
from assay.server.routes.parts import At, Desk, Reader
from assay.server.schemas import REPORT
from assay.server.wire import Json, check_length, documents_of, show_documents, with_memory

router = APIRouter(tags=["verify"])


@router.post("/v1/verify", summary="Check an answer against sources, claim by claim", responses=REPORT)
async def verify(body: VerifyIn, desk: At, caller: Reader) -> Json:
    return await desk.gate.run(lambda: Json(judge(desk, caller.workspace, caller.name, body)))


@router.post("/v1/verify/batch", summary="Check several answers; each gets its report or its problem")
async def verify_batch(body: BatchIn, desk: At, caller: Reader) -> Json:
    most = desk.settings.max_batch
    if len(body.items) > most:
        raise Problem(413, f"a batch may have {most} items here, not {len(body.items)}")
    return await desk.gate.run(lambda: Json({"results": [_or_problem(desk, caller, item) for item in body.items]}))


def judge(desk: Desk, workspace: str, user: str, body: VerifyIn) -> dict[str, Any]:
    """The report on an answer, recorded unless the request or the server says not to."""
    check_length(body.answer, desk.settings)
    house = desk.house
    engine = house.engine(workspace, body.judge, body.policy)
    memory = house.memory(workspace) if body.use_memory else None
    sources = with_memory(documents_of(body.sources, desk.settings), memory)
    run = engine.run(body.answer, sources=sources, question=body.question, branches=body.branches)
    desk.metrics.count(run.report)
    keep = desk.settings.record if body.record is None else body.record
    ledger = house.ledger(workspace) if keep else None
    run_id = ledger.record(run, user=user, session=body.session, memory=memory) if ledger is not None else None
    return run.report.to_dict() | {"run_id": run_id, "documents": show_documents(run.report.documents)}


def _or_problem(desk: Desk, caller: Reader, item: VerifyIn) -> dict[str, Any]:
    """One bad item must not cost the others their reports."""
    try:
        return judge(desk, caller.workspace, caller.name, item)
    except Exception as error:
        problem = problems.problem_of(error)
        if problem.status >= 500:
            problems.log.error("an item of a batch failed", exc_info=error)
        return problems.body_of(problem, "")
