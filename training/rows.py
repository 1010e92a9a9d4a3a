"""Labels, and rows of .jsonl.gz files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

SUPPORTED, REFUTED, INSUFFICIENT, NOT_SUPPORTED = "SUPPORTED", "REFUTED", "INSUFFICIENT", "NOT_SUPPORTED"
LABELS = (SUPPORTED, REFUTED, INSUFFICIENT)


def read_json(path: Path) -> Iterator[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
