"""Files sent with a request, read in a folder of their own that is gone afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.server.problems import Problem
from assay.types import Document

if TYPE_CHECKING:
    from fastapi import UploadFile

    from assay.server.settings import Settings

_LONGEST_NAME = 150


async def take_uploads(files: Sequence[UploadFile], settings: Settings) -> list[tuple[str, bytes]]:
    """The name and the bytes of each file."""
    if len(files) > settings.max_batch:
        raise Problem(413, f"a request may carry {settings.max_batch} files here, not {len(files)}")
    return [(file.filename or "file", await file.read()) for file in files]


def read_uploads(uploads: Sequence[tuple[str, bytes]]) -> tuple[list[Document], list[str]]:
    """The documents of some files, and a line for each that cannot be read.

    The name a client gives is only ever a label: the file itself is stored under a number.
    """
    from assay.memory.readers import read_sources

    documents: list[Document] = []
    refused: list[str] = []
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        for number, (name, data) in enumerate(uploads, 1):
            label = _label(name) or f"file-{number}"
            place = Path(folder) / str(number) / f"file{Path(label).suffix[:16]}"
            place.parent.mkdir()
            place.write_bytes(data)
            result = read_sources([place])
            refused += [f"{label}: {item.reason}" for item in result.refused]
            documents += [_named(item, label, place) for item in result.documents]
    return _distinct(documents), refused


def _label(name: str) -> str:
    """The last part of a name, in any system's spelling, without what a terminal or a header would choke on."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(letter for letter in last if letter.isprintable()).strip(". ")[-_LONGEST_NAME:]


def _named(document: Document, label: str, place: Path) -> Document:
    """The document under the client's name for it; one file may hold several ('table.csv#3')."""
    _, mark, key = document.id.partition("#")
    title = label if document.title in ("", place.stem, place.name) else document.title
    return replace(document, id=f"{label}{mark}{key}", title=title, uri=f"upload:{label}{mark}{key}")


def _distinct(documents: Sequence[Document]) -> list[Document]:
    from assay.memory.readers import DocumentIds

    names = DocumentIds()
    return [replace(document, id=names.assign(document.id)) for document in documents]
