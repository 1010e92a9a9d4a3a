"""A judge measured on labelled rows: every row is scored, not checkable or an error, and none is forgotten."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any

from assay.bench.judges import Examined, Opinion
from assay.bench.results import Result, summarise
from assay.bench.rows import Row, RowFile
from assay.encoder.scores import Scores
from assay.errors import SourceError
from assay.types import Verdict


@dataclass(frozen=True, slots=True)
class Trial:
    """One row judged: the opinion or what went wrong, the milliseconds it took, and whether it was judged just now."""

    row: Row
    opinion: Opinion | None
    problem: str
    ms: float
    fresh: bool = True


class Journal:
    """Trials already made, kept in a file so that a stopped evaluation goes on where it was."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = Lock()
        self._known: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            for entry in _read_entries(path):
                self._known[entry["key"]] = entry

    def find(self, judge: Examined, row: Row) -> Trial | None:
        entry = self._known.get(_key(judge, row))
        if entry is None:
            return None
        return Trial(row, Opinion(Verdict(entry["verdict"]), Scores(*entry["scores"])), "", entry["ms"], fresh=False)

    def keep(self, judge: Examined, trial: Trial) -> None:
        """Notes a trial; errors are not kept, so that the next run tries them again."""
        if self._path is None or trial.opinion is None:
            return
        scores = trial.opinion.scores
        entry = {
            "key": _key(judge, trial.row),
            "verdict": trial.opinion.verdict.value,
            "scores": [scores.supported, scores.refuted, scores.insufficient],
            "ms": round(trial.ms, 3),
        }
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def _read_entries(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise SourceError(f"the file to resume from cannot be read: {path}: {problem}") from problem
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            Verdict(entry["verdict"]), Scores(*entry["scores"]), float(entry["ms"]), str(entry["key"])
        except (ValueError, KeyError, TypeError) as problem:
            if number == len(lines):  # the run was stopped while it wrote this line: the row is simply judged again
                return
            raise SourceError(f"{path}, line {number}, is no entry of `assay eval --resume`: {problem}") from problem
        yield entry


def _key(judge: Examined, row: Row) -> str:
    parts = json.dumps([judge.model, row.evidence, row.claim])
    return hashlib.sha256(parts.encode("utf-8")).hexdigest()


def run_trials(
    judge: Examined, rows: Sequence[Row], journal: Journal, step: Callable[[], None] = lambda: None
) -> list[Trial]:
    """Every row judged, in order; a judge that fails on one row is an error of that row."""

    def attempt(row: Row) -> Trial:
        trial = journal.find(judge, row)
        if trial is None:
            trial = _judge(judge, row)
            journal.keep(judge, trial)
        step()
        return trial

    if judge.workers == 1:
        return [attempt(row) for row in rows]
    with ThreadPoolExecutor(judge.workers) as pool:
        return list(pool.map(attempt, rows))


def _judge(judge: Examined, row: Row) -> Trial:
    began = perf_counter()
    opinion, problem = None, ""
    try:
        opinion = judge.judge(row.evidence, row.claim)
        if opinion.verdict is Verdict.ERROR:
            opinion, problem = None, "the judge reports an error"
    except Exception as failure:  # one row that cannot be judged must not end the evaluation of the others
        problem = f"{type(failure).__name__}: {failure}"
    return Trial(row, opinion, problem, (perf_counter() - began) * 1000)


def evaluate(
    judge: Examined,
    file: RowFile,
    *,
    journal: Journal | None = None,
    seed: int = 0,
    step: Callable[[], None] = lambda: None,
) -> Result:
    """The measures of a judge on one file."""
    began = perf_counter()
    trials = run_trials(judge, file.rows, journal or Journal(), step)
    return summarise(judge.name, file, trials, perf_counter() - began, seed)
