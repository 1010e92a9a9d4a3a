"""Files read without being stored."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, UploadFile

from assay.server.problems import Problem
from assay.server.routes.parts import At, Reader
from assay.server.schemas import OBJECTS, TEXT, gives, listed
from assay.server.uploads import read_uploads, take_uploads
from assay.server.wire import Json

router = APIRouter(tags=["documents"])


@router.post(
    "/v1/read",
    summary="Read files to text, with pages and headings, without storing them",
    responses=gives(documents=listed(id=TEXT, title=TEXT, text=TEXT, pages=OBJECTS, headings=OBJECTS)),
)
async def read(files: Annotated[list[UploadFile], File()], desk: At, caller: Reader) -> Json:
    uploads = await take_uploads(files, desk.settings)

    def work() -> Json:
        documents, refused = read_uploads(uploads)
        if not documents:
            raise Problem(422, "no file could be read: " + "; ".join(refused), kind="source")
        return Json(
            {
                "documents": [
                    {
                        "id": document.id,
                        "title": document.title,
                        "text": document.text,
                        "sha256": document.sha256,
                        "date": document.date.isoformat() if document.date else None,
                        "pages": [{"start": mark.start, "label": mark.label} for mark in document.pages],
                        "headings": [{"start": mark.start, "label": mark.label} for mark in document.headings],
                    }
                    for document in documents
                ],
                "refused": refused,
            }
        )

    return await desk.gate.run(work)
