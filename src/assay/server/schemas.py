"""What answers look like, for the OpenAPI document; the library's own `to_dict` makes them."""

from __future__ import annotations

from typing import Any

_SPAN = {
    "type": "object",
    "properties": {"start": {"type": "integer", "minimum": 0}, "end": {"type": "integer", "minimum": 0}},
    "required": ["start", "end"],
}
_EVIDENCE = {
    "type": "object",
    "properties": {
        "document": {"type": "string"},
        "document_sha256": {"type": "string"},
        "start": {"type": "integer"},
        "end": {"type": "integer"},
        "quote": {"type": "string"},
        "similarity": {"type": ["number", "null"]},
        "stance": {"type": "string"},
        "page": {"type": ["integer", "null"]},
        "heading": {"type": ["string", "null"]},
    },
    "required": ["document", "document_sha256", "start", "end", "quote", "stance"],
}
_VERDICT = {"type": "string", "enum": ["SUPPORTED", "REFUTED", "INSUFFICIENT", "NOT_CHECKABLE", "ERROR"]}
_CLAIM = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "spans": {"type": "array", "items": _SPAN},
        "verdict": _VERDICT,
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "method": {"type": "string"},
        "explanation": {"type": "string"},
        "evidence": {"type": "array", "items": _EVIDENCE},
    },
    "required": ["text", "spans", "verdict", "confidence", "method", "explanation", "evidence"],
}
_DOCUMENT = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("id", "title", "text", "sha256")},
    "required": ["id", "title", "text", "sha256"],
}
REPORT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "version": {"type": "integer"},
        "answer_sha256": {"type": "string"},
        "question": {"type": ["string", "null"]},
        "verdict": _VERDICT,
        "action": {"type": "string"},
        "confidence": {"type": ["number", "null"]},
        "audit_mode": {"type": "string"},
        "coverage": {"type": ["number", "null"]},
        "unsupported_rate": {"type": ["number", "null"]},
        "skipped": {"type": ["string", "null"]},
        "claims": {"type": "array", "items": _CLAIM},
        "risk_flags": {"type": "array", "items": {"type": "object"}},
        "warnings": {"type": "array", "items": {"type": "string"}},
        "counts": {"type": "object"},
        "policy_sha256": {"type": "string"},
        "model": {"type": "string"},
        "timings_ms": {"type": "object"},
        "cost": {"type": "object"},
        "run_id": {"type": ["string", "null"]},
        "documents": {"type": "array", "items": _DOCUMENT},
    },
    "required": ["version", "answer_sha256", "verdict", "action", "claims", "counts", "run_id", "documents"],
}
REPORT: dict[int | str, dict[str, Any]] = {
    200: {"description": "The report", "content": {"application/json": {"schema": REPORT_SCHEMA}}}
}


def gives(code: int = 200, /, **properties: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
    """The description of an answer that is an object with these properties."""
    shape = {"type": "object", "properties": properties, "required": list(properties)}
    return {code: {"description": "As asked", "content": {"application/json": {"schema": shape}}}}


TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}
WHOLE: dict[str, Any] = {"type": "integer"}
TRUTH: dict[str, Any] = {"type": "boolean"}
OBJECT: dict[str, Any] = {"type": "object"}
MAYBE_TEXT: dict[str, Any] = {"type": ["string", "null"]}
MAYBE_OBJECT: dict[str, Any] = {"type": ["object", "null"]}
OBJECTS: dict[str, Any] = {"type": "array", "items": OBJECT}
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}


def listed(**properties: dict[str, Any]) -> dict[str, Any]:
    """A list of objects with these properties."""
    return {"type": "array", "items": {"type": "object", "properties": properties, "required": list(properties)}}
