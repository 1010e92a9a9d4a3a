"""Whether a claim, a chain of reasoning or a response used the evidence it had."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

from fastapi import APIRouter

from assay.server.bodies import ClaimIn, DependenceIn, HallucinationsIn, ReasoningIn
from assay.server.responses import NUMBER, OBJECTS, TEXT, WHOLE, Json, gives
from assay.server.sources import check_length, documents_of
from assay.server.state import Reader, State

T = TypeVar("T")

router = APIRouter(prefix="/v1/epistemic", tags=["epistemic"])


@router.post("/verify_claim", summary="How far the evidence supports one claim", responses=gives(claim_text=TEXT))
async def verify_claim(body: ClaimIn, state: State, caller: Reader) -> Json:
    def work() -> Json:
        checker = state.workspaces.checker(caller.workspace, body.judge, body.epistemic)
        evidence = documents_of(body.evidence, state.settings)
        check = checker.verify_claim(body.claim, evidence, body.threshold, cites=body.cites, question=body.question)
        return Json(_wait(check).to_dict())

    return await state.pool.run(work)


@router.post(
    "/audit_reasoning",
    summary="Each step of a chain of reasoning against what it cites",
    responses=gives(steps=OBJECTS, flagged=WHOLE),
)
async def audit_reasoning(body: ReasoningIn, state: State, caller: Reader) -> Json:
    def work() -> Json:
        checker = state.workspaces.checker(caller.workspace, body.judge, body.epistemic)
        steps = [step.model_dump(exclude_none=True) for step in body.steps]
        sources = documents_of(body.sources, state.settings)
        found = _wait(checker.audit_reasoning(steps, sources, question=body.question))
        return Json({"steps": [item.to_dict() for item in found], "flagged": sum(item.is_flagged for item in found)})

    return await state.pool.run(work)


@router.post(
    "/evidence_dependence",
    summary="How far an answer hangs on its evidence: 0 not at all, 1 fully",
    responses=gives(evidence_dependence=NUMBER),
)
async def evidence_dependence(body: DependenceIn, state: State, caller: Reader) -> Json:
    check_length(body.answer, state.settings)

    def work() -> Json:
        checker = state.workspaces.checker(caller.workspace, body.judge, body.epistemic)
        evidence = documents_of(body.evidence, state.settings)
        found = _wait(checker.evidence_dependence(body.question, body.answer, evidence))
        return Json({"evidence_dependence": round(found, 6)})

    return await state.pool.run(work)


@router.post(
    "/detect_hallucinations",
    summary="Which claims of a response its context does not carry, and what is done about it",
    responses=gives(outcome=TEXT),
)
async def detect_hallucinations(body: HallucinationsIn, state: State, caller: Reader) -> Json:
    check_length(body.response, state.settings, "a response")

    def work() -> Json:
        from assay.epistemic.resolve import resolve

        workspaces = state.workspaces
        checker = workspaces.checker(caller.workspace, body.judge, body.epistemic, body.answer_cost_usd)
        found = resolve(
            checker,
            body.response,
            documents_of(body.context, state.settings),
            question=body.question,
            rewrite=workspaces.generator(body.model) if body.model else None,
            response_id=body.response_id,
        )
        return Json(_wait(found).to_dict())

    return await state.pool.run(work)


def _wait(check: Coroutine[Any, Any, T]) -> T:
    from assay.llm.waiting import run

    return run(check)
