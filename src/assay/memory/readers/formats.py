"""Choose the reader of a file by its name, corrected by its first bytes; the reader of plain text is here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.errors import SourceError
from assay.memory.readers.dates import infer_date
from assay.memory.readers.encoding import decode, looks_binary
from assay.memory.readers.html import read_html
from assay.memory.readers.jsonl import read_json, read_jsonl
from assay.memory.readers.markdown import read_markdown
from assay.memory.readers.parsed import FormatReader, ParsedDocument, Refusal
from assay.memory.readers.table import read_table
from assay.memory.readers.wikitext import read_wikitext
from assay.types import Mark


def read_text(path: Path, data: bytes) -> Iterator[ParsedDocument | Refusal]:
    """Plain text: the file as it stands; form feeds are page breaks."""
    text, warnings = decode(data)
    found = infer_date(text)
    yield ParsedDocument(
        text,
        title=path.stem,
        date=found,
        date_inferred=found is not None,
        pages=_pages(text),
        warnings=warnings,
    )


def read_pdf(path: Path, data: bytes) -> Iterator[ParsedDocument | Refusal]:
    """PDF: its reader is loaded with the first such file."""
    from assay.memory.readers.pdf import read_pdf as read

    yield from read(path, data)


def read_docx(path: Path, data: bytes) -> Iterator[ParsedDocument | Refusal]:
    """DOCX: its reader is loaded with the first such file."""
    from assay.memory.readers.docx import read_docx as read

    yield from read(path, data)


def _pages(text: str) -> tuple[Mark, ...]:
    if "\f" not in text:
        return ()
    marks, start = [Mark(0, "1")], text.find("\f")
    while start >= 0:
        marks.append(Mark(start + 1, str(len(marks) + 1)))
        start = text.find("\f", start + 1)
    return tuple(marks)


FORMATS: dict[str, FormatReader] = {
    ".txt": read_text,
    ".text": read_text,
    ".log": read_text,
    ".rst": read_text,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".wiki": read_wikitext,
    ".wikitext": read_wikitext,
    ".mediawiki": read_wikitext,
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".json": read_json,
    ".csv": read_table,
    ".tsv": read_table,
    ".tab": read_table,
}

HEAD = 8192
"""Bytes from which `choose_reader` tells what a file is."""
_KNOWN_BINARY = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x1f\x8b", "a gzip archive; unpack it and add what is inside"),
    (b"\xd0\xcf\x11\xe0", "an old Office file; save it as DOCX or PDF"),
    (b"SQLite format 3", "a database"),
    (b"\x7fELF", "a program"),
)


def choose_reader(suffix: str, head: bytes) -> FormatReader:
    """The reader for a file with this name ending and these first bytes; raises SourceError for what is no text."""
    if head[:1024].lstrip()[:5] == b"%PDF-":
        return read_pdf
    if head.startswith(b"PK\x03\x04"):
        return read_docx
    reader = FORMATS.get(suffix.lower())
    if reader is read_pdf:
        raise SourceError("named PDF, but it does not begin like one")
    if reader is read_docx:
        raise SourceError("named DOCX, but it does not begin like one")
    for mark, what in _KNOWN_BINARY:
        if head.startswith(mark):
            raise SourceError(f"not text: {what}")
    if looks_binary(head):
        raise SourceError("not text: it looks like binary data")
    if reader is None:
        start = head[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        return read_html if start.startswith((b"<!doctype html", b"<html")) else read_text
    return reader
