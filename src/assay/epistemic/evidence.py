"""What a claim may rest on, in whatever form it is handed over, as documents that talk only to the reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Union, cast

from assay.claims import extract_claims
from assay.defuse import defuse
from assay.engine.gathering import recall
from assay.errors import UsageError
from assay.types import Document

if TYPE_CHECKING:
    from assay.memory import Memory

EvidenceLike = Union[str, Document, Mapping[str, str], Iterable["str | Document"], "Memory"]
"""Evidence: a text, texts by id, several texts or documents (numbered from 1), or a memory to search."""


def read_evidence(evidence: EvidenceLike, texts: Sequence[str] = ()) -> list[Document]:
    """The documents, in order and without what is hidden in them; from a memory those for the claims of the texts."""
    return [defuse(document) for document in _listed(evidence, texts)]


def _listed(evidence: EvidenceLike, texts: Sequence[str]) -> list[Document]:
    if isinstance(evidence, str):
        return [Document("1", evidence)] if evidence.strip() else []
    if isinstance(evidence, Document):
        return [evidence]
    if isinstance(evidence, Mapping):
        return [_named(str(key), text) for key, text in evidence.items()]
    if hasattr(evidence, "retrieve_all"):
        memory = cast("Memory", evidence)
        claims = [claim for text in texts for claim in extract_claims(text)]
        found = [passage.document for passages in recall(claims, memory, memory.policy) for passage in passages]
        return list({document.id: document for document in found}.values())
    if not isinstance(evidence, Iterable):
        raise UsageError(f"evidence is text, texts by id, documents or a memory, not {type(evidence).__name__}")
    return [
        item if isinstance(item, Document) else _named(str(number), item) for number, item in enumerate(evidence, 1)
    ]


def _named(key: str, text: object) -> Document:
    if isinstance(text, Document):
        return text
    if not isinstance(text, str):
        raise UsageError(f"the evidence {key!r} is a {type(text).__name__}; give its text")
    return Document(key, text)
