"""The workspace's documents: list, add, read, take out, search; and files read without being stored."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, File, Query, UploadFile

from assay.server.bodies import DocumentsIn, RetrieveIn
from assay.server.paging import Cursor, paginate
from assay.server.problems import Problem
from assay.server.responses import MAYBE_TEXT, NUMBER, OBJECTS, TEXT, TEXTS, WHOLE, Json, gives, listed, show_document
from assay.server.sources import read_uploads, stored_documents, take_uploads
from assay.server.state import Reader, State, Writer, pooled

if TYPE_CHECKING:
    from assay.memory import Listing
    from assay.memory.ingest import AddResult

router = APIRouter(tags=["documents"])

ADDED = gives(201, added=TEXTS, updated=TEXTS, unchanged=TEXTS, refused=OBJECTS, passages=WHOLE)
PASSAGES = listed(
    text=TEXT, document_id=TEXT, title=TEXT, start=WHOLE, end=WHOLE, similarity=NUMBER, reason=TEXT, sha256=TEXT
)


@router.get(
    "/v1/documents",
    summary="List the documents of this workspace",
    responses=gives(documents=OBJECTS, total=WHOLE, next_cursor=MAYBE_TEXT),
)
@pooled
def list_documents(
    state: State,
    caller: Reader,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1_000,
    offset: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
    cursor: Cursor = None,
) -> Json:
    listings = state.workspaces.memory(caller.workspace).documents()
    shown, after = paginate(listings[offset:], limit, cursor, key=lambda listing: listing.id)
    return Json({"documents": [_row(listing) for listing in shown], "total": len(listings), "next_cursor": after})


@router.post(
    "/v1/documents", summary="Store documents; one with a known id replaces it", status_code=201, responses=ADDED
)
@pooled
def add_documents(body: DocumentsIn, state: State, caller: Writer) -> Json:
    documents = stored_documents(body.documents, state.settings)
    return Json(_added(state.workspaces.memory(caller.workspace).add(documents)), 201)


@router.post(
    "/v1/documents/files", summary="Store files (text, Markdown, HTML, PDF, Word, …)", status_code=201, responses=ADDED
)
async def add_files(files: Annotated[list[UploadFile], File()], state: State, caller: Writer) -> Json:
    uploads = await take_uploads(files, state.settings)

    def work() -> Json:
        documents, refused = read_uploads(uploads, state.settings.request_seconds)
        result = _added(state.workspaces.memory(caller.workspace).add(documents))
        result["refused"] += [{"path": line.partition(": ")[0], "reason": line} for line in refused]
        return Json(result, 201)

    return await state.pool.run(work)


@router.post(
    "/v1/read",
    summary="Read files to text, with pages and headings, without storing them",
    responses=gives(documents=listed(id=TEXT, title=TEXT, text=TEXT, pages=OBJECTS, headings=OBJECTS)),
)
async def read(files: Annotated[list[UploadFile], File()], state: State, caller: Reader) -> Json:
    documents, refused = await state.pool.run(
        read_uploads, await take_uploads(files, state.settings), state.settings.request_seconds
    )
    return Json({"documents": [show_document(document) for document in documents], "refused": refused})


@router.get(
    "/v1/documents/{document_id:path}",
    summary="A document whole, with its versions",
    responses=gives(id=TEXT, title=TEXT, text=TEXT, sha256=TEXT),
)
@pooled
def get_document(
    document_id: str,
    state: State,
    caller: Reader,
    version: Annotated[int | None, Query(ge=1, le=1_000_000_000)] = None,
) -> Json:
    memory = state.workspaces.memory(caller.workspace)
    document = memory.get(document_id, version)
    if document is None:
        raise _missing(document_id)
    versions = [_row(listing) for listing in memory.versions(document_id)]
    return Json(show_document(document) | {"versions": versions})


@router.delete(
    "/v1/documents/{document_id:path}",
    summary="Take a document out, with its versions",
    responses=gives(id=TEXT, passages_removed=WHOLE),
)
@pooled
def remove_document(document_id: str, state: State, caller: Writer) -> Json:
    removed = state.workspaces.memory(caller.workspace).remove(document_id)
    if not removed:
        raise _missing(document_id)
    return Json({"id": document_id, "passages_removed": removed})


@router.post(
    "/v1/retrieve", summary="Find the passages that settle a query, best first", responses=gives(passages=PASSAGES)
)
@pooled
def retrieve(body: RetrieveIn, state: State, caller: Reader) -> Json:
    found = state.workspaces.memory(caller.workspace).retrieve(body.query, body.k)
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
                    "sha256": item.sha256,
                    "page": item.document.page_at(item.start),
                    "heading": item.document.heading_at(item.start),
                }
                for item in found
            ]
        }
    )


def _missing(document_id: str) -> Problem:
    return Problem(404, f"there is no document {document_id!r} in this workspace")


def _row(listing: Listing) -> dict[str, Any]:
    row = asdict(listing)
    row["date"] = listing.date.isoformat() if listing.date else None
    row["added_at"] = datetime.fromtimestamp(listing.added_at, UTC).isoformat()
    if listing.uri.startswith("file:"):
        row["uri"] = ""  # paths of the server's machine are not shown to clients
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
