"""Texts split into claims."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from assay.server.bodies import ClaimsIn
from assay.server.routes.parts import At, Reader
from assay.server.schemas import TEXT, TRUTH, gives, listed
from assay.server.wire import Json, check_length
from assay.types import Claim

router = APIRouter(tags=["verify"])


@router.post(
    "/v1/claims",
    summary="Split a text into claims, each with its place, kind and importance",
    responses=gives(claims=listed(text=TEXT, kind=TEXT, importance=TEXT, checkable=TRUTH)),
)
async def claims(body: ClaimsIn, desk: At, caller: Reader) -> Json:
    check_length(body.text, desk.settings, "a text")

    def work() -> Json:
        from assay.claims import extract_claims

        found = extract_claims(body.text, body.question, desk.house.policy)
        return Json({"claims": [show(claim) for claim in found]})

    return await desk.gate.run(work)


def show(claim: Claim) -> dict[str, Any]:
    return {
        "text": claim.text,
        "spans": [{"start": span.start, "end": span.end} for span in claim.spans],
        "kind": claim.kind.value,
        "importance": claim.importance.value,
        "checkable": claim.checkable,
        "reason": claim.reason,
        "citations": [
            {"text": item.text, "start": item.span.start, "end": item.span.end, "targets": list(item.targets)}
            for item in claim.citations
        ],
        "warnings": list(claim.warnings),
    }
