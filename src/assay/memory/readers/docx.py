"""DOCX: paragraphs, headings and tables in the order they stand in."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.errors import SourceError, missing_extra
from assay.memory.readers.dates import infer_date, parse_date
from assay.memory.readers.draft import Draft, Page, Refusal

_LARGEST_PART = 300_000_000
_LARGEST_RATIO = 200  # real documents compress ten- to thirtyfold
_RATIO_FROM = 20_000_000  # below this size even a bomb does no harm
_HEADING = re.compile(r"(?:heading|überschrift|titre)\s*([1-9])$", re.I)


def read_docx(path: Path, data: bytes) -> Iterator[Draft | Refusal]:
    try:
        import docx
    except ImportError:
        raise missing_extra("Reading DOCX", "documents") from None
    _refuse_bomb(data)
    try:
        document: Any = docx.Document(io.BytesIO(data))
        page = Page()
        for item in document.iter_inner_content():
            if hasattr(item, "rows"):
                _lay_out_table(item, page)
            else:
                _lay_out_paragraph(item, page)
        properties = document.core_properties
        title, stated = properties.title or "", properties.modified or properties.created
    except Exception as problem:  # a damaged archive makes the parser fail in many ways
        raise SourceError(f"a damaged DOCX ({type(problem).__name__}: {problem})") from problem
    found = parse_date(stated) or infer_date(page.text)
    yield Draft(
        page.text,
        title=title.strip() or (page.headings[0].label if page.headings else path.stem),
        date=found,
        date_inferred=found is not None,
        headings=tuple(page.headings),
    )


def _lay_out_paragraph(paragraph: Any, page: Page) -> None:
    style = (paragraph.style.name or "") if paragraph.style is not None else ""
    if heading := _HEADING.search(style):
        page.heading(int(heading[1]), paragraph.text)
    elif style == "Title":
        page.heading(1, paragraph.text)
    elif style.startswith("List"):
        page.block("- " + paragraph.text.strip() if paragraph.text.strip() else "", gap="\n")
    else:
        page.block(paragraph.text)


def _lay_out_table(table: Any, page: Page) -> None:
    lines = []
    for row in table.rows:
        cells: list[str] = []
        seen = set()
        for cell in row.cells:
            if id(cell._tc) not in seen:  # a merged cell is listed once for each column it spans
                seen.add(id(cell._tc))
                cells.append(" ".join(cell.text.split()))
        lines.append(" | ".join(cells))
    page.block("\n".join(line for line in lines if line.strip(" |")))


def _refuse_bomb(data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError) as problem:
        raise SourceError(f"a damaged DOCX ({problem})") from problem
    unpacked = sum(part.file_size for part in parts)
    if unpacked > _LARGEST_PART or (unpacked > _RATIO_FROM and unpacked > _LARGEST_RATIO * len(data)):
        raise SourceError(f"it would unpack from {len(data):,} to {unpacked:,} bytes: refused as a zip bomb")
    if not any(part.filename == "word/document.xml" for part in parts):
        raise SourceError("a zip archive that is no Word document; unpack it and add what is inside")
