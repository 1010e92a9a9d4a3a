"""Rows of a table, with their cells read one by one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from assay.claims.alignment import Run
from assay.claims.prose import Prose, Stretch, moved

_BAR = re.compile(r"(?<!\\)\|")
_LONGEST_NAME = 100  # characters of a column's name; more is no name
_SAYING = re.compile(r"[^\W_]|[✓✔✅☑✗✘❌✕]")


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row in order."""

    cells: list[Stretch]

    def says_something(self) -> bool:
        return any(_SAYING.search(cell.text) for cell in self.cells)

    def joined(self, header: Row | None = None) -> tuple[str, list[Run]]:
        """The row as one line, each cell with the name of its column ("Plan: Basic; Seats: 3"), and its runs."""
        names = [cell.text for cell in header.cells] if header else []
        text = ""
        runs: list[Run] = []
        for number, cell in enumerate(self.cells):
            if not cell.text:
                continue
            name = names[number] if number < len(names) and len(names[number]) <= _LONGEST_NAME else ""
            text += ("; " if text else "") + (f"{name}: " if name else "")
            runs += moved(cell.runs_between(0, len(cell.text)), len(text))
            text += cell.text
        return text, runs


def read_row(prose: Prose, start: int, end: int) -> Row:
    """The cells between the bars of `text[start:end]`."""
    bars = [match.start() for match in _BAR.finditer(prose.text, start, end)]
    edges = [start - 1, *bars, end]
    places = [(low + 1, high) for low, high in pairwise(edges)]
    if bars and not prose.text[start : bars[0]].strip():
        places = places[1:]
    if bars and not prose.text[bars[-1] + 1 : end].strip():
        places = places[:-1]
    return Row([prose.read(low, high) for low, high in places])
