"""Trials already made, kept in a file: an evaluation that is killed goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from assay.encoder.scores import Scores
from assay.errors import SourceError
from assay.evaluation.judges import Examined, Opinion
from assay.evaluation.pipeline import Pipeline
from assay.evaluation.rows import Row
from assay.types import Verdict


@dataclass(frozen=True, slots=True)
class Trial:
    """One row judged: the opinion or what went wrong, the milliseconds it took, and whether it was judged just now.

    `detail` is what the whole engine found, claim by claim; None where a judge alone was asked.
    """

    row: Row
    opinion: Opinion | None
    problem: str
    ms: float
    fresh: bool = True
    detail: Mapping[str, Any] | None = None


class Journal:
    """A file of trials, one a line; without a path nothing is kept."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = Lock()
        self._torn = False
        self._known: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            for entry in self._read(path):
                self._known[entry["key"]] = entry

    def _read(self, path: Path) -> Iterator[dict[str, Any]]:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise SourceError(f"the file to resume from cannot be read: {path}: {problem}") from problem
        self._torn = bool(text) and not text.endswith("\n")
        lines = text.splitlines()
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            try:
                entry = json.loads(line)
                Verdict(entry["verdict"]), Scores(*entry["scores"]), float(entry["ms"]), str(entry["key"])
            except (ValueError, KeyError, TypeError) as problem:
                if self._torn and number == len(lines):  # the run was killed while it wrote this: judge it again
                    return
                raise SourceError(
                    f"{path}, line {number}, is no entry of `assay eval --resume`: {problem}"
                ) from problem
            yield entry

    def find(self, judge: Examined | Pipeline, row: Row) -> Trial | None:
        entry = self._known.get(_key(judge, row))
        if entry is None:
            return None
        opinion = Opinion(Verdict(entry["verdict"]), Scores(*entry["scores"]))
        return Trial(row, opinion, "", entry["ms"], fresh=False, detail=entry.get("detail"))

    def keep(self, judge: Examined | Pipeline, trial: Trial) -> None:
        """Notes a trial; errors are not kept, so that the next run tries them again."""
        if self._path is None or trial.opinion is None:
            return
        scores = trial.opinion.scores
        entry: dict[str, Any] = {
            "key": _key(judge, trial.row),
            "verdict": trial.opinion.verdict.value,
            "scores": [scores.supported, scores.refuted, scores.insufficient],
            "ms": round(trial.ms, 3),
        }
        if trial.detail is not None:
            entry["detail"] = trial.detail
        with self._lock:
            self._mend()
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")

    def _mend(self) -> None:
        """Cuts off a line that a killed run left half written, so that the next one does not grow out of it."""
        if self._torn and self._path is not None:
            content = self._path.read_bytes()
            self._path.write_bytes(content[: content.rfind(b"\n") + 1])
        self._torn = False


def _key(judge: Examined | Pipeline, row: Row) -> str:
    seen = [judge.model, row.evidence, row.claim]
    if isinstance(judge, Pipeline):
        seen += [row.text, row.question, *row.sources]
    return hashlib.sha256(json.dumps(seen).encode("utf-8")).hexdigest()
