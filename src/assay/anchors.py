"""Where a citation points: an anchor in the answer → the document it names, or nothing (a phantom)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from assay.types import Citation, Claim, Document, sha256_of

_FRAGMENT = re.compile("[#?]")
_HASH = re.compile("[0-9a-f]{8,64}")  # fewer digits would name things by chance


def cited_documents(
    claim: Claim, documents: Sequence[Document], *, numbered: bool = True
) -> tuple[list[Document], list[Citation]]:
    """The documents a claim's anchors name, and the anchors that name nothing.

    Documents that came from a memory are not `numbered`: nobody can tell what `[2]` stands for.
    """
    found: list[Document] = []
    phantoms: list[Citation] = []
    for citation in claim.citations:
        if citation.style == "number" and not numbered:
            continue
        named = [document for target in citation.targets for document in resolve(target, citation.style, documents)]
        found.extend(document for document in named if document not in found)
        if not named:
            phantoms.append(citation)
    return found, phantoms


def resolve(target: str, style: str, documents: Sequence[Document]) -> list[Document]:
    """The documents a target names: by pointer, position, hash, name or address, as its style says.

    A hash is that of the document or of one of the passages it is cut into, from its first eight digits on.
    """
    if style == "pointer" and (named := [document for document in documents if document.id == target.upper()]):
        return named
    if style in ("number", "pointer"):
        digits = re.sub(r"\D", "", target)
        position = int(digits) if digits else 0
        return [documents[position - 1]] if 1 <= position <= len(documents) else []
    if style == "hash" and (start := hash_of(target)):
        whole = [document for document in documents if document.sha256.startswith(start)]
        return whole or [d for d in documents if any(one.startswith(start) for one in _passage_hashes(d))]
    wanted = _name(target)
    return [document for document in documents if wanted and wanted in _names(document)]


def hash_of(target: str) -> str:
    """The beginning of a hash that a target gives; empty if it gives none."""
    start = target.strip().lower()
    return start if _HASH.fullmatch(start) else ""


@lru_cache(maxsize=256)
def _passage_hashes(document: Document) -> frozenset[str]:
    """The hashes of the passages that a memory cuts a document into."""
    from assay.memory.passages import cut_passages

    return frozenset(sha256_of(document.text[cut.start : cut.end]) for cut in cut_passages(document))


def _names(document: Document) -> set[str]:
    """Every way a reader might name a document: its id, title, address, file name, file name without ending."""
    names = {document.id, document.title, document.uri}
    for place in (document.id, document.uri):
        path = PurePosixPath(place)
        names |= {path.name, path.stem}
    return {_name(name) for name in names} - {""}


def _name(text: str) -> str:
    address = _FRAGMENT.split(text, 1)[0]
    return " ".join(address.strip().strip("\"'“”<>./").lower().split())
