"""Tables in the evidence: a claim about one row is judged by that row, not by its neighbours' values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.types import Document, Evidence, Span

_RULE = re.compile(r"^\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$")
_FIELD = re.compile(r"\s*(?P<name>[^:|;\n]{1,60}):\s+(?P<value>[^|;\n]+)")
_NUMBER_SIGNS = re.compile(r"(?<=\d),(?=\d{3}\b)")


@dataclass(frozen=True, slots=True)
class Row:
    """One row: where it stands, and its cells under the names of their columns."""

    span: Span
    cells: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        return "; ".join(f"{name}: {value}" if name else value for name, value in self.cells) + "."


def find_rows(text: str) -> list[Row]:
    """The rows of Markdown tables, and of lines that name each value's column ("Name: Ann | Born: 1980")."""
    lines = list(_lines(text))
    return [*_markdown(lines), *_named(lines)]


def choose_row(rows: Sequence[Row], claim: str) -> Row | None:
    """The one row of which the claim names most values, at least two; None where no row stands out."""
    counts = [len(_named_cells(row, claim)) for row in rows]
    best = max(counts, default=0)
    return rows[counts.index(best)] if best >= 2 and counts.count(best) == 1 else None


def narrow(document: Document, claim: str) -> Document:
    """The document as the one row that the claim is about; as it is where there is none.

    The verifier reads a row as a sentence ("Name: Ann Lee; Born: 4 May 1980.") and hardly as a line of a table.
    """
    if "|" not in document.text and ": " not in document.text:
        return document
    row = choose_row(find_rows(document.text), claim)
    return document if row is None else replace(document, text=row.text, pages=(), headings=())


def recite(evidence: Sequence[Evidence], narrowed: Document, original: Document, claim: str) -> list[Evidence]:
    """Receipts of a narrowed document as receipts of the row in the original."""
    row = choose_row(find_rows(original.text), claim)
    if row is None or narrowed.text == original.text:
        return list(evidence)
    return [
        Evidence.cite(original, row.span.start, row.span.end, stance=item.stance, similarity=item.similarity)
        for item in evidence
    ]


def says(claim: str, value: str) -> bool:
    """Whether a value stands in the claim as words of its own."""
    wanted = _NUMBER_SIGNS.sub("", value.strip())
    return bool(wanted) and bool(
        re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", _NUMBER_SIGNS.sub("", claim), re.IGNORECASE)
    )


def _named_cells(row: Row, claim: str) -> list[str]:
    return [value for _, value in row.cells if says(claim, value)]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


def _markdown(lines: Sequence[tuple[int, str]]) -> Iterator[Row]:
    header: list[str] | None = None
    for number, (at, line) in enumerate(lines):
        below = lines[number + 1][1] if number + 1 < len(lines) else ""
        if "|" in line and "|" in below and _RULE.match(below):
            header = _cells(line)
        elif header is not None and "|" in line and not _RULE.match(line):
            values = _cells(line)
            named = [(header[n] if n < len(header) else "", value) for n, value in enumerate(values) if value]
            yield Row(_place(at, line), tuple(named))
        elif "|" not in line:
            header = None


def _named(lines: Sequence[tuple[int, str]]) -> list[Row]:
    """Rows that name their columns; at least two lines with the same columns make a table."""
    found: list[tuple[tuple[str, ...], Row]] = []
    for at, line in lines:
        parts = re.split(r"\s*[|;]\s*", line.strip().rstrip("."))
        fields = [_FIELD.fullmatch(part) for part in parts if part]
        if len(fields) >= 2 and all(fields):
            cells = tuple((match["name"].strip(), match["value"].strip()) for match in fields if match)
            found.append((tuple(name for name, _ in cells), Row(_place(at, line), cells)))
    shapes = [shape for shape, _ in found]
    return [row for shape, row in found if shapes.count(shape) > 1]


def _cells(line: str) -> list[str]:
    return [" ".join(cell.split()) for cell in line.strip().strip("|").split("|")]


def _place(at: int, line: str) -> Span:
    start = at + len(line) - len(line.lstrip())
    return Span(start, max(start, at + len(line.rstrip())))
