"""Labelled pairs of (premise, hypothesis): how they are read, written and held out."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

SUPPORTED, REFUTED, INSUFFICIENT, NOT_SUPPORTED = "SUPPORTED", "REFUTED", "INSUFFICIENT", "NOT_SUPPORTED"
UNDECIDED = "UNDECIDED"  # supported or insufficient, the one as likely as the other
LABELS = (SUPPORTED, REFUTED, INSUFFICIENT)
HELD_OUT_BELOW = 0x33  # of 256: about a fifth of all sources


@dataclass(frozen=True)
class Row:
    """One pair, its label and the set it comes from."""

    premise: str
    hypothesis: str
    label: str
    source: str


def read_rows(path: Path) -> list[Row]:
    """All rows of a .jsonl.gz file."""
    return [Row(raw["premise"], raw["hypothesis"], raw["label"], raw["source"]) for raw in read_json(path)]


def read_json(path: Path) -> Iterator[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def write_rows(rows: Iterable[Row], path: Path) -> int:
    """Writes rows as .jsonl.gz, whole or not at all, and returns how many."""
    part = path.with_name(path.name + ".part")
    count = 0
    # No name and no time in the gzip header: the same rows make the same bytes.
    with part.open("wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=4, mtime=0) as file:
        for row in rows:
            file.write((json.dumps(asdict(row), ensure_ascii=False) + "\n").encode())
            count += 1
    part.replace(path)
    return count


def held_out(name: str) -> bool:
    """Whether the source with this title or question is kept from training, so that later tests have unseen ones.

    >>> held_out("Normans"), held_out("Oxygen")
    (False, False)
    """
    return hashlib.sha256(name.encode()).digest()[0] < HELD_OUT_BELOW
