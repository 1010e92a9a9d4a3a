"""A judge or the whole engine measured on labelled rows: every row is scored, not checkable or an error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any

from assay.encoder.scores import Scores
from assay.errors import SourceError
from assay.evaluation.judges import Detail, MeasuredJudge, Prediction, find_judge
from assay.evaluation.results import Result, summarise
from assay.evaluation.rows import LabelledFile, LabelledRow
from assay.policy import Policy
from assay.types import Span, Verdict

Step = Callable[[], None]
Runner = Callable[[MeasuredJudge, Sequence[LabelledRow], "Journal", Step], "list[EvaluatedRow]"]


@dataclass(frozen=True, slots=True)
class EvaluatedRow:
    """One row judged: the prediction or what went wrong, the milliseconds it took, and whether it was judged just now.

    `detail` is what the whole engine found, claim by claim; None where a judge alone was asked.
    """

    row: LabelledRow
    prediction: Prediction | None
    problem: str
    ms: float
    fresh: bool = True
    detail: Detail | None = None

    @property
    def scored(self) -> bool:
        """Whether there is a verdict that can be right or wrong."""
        return self.prediction is not None and self.prediction.verdict is not Verdict.NOT_CHECKABLE

    def to_dict(self) -> dict[str, Any]:
        """Everything but the row, for a journal or a cluster."""
        said = self.prediction
        return {
            "verdict": said.verdict.value if said else None,
            "scores": [said.scores.supported, said.scores.refuted, said.scores.insufficient] if said else None,
            "problem": self.problem,
            "ms": round(self.ms, 3),
            "detail": self.detail,
        }

    @classmethod
    def from_dict(cls, row: LabelledRow, data: Mapping[str, Any], *, fresh: bool = True) -> EvaluatedRow:
        said = Prediction(Verdict(data["verdict"]), Scores(*data["scores"])) if data["verdict"] else None
        return cls(row, said, data.get("problem", ""), float(data["ms"]), fresh, data.get("detail"))


class Journal:
    """A file of evaluated rows, one a line, so that a killed evaluation goes on; without a path nothing is kept."""

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
                EvaluatedRow.from_dict(LabelledRow(number, "", "", ""), entry), str(entry["key"])
            except (ValueError, KeyError, TypeError) as problem:
                if self._torn and number == len(lines):  # the run was killed while it wrote this: judge it again
                    return
                raise SourceError(
                    f"{path}, line {number}, is no entry of `assay eval --resume`: {problem}"
                ) from problem
            yield entry

    def find(self, judge: MeasuredJudge, row: LabelledRow) -> EvaluatedRow | None:
        entry = self._known.get(judge.key(row))
        return None if entry is None else EvaluatedRow.from_dict(row, entry, fresh=False)

    def keep(self, judge: MeasuredJudge, done: EvaluatedRow) -> None:
        """Appends a row; errors are not kept, so that the next run tries them again."""
        if self._path is None or done.prediction is None:
            return
        entry = {"key": judge.key(done.row)} | done.to_dict()
        with self._lock:
            self._cut_torn_line(self._path)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")

    def _cut_torn_line(self, path: Path) -> None:
        """Cuts off a line that a killed run left half written, so that the next one does not grow out of it."""
        if self._torn:
            content = path.read_bytes()
            path.write_bytes(content[: content.rfind(b"\n") + 1])
        self._torn = False


def evaluate_rows(
    judge: MeasuredJudge, rows: Sequence[LabelledRow], journal: Journal, step: Step = lambda: None
) -> list[EvaluatedRow]:
    """Every row judged, in order; a judge that fails on one row is an error of that row."""

    def attempt(row: LabelledRow) -> EvaluatedRow:
        done = journal.find(judge, row)
        if done is None:
            done = evaluate_row(judge, row)
            journal.keep(judge, done)
        step()
        return done

    if judge.workers == 1:
        return [attempt(row) for row in rows]
    with ThreadPoolExecutor(judge.workers) as pool:
        return list(pool.map(attempt, rows))


def evaluate_row(judge: MeasuredJudge, row: LabelledRow) -> EvaluatedRow:
    """One row judged just now, with the time it took; what goes wrong is kept as the row's problem."""
    began = perf_counter()
    said, detail, problem = None, None, ""
    try:
        said, detail = judge.examine(row)
        if said.verdict is Verdict.ERROR:
            said, problem = None, "the judge reports an error"
    except Exception as failure:  # one row that cannot be judged must not end the evaluation of the others
        problem = f"{type(failure).__name__}: {failure}"
    return EvaluatedRow(row, said, problem, (perf_counter() - began) * 1000, detail=detail)


@dataclass(frozen=True)
class ClusterRunner:
    """Evaluates rows on a Ray cluster instead; each actor opens the judge anew, with one thread."""

    judge: str
    mode: str = "judge"
    policy: Policy | None = None
    actors: int | None = None

    def __call__(
        self, judge: MeasuredJudge, rows: Sequence[LabelledRow], journal: Journal, step: Step
    ) -> list[EvaluatedRow]:
        from assay.integrations.cluster import ActorSpec, run_on_cluster

        found = [journal.find(judge, row) for row in rows]
        waiting = [number for number, done in enumerate(found) if done is None]
        for _ in range(len(rows) - len(waiting)):
            step()
        workshop = ActorSpec(open_worker, {"judge": self.judge, "mode": self.mode, "policy": self.policy})
        for number, result in run_on_cluster(workshop, [asdict(rows[n]) for n in waiting], self.actors):
            place = waiting[number]
            done = found[place] = EvaluatedRow.from_dict(rows[place], result)
            journal.keep(judge, done)
            step()
        return [done for done in found if done is not None]


def open_worker(judge: str, mode: str, policy: Policy | None) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What an actor of the cluster does with a row, once its judge is open."""
    measured = find_judge(judge, 1, mode, policy)
    return lambda task: evaluate_row(measured, read_row(task)).to_dict()


def read_row(data: Mapping[str, Any]) -> LabelledRow:
    """A row from its JSON."""
    spans = data["spans"]
    row = LabelledRow(**{**data, "contexts": tuple(data["contexts"]), "spans": None})
    return row if spans is None else replace(row, spans=tuple(Span(**span) for span in spans))


@dataclass(frozen=True)
class Evaluation:
    """The figures of one file and the evaluated rows they come from."""

    result: Result
    rows: tuple[EvaluatedRow, ...]


def measure(
    judge: MeasuredJudge,
    file: LabelledFile,
    *,
    journal: Journal | None = None,
    seed: int = 0,
    step: Step = lambda: None,
    run: Runner = evaluate_rows,
) -> Evaluation:
    """The figures of a judge on one file, with every row; `run` says where the rows are judged."""
    began = perf_counter()
    rows = run(judge, file.rows, journal or Journal(), step)
    return Evaluation(summarise(judge.name, file, rows, perf_counter() - began, seed), tuple(rows))
