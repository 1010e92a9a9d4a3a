"""The verification log: one line for each claim that was checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from assay.ledger.records import Record
from assay.ledger.runs import run_id_of


@dataclass(frozen=True, slots=True)
class LogLine:
    """One result; `claim` counts from 0, as in the report."""

    run_id: str
    time: str
    claim: int
    text: str
    verdict: str
    support: str
    confidence: float
    method: str
    action: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def log_lines(runs: Iterable[Record]) -> Iterator[LogLine]:
    """The results of each run in turn, in the order of its answer."""
    for record in runs:
        for number, item in enumerate(record.payload["stages"]["verification"]):
            yield LogLine(
                run_id_of(record),
                record.time,
                number,
                item["text"],
                item["verdict"],
                item["support"],
                item["confidence"],
                item["method"],
                item["action"],
            )
