"""Where a citation points: an anchor in the answer → the document it names, or nothing (a phantom)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from assay.types import Citation, Claim, Document

_FRAGMENT = re.compile("[#?]")


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
    """The documents a target names: by pointer, position, content hash, name or address, as its style says."""
    if style == "pointer" and (named := [document for document in documents if document.id == target.upper()]):
        return named
    if style in ("number", "pointer"):
        digits = re.sub(r"\D", "", target)
        position = int(digits) if digits else 0
        return [documents[position - 1]] if 1 <= position <= len(documents) else []
    if style == "hash":
        return [document for document in documents if document.sha256.startswith(target.lower())]
    wanted = _name(target)
    return [document for document in documents if wanted and wanted in _names(document)]


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
