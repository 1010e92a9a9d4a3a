"""How runs, records, texts and document ids are stored, and how they are read again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from assay.codec import Json, decode, encode
from assay.ledger.records import Record, Tombstone, canonical
from assay.policy import Policy
from assay.types import Document, Passage, sha256_of


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


def row_of(record: Record) -> dict[str, Any]:
    names = ("workspace", "sequence", "kind", "time", "payload_sha256", "previous", "hash")
    payload = canonical(dict(record.payload)).decode("ascii")
    return {name: getattr(record, name) for name in names} | {"payload": payload}


def record_of(row: Mapping[Any, Any]) -> Record | Tombstone:
    """The record of a row; what was tampered with is kept as found, so that the check of the chain names it."""
    shared: dict[str, Any] = {name: str(row[name]) for name in ("kind", "time", "workspace", "previous", "hash")}
    shared["sequence"] = row["sequence"]
    stored = row["payload"]
    if stored is None:
        return Tombstone(payload_sha256=str(row["payload_sha256"]), **shared)
    # Compared byte for byte: a changed byte may still read as the same value ("\u00e9" and "\u00E9").
    if not isinstance(stored, str) or _sha256(stored) != row["payload_sha256"]:
        return Record(payload={"unreadable": str(stored)}, **shared)
    try:
        payload = json.loads(stored)
    except (ValueError, RecursionError):
        payload = None
    return Record(payload=payload if isinstance(payload, dict) else {"unreadable": stored}, **shared)


def text_rows(record: Record) -> list[dict[str, Any]]:
    """Which texts a record needs kept."""
    where = {"workspace": record.workspace, "sequence": record.sequence}
    return [{**where, "sha256": sha256} for sha256 in sorted(set(record.payload.get("texts", ())))]


def citation_rows(record: Record) -> list[dict[str, Any]]:
    """Which of its findings cite which version of which document."""
    where = {"workspace": record.workspace, "sequence": record.sequence}
    return [
        {**where, "claim": claim, "document": document_key(document), "document_sha256": sha256}
        for claim, document, sha256 in record.payload.get("leanings", ())
    ]


def document_key(document: str) -> str:
    """A document's id as a column can hold it: a file name may have bytes that are no text, or NUL.

    >>> document_key("report.pdf"), document_key("caf\\udce9")
    ('report.pdf', 'caf\\\\udce9')
    """
    return json.dumps(document)[1:-1]


def document_of(key: str) -> str:
    """The id of a document from its column; as it stands if it is damaged, so that it is named."""
    try:
        return restored(f'"{key}"')
    except ValueError:
        return key


def storable(text: str) -> str:
    """PostgreSQL cannot hold NUL and neither database a lone surrogate; JSON escapes carry both."""
    return json.dumps(text)


def restored(stored: str) -> str:
    return str(json.loads(stored))


def is_sound(stored: str, sha256: str) -> bool:
    """Whether a stored text is the one its hash was made from."""
    try:
        text = restored(stored)
    except (ValueError, TypeError):
        return False
    # Byte for byte: another spelling of the same JSON is also a changed byte.
    return sha256_of(text) == sha256 and storable(text) == stored


def _sha256(stored: str) -> str:
    return hashlib.sha256(stored.encode("utf-8", "surrogatepass")).hexdigest()
