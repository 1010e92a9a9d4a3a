"""A judge or the whole engine measured on labelled rows: every row is scored, not checkable or an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter

from assay.errors import UsageError
from assay.evaluation.journal import Journal, Trial
from assay.evaluation.judges import Examined, find_judge
from assay.evaluation.pipeline import Pipeline, make_pipeline
from assay.evaluation.results import Result, summarise
from assay.evaluation.rows import Row, RowFile
from assay.policy import Policy
from assay.types import Verdict

__all__ = ["Evaluation", "Journal", "Trial", "evaluate", "find_examined", "judge_row", "measure", "run_trials"]

MODES = ("judge", "pipeline")
Runner = Callable[["Examined | Pipeline", Sequence[Row], Journal, Callable[[], None]], list[Trial]]


@dataclass(frozen=True)
class Evaluation:
    """The figures of one file and the trials they come from."""

    result: Result
    trials: tuple[Trial, ...]


def find_examined(
    judge: str, mode: str = "judge", threads: int = 2, policy: Policy | None = None
) -> Examined | Pipeline:
    """What is to be measured: a judge alone, or the whole engine with it."""
    if mode not in MODES:
        raise UsageError(f"unknown mode {mode!r}; choose {' or '.join(MODES)}")
    if mode == "pipeline":
        return make_pipeline(judge, policy)
    return find_judge(judge, threads)


def run_trials(
    judge: Examined | Pipeline, rows: Sequence[Row], journal: Journal, step: Callable[[], None] = lambda: None
) -> list[Trial]:
    """Every row judged, in order; a judge that fails on one row is an error of that row."""

    def attempt(row: Row) -> Trial:
        trial = journal.find(judge, row)
        if trial is None:
            trial = judge_row(judge, row)
            journal.keep(judge, trial)
        step()
        return trial

    if judge.workers == 1:
        return [attempt(row) for row in rows]
    with ThreadPoolExecutor(judge.workers) as pool:
        return list(pool.map(attempt, rows))


def judge_row(judge: Examined | Pipeline, row: Row) -> Trial:
    """One row judged just now, with the time it took; what goes wrong is kept as the row's problem."""
    began = perf_counter()
    opinion, detail, problem = None, None, ""
    try:
        if isinstance(judge, Pipeline):
            opinion, detail = judge.examine(row)
        else:
            opinion = judge.judge(row.evidence, row.claim)
        if opinion.verdict is Verdict.ERROR:
            opinion, problem = None, "the judge reports an error"
    except Exception as failure:  # one row that cannot be judged must not end the evaluation of the others
        problem = f"{type(failure).__name__}: {failure}"
    return Trial(row, opinion, problem, (perf_counter() - began) * 1000, detail=detail)


def measure(
    judge: Examined | Pipeline,
    file: RowFile,
    *,
    journal: Journal | None = None,
    seed: int = 0,
    step: Callable[[], None] = lambda: None,
    run: Runner = run_trials,
) -> Evaluation:
    """The figures of a judge on one file, with every trial; `run` says where the rows are judged."""
    began = perf_counter()
    trials = run(judge, file.rows, journal or Journal(), step)
    return Evaluation(summarise(judge.name, file, trials, perf_counter() - began, seed), tuple(trials))


def evaluate(
    judge: Examined | Pipeline,
    file: RowFile,
    *,
    journal: Journal | None = None,
    seed: int = 0,
    step: Callable[[], None] = lambda: None,
) -> Result:
    """The figures alone."""
    return measure(judge, file, journal=journal, seed=seed, step=step).result
