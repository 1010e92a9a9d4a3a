"""An answer in a file of many, as the formats for build servers and code scanning name it and point to it."""

from __future__ import annotations

from dataclasses import dataclass

from assay.codec import Json
from assay.types import Report, Span


def name_row(line: int, id: object = None) -> str:
    """What an answer of a file is called: its id, else its line.

    >>> name_row(3, "a7"), name_row(3)
    ('a7', 'line 3')
    """
    return f"line {line}" if id is None else str(id)


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """The report on the answer of a row, or the problem that kept it from being checked."""

    line: int
    id: str | None = None
    report: Report | None = None
    problem: str = ""

    @property
    def name(self) -> str:
        return name_row(self.line, self.id)

    def region(self, span: Span) -> Json:
        """Where a place in the answer is in the file: at the line of the row, as its text is encoded there."""
        return {"startLine": self.line}
