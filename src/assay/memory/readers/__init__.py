"""Read sources of every format into documents: the text a person reads, with pages and headings marked.

>>> result = read_sources(["Mount Everest is 8,849 m high."])
>>> result.documents[0].id, result.refused
('text-1', ())
"""

from __future__ import annotations

import os
import stat
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from assay.errors import SourceError, UsageError
from assay.memory.readers.folder import (
    FileSource,
    Source,
    SourceItem,
    StdinSource,
    TextSource,
    find_sources,
    looks_like_path,
)
from assay.memory.readers.formats import FORMATS, HEAD, choose_reader, read_text
from assay.memory.readers.parsed import ParsedDocument, Refusal
from assay.memory.readers.table import find_cell
from assay.memory.readers.worker import read_apart
from assay.types import Document

__all__ = [
    "FORMATS",
    "DocumentIds",
    "Notice",
    "ReadResult",
    "Refusal",
    "Source",
    "find_cell",
    "find_sources",
    "read_path",
    "read_source",
    "read_sources",
    "stream_sources",
]

MAX_FILE = 512 * 1024 * 1024
"""Bytes of one file or of standard input: what fits in memory several times over."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about a source that was read which its owner should know: a guessed encoding, damaged characters."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What was read, what was refused and why, and what was read with doubts."""

    documents: tuple[Document, ...]
    refused: tuple[Refusal, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Everything a person should be told, one line each."""
        return tuple(str(item) for item in (*self.refused, *self.notices))


class DocumentIds:
    """Hands out document ids: the wish itself while it is free, then with folders in front, then numbered."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}

    def assign(self, wish: str, parents: tuple[str, ...] = ()) -> str:
        name = wish
        for depth in range(1, len(parents) + 1):
            if name not in self._taken:
                break
            name = "/".join((*parents[-depth:], wish))
        while name in self._taken:  # counted on from where the last one stopped: one id may stand there 100,000 times
            self._numbers[wish] = self._numbers.get(wish, 1) + 1
            name = f"{wish}~{self._numbers[wish]}"
        self._taken.add(name)
        return name


def read_sources(sources: Iterable[Source], *, follow_links: bool = False, seconds: float | None = None) -> ReadResult:
    """Everything the sources hold; what cannot be read is refused by name and the rest goes in.

    A link that leads out of a folder is refused, too, unless `follow_links` asks for it. `seconds` of processor time
    for a file are enough, whatever its size.
    """
    if isinstance(sources, str | os.PathLike | Document):
        sources = [sources]
    documents: list[Document] = []
    refused: list[Refusal] = []
    notices: list[Notice] = []
    for item in stream_sources(sources, follow_links=follow_links, seconds=seconds):
        match item:
            case Document():
                documents.append(item)
            case Refusal():
                refused.append(item)
            case Notice():
                notices.append(item)
    return ReadResult(tuple(documents), tuple(refused), tuple(notices))


def stream_sources(
    sources: Iterable[Source], *, follow_links: bool = False, seconds: float | None = None
) -> Iterator[Document | Refusal | Notice]:
    """The same, one by one, so that a large folder need not fit in memory."""
    ids = DocumentIds()
    for place in find_sources(sources, follow_links=follow_links):
        yield from read_source(place, ids, seconds)


def read_path(path: str | os.PathLike[str]) -> list[Document]:
    """The documents of one file; raises SourceError if it cannot be read."""
    place = FileSource(Path(path), Path(path).name)
    items = list(read_source(place, DocumentIds()))
    documents = [item for item in items if isinstance(item, Document)]
    refused = [item for item in items if isinstance(item, Refusal)]
    if not documents:
        raise SourceError(str(refused[0]) if refused else f"{path}: it holds no text")
    return documents


def read_source(
    place: SourceItem, ids: DocumentIds, seconds: float | None = None
) -> Iterator[Document | Refusal | Notice]:
    """The documents of one place that `find_sources` found, with unique ids."""
    match place:
        case Document() | Refusal():
            yield replace(place, id=ids.assign(place.id)) if isinstance(place, Document) else place
        case TextSource():
            if place.text.strip():
                yield Document(ids.assign(place.name), place.text, uri=_text_uri(place.text.encode("utf-8", "replace")))
                if looks_like_path(place.text):
                    notice = Notice(place.name, f"the string {place.text!r} is taken as text; for a file give a Path")
                    warnings.warn(str(notice), stacklevel=2)  # for callers that do not show notices
                    yield notice
            else:
                yield Refusal(place.name, "empty: it holds no text")
        case StdinSource():
            data = sys.stdin.buffer.read(MAX_FILE + 1)
            if len(data) > MAX_FILE:
                yield Refusal(place.name, f"more than the {MAX_FILE:,} bytes that may be piped in; split it")
                return
            yield from _read_bytes(Path("stdin"), data, place.name, _text_uri(data), ids, seconds)
        case FileSource():
            try:
                data = _load(place.path)
            except SourceError as problem:
                yield Refusal(str(place.path), str(problem))
                return
            uri = Path(os.path.realpath(place.path)).as_uri()
            yield from _read_bytes(place.path, data, place.name, uri, ids, seconds)


def _text_uri(data: bytes) -> str:
    """An address for what has no path: the same text has the same."""
    return f"text:{sha256(data).hexdigest()[:16]}"


def _load(path: Path) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise SourceError("not a regular file")
        if status.st_size == 0:
            raise SourceError("empty: 0 bytes")
        if status.st_size > MAX_FILE:
            raise SourceError(f"{status.st_size:,} bytes is more than the {MAX_FILE:,} one file may have; split it")
        with path.open("rb") as file:
            choose_reader(path.suffix, file.read(HEAD))  # a large binary is refused before it is loaded
            file.seek(0)
            return file.read()
    except OSError as problem:
        raise SourceError(_explain(problem)) from problem


def _explain(problem: OSError) -> str:
    match problem:
        case PermissionError():
            return "permission denied"
        case FileNotFoundError():
            return "no such file, or a link that leads nowhere"
        case _:
            return problem.strerror or str(problem)


def _read_bytes(
    path: Path, data: bytes, name: str, uri: str, ids: DocumentIds, seconds: float | None
) -> Iterator[Document | Refusal | Notice]:
    shown = str(path)
    parents = tuple(part for part in path.absolute().parent.parts if part != "/") if uri.startswith("file:") else ()
    given: set[str] = set()
    base: str | None = None
    try:
        for item in _parse(path, data, seconds):
            if isinstance(item, Refusal):
                yield item
                continue
            if not item.text.strip():
                yield Refusal(shown, "empty: it holds no text")
                continue
            if base is None:
                base = ids.assign(name, parents)
            yield _document(item, ids.assign(f"{base}#{item.key}") if item.key else base, uri)
            for message in item.warnings:
                if message not in given:
                    given.add(message)
                    yield Notice(shown, message)
    except UsageError as problem:
        yield Refusal(shown, str(problem))
    except (RecursionError, MemoryError) as problem:
        yield Refusal(shown, f"too large or too deeply nested to read ({type(problem).__name__})")


def _parse(path: Path, data: bytes, seconds: float | None) -> Iterator[ParsedDocument | Refusal]:
    """What the reader of a file finds: here for plain text, which needs no parsing, else in a process of its own."""
    reader = choose_reader(path.suffix, data[:HEAD])
    if reader is read_text or not reader.__module__.startswith(__name__):  # one that was added knows its own limits
        return reader(path, data)
    return read_apart(path, data, seconds)


def _document(parsed: ParsedDocument, identity: str, uri: str) -> Document:
    return Document(
        id=identity,
        text=parsed.text,
        title=parsed.title,
        role=parsed.role,
        markup=parsed.markup,
        date=parsed.date,
        date_inferred=parsed.date_inferred,
        uri=parsed.uri or (f"{uri}#{parsed.key}" if parsed.key and uri else uri),
        pages=parsed.pages,
        headings=parsed.headings,
        links=parsed.links,
    )
