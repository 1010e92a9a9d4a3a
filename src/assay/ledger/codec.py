"""How a run's documents, passages and policy are stored in its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from assay.codec import Json, decode, encode
from assay.policy import Policy
from assay.types import Document, Passage


def pack_document(document: Document) -> Json:
    """Everything but the text, which is kept once for all under its hash."""
    return {name: value for name, value in encode(document).items() if name != "text"} | {"sha256": document.sha256}


def unpack_document(data: Json, text: str) -> Document:
    return decode(Document, {**data, "text": text})


def pack_passage(passage: Passage, number: int) -> list[Any]:
    """`number` is the place of its document in the run's list."""
    return [number, passage.start, passage.end, passage.similarity, passage.reason]


def unpack_passage(data: Sequence[Any], documents: Sequence[Document]) -> Passage:
    number, start, end, similarity, reason = data
    return Passage(documents[number], start, end, similarity, reason)


def pack_policy(policy: Policy) -> Json:
    return asdict(policy)


def unpack_policy(values: Mapping[str, Any]) -> tuple[Policy, list[str]]:
    """The policy with these values, and the fields that this version of Assay does not know any more."""
    known = {spec.name for spec in fields(Policy)}
    return Policy().but(**{name: values[name] for name in values if name in known}), sorted(set(values) - known)
