"""Passages of the workspace's memory that settle a query."""

from __future__ import annotations

from fastapi import APIRouter

from assay.server.bodies import RetrieveIn
from assay.server.routes.parts import At, Reader
from assay.server.schemas import NUMBER, TEXT, WHOLE, gives, listed
from assay.server.wire import Json

router = APIRouter(tags=["documents"])

PASSAGES = listed(text=TEXT, document_id=TEXT, title=TEXT, start=WHOLE, end=WHOLE, similarity=NUMBER, reason=TEXT)


@router.post(
    "/v1/retrieve", summary="Find the passages that settle a query, best first", responses=gives(passages=PASSAGES)
)
async def retrieve(body: RetrieveIn, desk: At, caller: Reader) -> Json:
    def work() -> Json:
        found = desk.house.memory(caller.workspace).retrieve(body.query, body.k)
        return Json(
            {
                "passages": [
                    {
                        "text": item.text,
                        "document_id": item.document_id,
                        "title": item.document.title,
                        "start": item.start,
                        "end": item.end,
                        "similarity": round(item.similarity, 6),
                        "reason": item.reason,
                        "page": item.document.page_at(item.start),
                        "heading": item.document.heading_at(item.start),
                    }
                    for item in found
                ]
            }
        )

    return await desk.gate.run(work)
