"""The verification log: one line for each claim that was checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from assay.ledger.records import Record
from assay.ledger.runs import DAMAGED, UNREADABLE, run_id_of
from assay.types import Verdict


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
    """The results of each run in turn, in the order of its answer; of a damaged record a line that says so."""
    for record in runs:
        try:
            yield from _lines(record)
        except UNREADABLE:
            where = (run_id_of(record), record.time)
            yield LogLine(*where, 0, DAMAGED, Verdict.ERROR.value, "none", 0.0, "", "abstain")


def _lines(record: Record) -> list[LogLine]:
    return [
        LogLine(
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
        for number, item in enumerate(record.payload["stages"]["verification"])
    ]
