"""Answers that cite evidence by pointer."""

from __future__ import annotations

from fastapi import APIRouter

from assay.server.bodies import LatticeIn
from assay.server.routes.parts import At, Reader
from assay.server.wire import Json, check_length

router = APIRouter(tags=["verify"])


@router.post("/v1/lattice/check", summary="Check an answer that cites evidence by pointer, or as JSON")
async def check(body: LatticeIn, desk: At, caller: Reader) -> Json:
    check_length(body.answer, desk.settings)

    def work() -> Json:
        from assay.lattice import AnswerForm, EvidenceMap, looks_like_lattice, verify_answer

        shown = EvidenceMap.from_dict([item.model_dump() for item in body.evidence])
        form = body.form or looks_like_lattice(body.answer, shown) or AnswerForm.POINTER
        result = verify_answer(body.answer, shown, body.question, form, desk.house.policy, chain_roots=body.chain_roots)
        return Json(result.to_dict() | {"evidence": [item.to_dict() for item in shown]})

    return await desk.gate.run(work)
