"""The workspace's documents: list, add, read, take out."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, File, Query, UploadFile

from assay.server.bodies import DocumentsIn
from assay.server.problems import Problem
from assay.server.routes.parts import At, Reader, Writer
from assay.server.schemas import OBJECTS, TEXT, TEXTS, WHOLE, gives
from assay.server.uploads import read_uploads, take_uploads
from assay.server.wire import Json, stored_documents

if TYPE_CHECKING:
    from assay.memory import Listing
    from assay.memory.ingest import AddResult

router = APIRouter(tags=["documents"])

ADDED = gives(201, added=TEXTS, updated=TEXTS, unchanged=TEXTS, refused=OBJECTS, passages=WHOLE)


@router.get(
    "/v1/documents", summary="List the documents of this workspace", responses=gives(documents=OBJECTS, total=WHOLE)
)
async def list_documents(
    desk: At,
    caller: Reader,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1_000,
    offset: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
) -> Json:
    def work() -> Json:
        listings = desk.house.memory(caller.workspace).documents()
        shown = listings[offset : offset + limit]
        return Json({"documents": [_row(listing) for listing in shown], "total": len(listings)})

    return await desk.gate.run(work)


@router.post(
    "/v1/documents", summary="Store documents; one with a known id replaces it", status_code=201, responses=ADDED
)
async def add_documents(body: DocumentsIn, desk: At, caller: Writer) -> Json:
    def work() -> Json:
        documents = stored_documents(body.documents, desk.settings)
        return Json(_added(desk.house.memory(caller.workspace).add(documents)), 201)

    return await desk.gate.run(work)


@router.post(
    "/v1/documents/files", summary="Store files (text, Markdown, HTML, PDF, Word, …)", status_code=201, responses=ADDED
)
async def add_files(files: Annotated[list[UploadFile], File()], desk: At, caller: Writer) -> Json:
    uploads = await take_uploads(files, desk.settings)

    def work() -> Json:
        documents, refused = read_uploads(uploads)
        if not documents:
            raise Problem(422, "no file could be read: " + "; ".join(refused), kind="source")
        result = _added(desk.house.memory(caller.workspace).add(documents))
        result["refused"] += [{"path": line.partition(": ")[0], "reason": line} for line in refused]
        return Json(result, 201)

    return await desk.gate.run(work)


@router.get(
    "/v1/documents/{document_id:path}",
    summary="A document whole, with its versions",
    responses=gives(id=TEXT, title=TEXT, text=TEXT, sha256=TEXT),
)
async def get_document(
    document_id: str, desk: At, caller: Reader, version: Annotated[int | None, Query(ge=1, le=1_000_000_000)] = None
) -> Json:
    def work() -> Json:
        memory = desk.house.memory(caller.workspace)
        document = memory.get(document_id, version)
        if document is None:
            raise _missing(document_id)
        return Json(
            {
                "id": document.id,
                "title": document.title,
                "text": document.text,
                "sha256": document.sha256,
                "date": document.date.isoformat() if document.date else None,
                "pages": [{"start": mark.start, "label": mark.label} for mark in document.pages],
                "headings": [{"start": mark.start, "label": mark.label} for mark in document.headings],
                "versions": [_row(listing) for listing in memory.versions(document_id)],
            }
        )

    return await desk.gate.run(work)


@router.delete(
    "/v1/documents/{document_id:path}",
    summary="Take a document out, with its versions",
    responses=gives(id=TEXT, passages_removed=WHOLE),
)
async def remove_document(document_id: str, desk: At, caller: Writer) -> Json:
    def work() -> Json:
        removed = desk.house.memory(caller.workspace).remove(document_id)
        if not removed:
            raise _missing(document_id)
        return Json({"id": document_id, "passages_removed": removed})

    return await desk.gate.run(work)


def _missing(document_id: str) -> Problem:
    return Problem(404, f"there is no document {document_id!r} in this workspace")


def _row(listing: Listing) -> dict[str, Any]:
    row = asdict(listing)
    row["date"] = listing.date.isoformat() if listing.date else None
    row["added_at"] = datetime.fromtimestamp(listing.added_at, UTC).isoformat()
    if listing.uri.startswith("file:"):
        row["uri"] = ""  # where this machine keeps its files is nobody's business
    return row


def _added(result: AddResult) -> dict[str, Any]:
    return {
        "added": list(result.added),
        "updated": list(result.updated),
        "unchanged": list(result.unchanged),
        "refused": [{"path": item.path, "reason": item.reason} for item in result.refused],
        "notices": [str(item) for item in result.notices],
        "passages": result.passages,
    }
