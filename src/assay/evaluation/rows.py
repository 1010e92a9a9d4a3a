"""Labelled rows: evidence, claim, and what a person said about them; from files in many published layouts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.errors import SourceError
from assay.types import Span

LABELS = ("SUPPORTED", "REFUTED", "INSUFFICIENT", "NOT_SUPPORTED")


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled pair and the line it stands on.

    `contexts` is the evidence piece by piece and `answer` the bare answer, where a file gives them; `spans` are the
    stretches of the answer that a person marked as not backed (None where nobody looked); `kind` is the sort of
    document or the sub-set, for results and thresholds of its own.
    """

    line: int
    evidence: str
    claim: str
    label: str
    question: str = ""
    answer: str = ""
    contexts: tuple[str, ...] = ()
    spans: tuple[Span, ...] | None = None
    kind: str = ""

    @property
    def sources(self) -> tuple[str, ...]:
        return self.contexts or (self.evidence,)

    @property
    def text(self) -> str:
        """What a reader would see: the answer, or the claim where that is all there is."""
        return self.answer or self.claim


@dataclass(frozen=True, slots=True)
class BadRow:
    """A line that is no labelled pair, and why."""

    line: int
    problem: str


@dataclass(frozen=True)
class RowFile:
    """What a file holds: its rows, the lines that could not be used, and the layout it was recognised by.

    `known` are the labels of the whole file: they say what is asked, also where a sample happens to lack one.
    """

    path: Path
    rows: tuple[Row, ...]
    bad: tuple[BadRow, ...] = ()
    layout: str = "pairs"
    known: frozenset[str] = frozenset()

    @property
    def labels(self) -> frozenset[str]:
        return self.known or frozenset(row.label for row in self.rows)

    def sample(self, limit: int | None, seed: int) -> RowFile:
        """At most `limit` rows chosen by the seed, in the order of the file; the bad lines stay."""
        if limit is None or limit >= len(self.rows):
            return self
        chosen = sorted(random.Random(seed).sample(range(len(self.rows)), limit))
        return replace(self, rows=tuple(self.rows[number] for number in chosen), known=self.labels)


def read_rows(path: Path) -> RowFile:
    """Every record of a file, as rows or as what is wrong with it."""
    from assay.evaluation.labels import Scale
    from assay.evaluation.layouts import Beside, find_layout
    from assay.evaluation.records import read_records

    records = list(read_records(path))
    scale = Scale.of(record for _, record in records if isinstance(record, dict))
    beside = Beside(path, scale, tuple(record for _, record in records if isinstance(record, dict)))
    rows: list[Row] = []
    bad: list[BadRow] = []
    used: dict[str, int] = {}
    for number, record in records:
        if isinstance(record, str):
            bad.append(BadRow(number, record))
            continue
        try:
            layout = find_layout(record)
            rows.extend(layout.read(number, record, beside))
            used[layout.name] = used.get(layout.name, 0) + 1
        except ValueError as problem:
            bad.append(BadRow(number, str(problem)))
    if not rows:
        detail = f"; line {bad[0].line}: {bad[0].problem}" if bad else ""
        raise SourceError(f"{path} holds no labelled row{detail}")
    return RowFile(path, tuple(rows), tuple(bad), max(used, key=lambda name: used[name]))


def texts(record: dict[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """The text, or the texts of the list, under the first of these names that has any."""
    for name in names:
        found = tuple(_texts(record.get(name)))
        if found:
            return found
    return ()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        yield from _texts(value.get("text") or value.get("content") or value.get("page_content"))
