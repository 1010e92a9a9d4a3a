"""CSV and TSV: a line for each row, each value with its column's name, each row marked so that it can be addressed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from assay.errors import SourceError
from assay.memory.readers.encoding import decode
from assay.memory.readers.parsed import ParsedDocument, Refusal
from assay.types import Document, Mark, Span

_SNIFF = 20_000
_LARGEST_CELL = 10_000_000


def read_table(path: Path, data: bytes) -> Iterator[ParsedDocument | Refusal]:
    source, warnings = decode(data)
    csv.field_size_limit(_LARGEST_CELL)
    delimiter = "\t" if path.suffix.lower() in (".tsv", ".tab") else _delimiter(source[:_SNIFF])
    rows = csv.reader(io.StringIO(source, newline=""), delimiter=delimiter)
    lines: list[str] = []
    marks: list[Mark] = []
    length = 0
    try:
        header = [" ".join(name.split()) for name in next(rows, [])]
        for number, row in enumerate(rows, start=1):
            line = _line(header, row)
            if line:
                marks.append(Mark(length, f"row {number}"))
                lines.append(line)
                length += len(line) + 1
    except csv.Error as problem:
        raise SourceError(f"not a readable table: {problem} (line {rows.line_num})") from problem
    if not lines and header:  # a single line is a row, not a header
        lines, marks = [" | ".join(header)], [Mark(0, "row 1")]
    yield ParsedDocument("\n".join(lines), title=path.stem, headings=tuple(marks), warnings=warnings)


def find_cell(document: Document, row: int, column: str) -> Span | None:
    """Where the value of one cell stands in the text of a table, rows counted from 1; None if there is no such cell."""
    label = f"row {row}"
    start = next((mark.start for mark in document.headings if mark.label == label), None)
    if start is None:
        return None
    end = document.text.find("\n", start)
    line = document.text[start : end if end >= 0 else len(document.text)]
    offset = start
    for cell in line.split(" | "):
        name, found, _ = cell.partition(": ")
        if found and name == column:
            return Span(offset + len(name) + 2, offset + len(cell))
        offset += len(cell) + 3
    return None


def _line(header: list[str], row: list[str]) -> str:
    cells = []
    for index, value in enumerate(row):
        shown = " ".join(value.split()).replace(" | ", " / ")
        if shown:
            name = header[index] if index < len(header) and header[index] else f"column {index + 1}"
            cells.append(f"{name}: {shown}")
    return " | ".join(cells)


def _delimiter(sample: str) -> str:
    first = sample.split("\n", 1)[0]
    return max(",;\t|", key=first.count) if any(first.count(mark) for mark in ",;\t|") else ","
