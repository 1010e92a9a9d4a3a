"""Sources of a request as documents: texts in its body, and files sent with it."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from assay.server.bodies import HeadingIn, PageIn, SourceIn
from assay.server.problems import Problem
from assay.types import Document, Mark, sha256_of

if TYPE_CHECKING:
    from fastapi import UploadFile

    from assay.engine import Source
    from assay.memory import Memory
    from assay.server.settings import Settings

_LONGEST_NAME = 150


def check_length(text: str, settings: Settings, what: str = "an answer") -> None:
    if len(text) > settings.max_answer_chars:
        raise Problem(413, f"{what} may have {settings.max_answer_chars:,} characters here, not {len(text):,}")


def documents_of(sources: Sequence[str | SourceIn], settings: Settings) -> list[Document]:
    """Sources of a request as documents. A text is always a text here, even when it reads like a path."""
    if len(sources) > settings.max_documents:
        raise Problem(413, f"a request may carry {settings.max_documents:,} documents here, not {len(sources):,}")
    documents: list[Document] = []
    taken: set[str] = set()
    for number, source in enumerate(sources, 1):
        given = SourceIn(text=source) if isinstance(source, str) else source
        identity = given.id or f"source-{number}"
        if identity in taken:
            raise Problem(422, f"two sources have the id {identity!r}; each needs its own", kind="source")
        taken.add(identity)
        pages, headings = _marks(given.pages, given.text), _marks(given.headings, given.text)
        documents.append(
            Document(identity, given.text, title=given.title, date=given.date, pages=pages, headings=headings)
        )
    return documents


def _marks(given: Sequence[PageIn | HeadingIn], text: str) -> tuple[Mark, ...]:
    """Places in a text, in order; one that lies outside of it is a mistake that would show up on a receipt."""
    if outside := next((mark.start for mark in given if mark.start > len(text)), None):
        raise Problem(422, f"a page or heading begins at {outside}, the text ends at {len(text)}", kind="source")
    return tuple(sorted((Mark(mark.start, mark.label) for mark in given), key=lambda mark: mark.start))


def stored_documents(sources: Sequence[SourceIn], settings: Settings) -> list[Document]:
    """The same for documents that are stored: one without an id is known by its contents."""
    named = [
        source if source.id else source.model_copy(update={"id": f"text-{sha256_of(source.text)[:12]}"})
        for source in {source.id or sha256_of(source.text): source for source in sources}.values()
    ]
    return documents_of(named, settings)


def with_memory(documents: Sequence[Document], memory: Memory | None) -> list[Source]:
    """What an answer is checked against: documents, and a memory if there is one."""
    return [*documents] if memory is None else [*documents, memory]


async def take_uploads(files: Sequence[UploadFile], settings: Settings) -> list[tuple[str, bytes]]:
    """The name and the bytes of each file."""
    if len(files) > settings.max_batch:
        raise Problem(413, f"a request may carry {settings.max_batch} files here, not {len(files)}")
    return [(file.filename or "file", await file.read()) for file in files]


def read_uploads(
    uploads: Sequence[tuple[str, bytes]], seconds: float | None = None
) -> tuple[list[Document], list[str]]:
    """The documents of some files, and a line for each that cannot be read; 422 if none can.

    All of them together may take so many seconds. Files are read in a temporary folder, stored under a number: the name
    a client gives is only a label.
    """
    from assay.memory.readers import DocumentIds, read_sources

    documents: list[Document] = []
    refused: list[str] = []
    until = math.inf if seconds is None else monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        for number, (name, data) in enumerate(uploads, 1):
            label = _label(name) or f"file-{number}"
            place = Path(folder) / str(number) / f"file{Path(label).suffix[:16]}"
            place.parent.mkdir()
            place.write_bytes(data)
            result = read_sources([place], seconds=max(0.1, until - monotonic()))
            refused += [f"{label}: {item.reason}" for item in result.refused]
            documents += [_named(item, label, place) for item in result.documents]
    if not documents:
        raise Problem(422, "no file could be read: " + "; ".join(refused), kind="source")
    names = DocumentIds()
    return [replace(document, id=names.assign(document.id)) for document in documents], refused


def _label(name: str) -> str:
    """The last part of a path, POSIX or Windows, without characters that a terminal or a header cannot show."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(letter for letter in last if letter.isprintable()).strip(". ")[-_LONGEST_NAME:]


def _named(document: Document, label: str, place: Path) -> Document:
    """The document under the client's name for it; one file may hold several ('table.csv#3')."""
    _, mark, key = document.id.partition("#")
    title = label if document.title in ("", place.stem, place.name) else document.title
    return replace(document, id=f"{label}{mark}{key}", title=title, uri=f"upload:{label}{mark}{key}")
