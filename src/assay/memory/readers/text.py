"""Plain text: the file as it stands; form feeds are page breaks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.memory.readers.dates import infer_date
from assay.memory.readers.draft import Draft, Refusal
from assay.memory.readers.encoding import decode
from assay.types import Mark


def read_text(path: Path, data: bytes) -> Iterator[Draft | Refusal]:
    text, warnings = decode(data)
    found = infer_date(text)
    yield Draft(
        text,
        title=path.stem,
        date=found,
        date_inferred=found is not None,
        pages=_pages(text),
        warnings=warnings,
    )


def _pages(text: str) -> tuple[Mark, ...]:
    if "\f" not in text:
        return ()
    marks, start = [Mark(0, "1")], text.find("\f")
    while start >= 0:
        marks.append(Mark(start + 1, str(len(marks) + 1)))
        start = text.find("\f", start + 1)
    return tuple(marks)
