"""Texts split into claims, and answers looked up word for word."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from assay.server.bodies import AuditQuotesIn, ClaimsIn
from assay.server.routes.parts import At, Reader
from assay.server.schemas import TEXT, TRUTH, gives, listed
from assay.server.wire import Json, check_length, documents_of
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


@router.post(
    "/v1/audit-quotes",
    summary="Look an answer's quotations, sentences and names up in each source, word for word",
    responses=gives(audits=listed(document=TEXT, audit_mode=TEXT, verifier_method=TEXT)),
)
async def audit_quotes(body: AuditQuotesIn, desk: At, caller: Reader) -> Json:
    check_length(body.answer, desk.settings)

    def work() -> Json:
        from assay.lexical import audit_quotes as audit

        options = body.model_dump(exclude={"answer", "sources"})
        documents = documents_of(body.sources, desk.settings)
        found = [(item.id, audit(body.answer, item, policy=desk.house.policy, **options)) for item in documents]
        return Json({"audits": [{"document": name, **result.to_dict()} for name, result in found]})

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
