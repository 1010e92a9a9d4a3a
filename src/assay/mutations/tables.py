"""Table cells and named values read as sentences, and with the value of another row or column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.mutations.source import GeneratedClaim, SourceText, content_stems
from assay.text.amounts import Match, compare
from assay.text.quantities import find_quantities
from assay.types import Span

_FIELD = re.compile(
    r"[ \t]*(?:[-*•][ \t]+)?(?:\*\*)?([^\W\d_][^:|\n]{0,40}?)(?:\*\*)?:(?:\*\*)?[ \t]+(\S[^|\n]{0,80}?)[ \t]*$"
)
_RULE = re.compile(r"[\s:|]*+-[\s:|-]*+\Z")
_NAMED_CELL = re.compile(r"\s*(?P<name>[^:|;\n]{1,60}):\s+(?P<value>[^|;\n]+)")
_HEADING = re.compile(r"[ \t]*+(?:#{1,6}[ \t]++)?([^\n:| \t][^\n:|]{0,58}[^\n:| \t])[ \t]*+")
# Cells that are no value, or no word for a sentence: "Export for Viewer is yes" is not how anybody reads a table.
_EMPTY = re.compile(r"[-–—./\s]*|n/?a|none|tbd|\?|yes|no|x|[✓✔✗✘]", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_LONGEST_CELL = 60


@dataclass(frozen=True, slots=True)
class Row:
    """One row: where it stands, and its cells under the names of their columns."""

    span: Span
    cells: tuple[tuple[str, str], ...]


def find_rows(text: str) -> list[Row]:
    """The rows of Markdown tables, and of lines that name each value's column ("Name: Ann | Born: 1980")."""
    lines = list(_lines(text))
    return [*_markdown(lines), *_named(lines)]


def read_tables(text: str) -> list[list[Row]]:
    """The tables of a text as groups of rows, and the blocks of "Name: value" lines that repeat the same names."""
    groups: list[list[Row]] = []
    for row in find_rows(text):
        names = tuple(name for name, _ in row.cells)
        last = groups[-1] if groups else []
        adjacent = bool(last) and text[last[-1].span.end : row.span.start].count("\n") <= 1
        if adjacent and tuple(name for name, _ in last[0].cells) == names:
            last.append(row)
        else:
            groups.append([row])
    return [rows for rows in [*groups, *_read_blocks(text)] if len(rows) > 1 and _is_keyed(rows)]


def _is_keyed(rows: Sequence[Row]) -> bool:
    """Whether every row has a name of its own and another cell."""
    keys = [row.cells[0][1].lower() for row in rows if row.cells]
    return len(set(keys)) == len(rows) and all(len(row.cells) > 1 for row in rows)


def _read_blocks(text: str) -> Iterator[list[Row]]:
    """Blocks of at least two "Name: value" lines, each under a line of its own or with the name in its first value."""
    blocks: list[Row] = []
    for match in re.finditer(r"(?:^[^\n]*\S[^\n]*(?:\n|$))+", text, re.MULTILINE):
        lines = [(match.start() + line.start(), line.group()) for line in re.finditer(r"[^\n]+", match.group())]
        fields = [(at, line, found) for at, line in lines if (found := _FIELD.fullmatch(line))]
        rest = [(at, line) for at, line in lines if not _FIELD.fullmatch(line)]
        if len(fields) < 2 or len(rest) > 1:
            continue
        cells = [(found[1].strip("* "), found[2].strip("* ")) for _, _, found in fields]
        if rest and (title := _HEADING.fullmatch(rest[0][1])) and rest[0][0] < fields[0][0]:
            cells.insert(0, ("", title[1].strip("* ")))
        elif above := re.search(r"#{1,6}[ \t]+([^\n]{2,60})\n\s*$", text[: match.start()]):
            cells.insert(0, ("", above[1].strip()))
        at, line, _ = fields[-1]
        blocks.append(Row(Span(match.start(), at + len(line.rstrip())), tuple(cells)))
    shapes = [tuple(name for name, _ in row.cells) for row in blocks]
    for shape in dict.fromkeys(shapes):
        yield [row for row, own in zip(blocks, shapes, strict=True) if own == shape]


def swap_cells(source: SourceText) -> Iterator[GeneratedClaim]:
    """Every cell given the value of the next row, or of another column of the same row."""
    for rows in read_tables(source.document.text):
        for above, below in pairwise((*rows, rows[0])):
            for column in range(1, min(len(above.cells), len(below.cells))):
                yield from _other_row(above, below, column)
            yield from _other_columns(above)


def _other_row(row: Row, other: Row, column: int) -> Iterator[GeneratedClaim]:
    own, foreign = row.cells[column][1], other.cells[column][1]
    if not _differ(own, foreign):
        return
    telling = content_stems(row.cells[0][1]) | content_stems(foreign)
    places = (row.span, other.span)
    yield GeneratedClaim("table", "value of another row", _read(row, column, foreign), places, own, foreign, telling)


def _other_columns(row: Row) -> Iterator[GeneratedClaim]:
    for one, other in pairwise(range(1, len(row.cells))):
        own, foreign = row.cells[one][1], row.cells[other][1]
        kinds = [{quantity.kind for quantity in find_quantities(value)} for value in (own, foreign)]
        if _differ(own, foreign) and kinds[0] and kinds[0] == kinds[1]:
            telling = content_stems(f"{row.cells[0][1]} {row.cells[one][0]} {foreign}")
            text = _read(row, one, foreign)
            yield GeneratedClaim("table", "value of another column", text, (row.span,), own, foreign, telling)


def _differ(one: str, other: str) -> bool:
    """Whether two cells hold different values of one sort."""
    if _EMPTY.fullmatch(one) or _EMPTY.fullmatch(other) or one.lower() == other.lower():
        return False
    if max(len(one), len(other)) > _LONGEST_CELL:
        return False
    ours, theirs = find_quantities(one), find_quantities(other)
    if bool(ours) != bool(theirs):
        return False
    return not ours or any(compare(a, b) is Match.DIFFERENT for a, b in zip(ours, theirs, strict=False))


def read_cells(source: SourceText) -> Iterator[GeneratedClaim]:
    """Every cell read as a sentence, as it stands; none that a second table of the document may contradict."""
    tables = read_tables(source.document.text)
    seen = Counter((row.cells[0][1], name) for rows in tables for row in rows for name, _ in row.cells)
    for row in (row for rows in tables for row in rows):
        for column, (name, value) in enumerate(row.cells):
            if not column or _EMPTY.fullmatch(value) or len(value) > _LONGEST_CELL:
                continue
            if seen[row.cells[0][1], name] == 1:
                yield GeneratedClaim("table", "cell as a sentence", _read(row, column, value), (row.span,))


def _read(row: Row, column: int, value: str) -> str:
    """ "Price for Basic is $19.", "Profit in 2024 is 3.1." """
    title, key = row.cells[0]
    about = key if re.search(r"[^\W\d_]{2,}", key) or not title else f"{title} {key}"
    name = row.cells[column][0] or "the value"
    said = f"{about} in {name}" if _YEAR.fullmatch(name) else f"{name} for {about}"
    return f"{said[:1].upper()}{said[1:]} is {value.rstrip('.')}."


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
        parts = [part.strip() for part in re.split(r"[|;]", line.strip().rstrip("."))]
        fields = [_NAMED_CELL.fullmatch(part) for part in parts if part]
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
