"""Labelled rows as they stand in files: evidence, claim, and what a person said about them."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from assay.errors import SourceError

LABELS = ("SUPPORTED", "REFUTED", "INSUFFICIENT", "NOT_SUPPORTED")
SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled pair and the line it stands on."""

    line: int
    evidence: str
    claim: str
    label: str


@dataclass(frozen=True, slots=True)
class BadRow:
    """A line that is no labelled pair, and why."""

    line: int
    problem: str


@dataclass(frozen=True)
class RowFile:
    """What a file holds: its rows, and the lines that could not be used."""

    path: Path
    rows: tuple[Row, ...]
    bad: tuple[BadRow, ...] = ()

    def sample(self, limit: int | None, seed: int) -> RowFile:
        """At most `limit` rows chosen by the seed, in the order of the file; the bad lines stay."""
        if limit is None or limit >= len(self.rows):
            return self
        chosen = sorted(random.Random(seed).sample(range(len(self.rows)), limit))
        return RowFile(self.path, tuple(self.rows[number] for number in chosen), self.bad)


def read_rows(path: Path) -> RowFile:
    """Every line of a .jsonl or .jsonl.gz file, as a row or as what is wrong with it."""
    if not path.exists():
        raise SourceError(f"{path} does not exist")
    if path.is_dir():
        raise SourceError(f"{path} is a folder; name the files in it, as in {path}/*.jsonl.gz")
    if not path.name.endswith(SUFFIXES):
        raise SourceError(f"{path}: labelled rows are read from {', '.join(SUFFIXES)} files")
    rows: list[Row] = []
    bad: list[BadRow] = []
    try:
        for number, line in enumerate(_lines(path), 1):
            if not line.strip():
                continue
            found = parse_row(number, line)
            rows.append(found) if isinstance(found, Row) else bad.append(found)
    except (OSError, EOFError) as problem:  # a cut or damaged gzip file, or no permission
        raise SourceError(f"{path} cannot be read: {problem}") from problem
    if not rows:
        detail = f"; line {bad[0].line}: {bad[0].problem}" if bad else ""
        raise SourceError(f"{path} holds no labelled row{detail}")
    return RowFile(path, tuple(rows), tuple(bad))


def _lines(path: Path) -> Iterator[bytes]:
    with _open(path) as file:
        yield from file


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.name.endswith(".gz") else path.open("rb")  # type: ignore[return-value]


def parse_row(number: int, line: bytes | str) -> Row | BadRow:
    """A row, or what is wrong with the line.

    >>> parse_row(3, '{"premise": "It rained.", "hypothesis": "It was wet.", "label": "MAYBE"}').problem
    "the label is 'MAYBE'; known are SUPPORTED, REFUTED, INSUFFICIENT, NOT_SUPPORTED"
    """
    try:
        raw = json.loads(line)
    except ValueError as problem:
        return BadRow(number, f"no valid JSON: {problem}")
    if not isinstance(raw, dict):
        return BadRow(number, f"a {type(raw).__name__} where an object is needed")
    evidence, claim = _text(raw, ("premise", "evidence")), _text(raw, ("hypothesis", "claim"))
    if evidence is None or claim is None:
        missing = "premise" if evidence is None else "hypothesis"
        return BadRow(number, f"{missing!r} is missing or no text")
    label = raw.get("label")
    if label not in LABELS:
        return BadRow(number, f"the label is {label!r}; known are {', '.join(LABELS)}")
    return Row(number, evidence, claim, label)


def _text(raw: dict[str, object], names: Sequence[str]) -> str | None:
    for name in names:
        value = raw.get(name)
        if isinstance(value, str):
            return value
    return None
