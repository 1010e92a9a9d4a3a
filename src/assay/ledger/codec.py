"""Encode claims, documents, passages, findings, reports and policies as JSON values, and decode them without loss."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any

from assay.policy import Policy
from assay.types import (
    Action,
    AuditMode,
    Citation,
    Claim,
    Document,
    Evidence,
    Finding,
    Importance,
    Judgement,
    Kind,
    Mark,
    Passage,
    Report,
    RiskFlag,
    Span,
    Stance,
    Support,
    Verdict,
)

Json = dict[str, Any]


def pack_claim(claim: Claim) -> Json:
    return {
        "text": claim.text,
        "spans": [[span.start, span.end] for span in claim.spans],
        "kind": claim.kind.value,
        "importance": claim.importance.value,
        "checkable": claim.checkable,
        "reason": claim.reason,
        "citations": [
            {"text": c.text, "span": [c.span.start, c.span.end], "style": c.style, "targets": list(c.targets)}
            for c in claim.citations
        ],
        "sentence_index": claim.sentence_index,
        "context": claim.context,
        "warnings": list(claim.warnings),
    }


def unpack_claim(data: Json) -> Claim:
    return Claim(
        text=data["text"],
        spans=tuple(Span(*span) for span in data["spans"]),
        kind=Kind(data["kind"]),
        importance=Importance(data["importance"]),
        checkable=data["checkable"],
        reason=data["reason"],
        citations=tuple(
            Citation(c["text"], Span(*c["span"]), c["style"], tuple(c["targets"])) for c in data["citations"]
        ),
        sentence_index=data["sentence_index"],
        context=data["context"],
        warnings=tuple(data["warnings"]),
    )


def pack_document(document: Document) -> Json:
    """Everything but the text, which is kept once for all under its hash."""
    return {
        "id": document.id,
        "sha256": document.sha256,
        "title": document.title,
        "role": document.role,
        "markup": document.markup,
        "date": document.date.isoformat() if document.date else None,
        "date_inferred": document.date_inferred,
        "workspace": document.workspace,
        "uri": document.uri,
        "pages": [[mark.start, mark.label] for mark in document.pages],
        "headings": [[mark.start, mark.label] for mark in document.headings],
    }


def unpack_document(data: Json, text: str) -> Document:
    return Document(
        id=data["id"],
        text=text,
        title=data["title"],
        role=data["role"],
        markup=data["markup"],
        date=date.fromisoformat(data["date"]) if data["date"] else None,
        date_inferred=data["date_inferred"],
        workspace=data["workspace"],
        uri=data["uri"],
        pages=tuple(Mark(*mark) for mark in data["pages"]),
        headings=tuple(Mark(*mark) for mark in data["headings"]),
    )


def pack_passage(passage: Passage, number: int) -> list[Any]:
    """`number` is the place of its document in the run's list."""
    return [number, passage.start, passage.end, passage.similarity, passage.reason]


def unpack_passage(data: Sequence[Any], documents: Sequence[Document]) -> Passage:
    number, start, end, similarity, reason = data
    return Passage(documents[number], start, end, similarity, reason)


def unpack_evidence(data: Json) -> Evidence:
    known = {name: data.get(name) for name in (spec.name for spec in fields(Evidence))}
    return Evidence(**{**known, "stance": Stance(data["stance"])})  # type: ignore[arg-type]


def unpack_finding(data: Json, claim: Claim) -> Finding:
    """The finding of a claim from its place in the report's JSON."""
    judgement = Judgement(
        verdict=Verdict(data["verdict"]),
        confidence=data["confidence"],
        method=data["method"],
        support=Support(data["support"]),
        explanation=data["explanation"],
        evidence=tuple(unpack_evidence(item) for item in data["evidence"]),
        violations=tuple(data["violations"]),
        unsupported=tuple(Span(item["start"], item["end"]) for item in data["unsupported_spans"]),
        latency_ms=data.get("latency_ms", 0.0),
        cost_usd=data.get("cost_usd", 0.0),
    )
    return Finding(claim, judgement, Action(data["action"]), tuple(data["marks"]))


def unpack_report(data: Json, answer: str, claims: Sequence[Claim], documents: Sequence[Document]) -> Report:
    """The report whose `to_dict()` this is."""
    return Report(
        answer=answer,
        findings=tuple(unpack_finding(item, claim) for item, claim in zip(data["claims"], claims, strict=True)),
        documents=tuple(documents),
        question=data["question"],
        skipped=data["skipped"],
        action=Action(data["action"]),
        audit_mode=AuditMode(data["audit_mode"]),
        risk_flags=tuple(
            RiskFlag(
                flag["kind"],
                flag["severity"],
                flag["message"],
                tuple(unpack_evidence(item) for item in flag["evidence"]),
            )
            for flag in data["risk_flags"]
        ),
        warnings=tuple(data["warnings"]),
        policy_sha256=data["policy_sha256"],
        model=data["model"],
        timings_ms=dict(data["timings_ms"]),
        cost_usd=data["cost"]["usd"],
    )


def pack_policy(policy: Policy) -> Json:
    return asdict(policy)


def unpack_policy(values: Mapping[str, Any]) -> tuple[Policy, list[str]]:
    """The policy with these values, and the fields that this version of Assay does not know any more."""
    known = {spec.name for spec in fields(Policy)}
    return Policy().but(**{name: values[name] for name in values if name in known}), sorted(set(values) - known)


def to_json(value: Any) -> Any:
    """Anything a caller may hand in as an attempt, as JSON can carry it."""
    if hasattr(value, "to_dict"):
        return to_json(value.to_dict())
    if isinstance(value, Enum):
        return to_json(value.value)
    if is_dataclass(value) and not isinstance(value, type):
        return {spec.name: to_json(getattr(value, spec.name)) for spec in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
