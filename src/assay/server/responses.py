"""What answers look like: the JSON response, and its description for the OpenAPI document.

The bodies themselves are made by the library's own `to_dict`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse

from assay.server.problems import Problem, problem_body
from assay.types import Report

if TYPE_CHECKING:
    from assay.types import Document, Mark

Schema = dict[str, Any]
Responses = dict[int | str, dict[str, Any]]


class Json(JSONResponse):
    """JSON in ASCII: a lone surrogate in a text must not end in a failure."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def show_documents(documents: Iterable[Document]) -> list[dict[str, Any]]:
    return [
        {"id": item.id, "title": item.title, "text": item.text, "sha256": item.sha256, "role": item.role}
        for item in documents
    ]


def show_rating(report: Report) -> dict[str, Any] | None:
    """How far the answer can be relied on, with the figures behind it; None where nothing could be checked."""
    from assay.repair.score import rate_answer

    rating = rate_answer(report)
    return rating.to_dict() if rating else None


def show_document(document: Document) -> dict[str, Any]:
    """A document whole, with the places of its pages and headings."""

    def places(marks: Iterable[Mark]) -> list[dict[str, Any]]:
        return [{"start": mark.start, "label": mark.label} for mark in marks]

    return {
        "id": document.id,
        "title": document.title,
        "text": document.text,
        "sha256": document.sha256,
        "date": document.date.isoformat() if document.date else None,
        "pages": places(document.pages),
        "headings": places(document.headings),
    }


TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
TRUTH: Schema = {"type": "boolean"}
OBJECT: Schema = {"type": "object"}
MAYBE_TEXT: Schema = {"type": ["string", "null"]}
MAYBE_NUMBER: Schema = {"type": ["number", "null"]}
MAYBE_OBJECT: Schema = {"type": ["object", "null"]}
OBJECTS: Schema = {"type": "array", "items": OBJECT}
TEXTS: Schema = {"type": "array", "items": TEXT}


def shape(optional: dict[str, Schema] | None = None, /, **required: Schema) -> Schema:
    """An object with these properties, of which the optional ones may be missing."""
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}


def listed(**properties: Schema) -> Schema:
    """A list of objects with these properties."""
    return {"type": "array", "items": shape(**properties)}


def gives(code: int = 200, /, **properties: Schema) -> Responses:
    """The description of an answer that is an object with these properties."""
    return {code: {"description": "As asked", "content": {"application/json": {"schema": shape(**properties)}}}}


_DOCUMENTS = listed(id=TEXT, title=TEXT, text=TEXT, sha256=TEXT)
_REPORT = Report.schema()
_REPORT["properties"] |= {"run_id": MAYBE_TEXT, "documents": _DOCUMENTS, "rating": MAYBE_OBJECT}
REPORT: Responses = {200: {"description": "The report", "content": {"application/json": {"schema": _REPORT}}}}

_PROBLEM = shape({"instance": TEXT}, type=TEXT, title=TEXT, status=WHOLE, detail=TEXT, request_id=TEXT)
_REFUSALS = {
    400: "Not a request that can be read",
    401: "No API key, or one that is not known",
    403: "The key's role does not allow this",
    404: "Not there, or not in this workspace",
    408: "The body came too slowly",
    413: "Too large",
    422: "Understood, and cannot be done as asked",
    429: "Too often, or the server is at its capacity; see Retry-After",
    502: "The language model failed",
    503: "Shutting down, or a store or model is not available; see Retry-After",
    504: "It took too long",
}
REFUSALS: Responses = {
    code: {
        "description": reason,
        "content": {
            "application/problem+json": {
                "schema": _PROBLEM,
                "example": problem_body(Problem(code, reason), "5f0c1d7e9a3b4c2d8e6f7a01", "/v1/verify"),
            }
        },
    }
    for code, reason in _REFUSALS.items()
}


def told(*media: str, **properties: Schema) -> Responses:
    """The description of an answer that is a text of one of these kinds; `properties` are those of its JSON."""
    content: dict[str, Any] = {kind: {"schema": {}} for kind in media}
    if properties:
        content["application/json"] = {"schema": shape(**properties)}
    return {200: {"description": "As asked", "content": content}}
