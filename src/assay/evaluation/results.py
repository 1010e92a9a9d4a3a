"""From judged rows to figures, with the measure that suits the labels a file has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.codec import Json, encode_fields
from assay.evaluation import metrics
from assay.evaluation.judges import flagged_spans
from assay.evaluation.metrics import Interval
from assay.evaluation.rows import LabelledFile
from assay.types import Verdict

if TYPE_CHECKING:
    from assay.evaluation.evaluate import EvaluatedRow

SHOWN_PROBLEMS = 20
SURE = 0.8  # from this probability on a verdict is counted as sure, in the figures only


@dataclass(frozen=True)
class Task:
    """How a file's labels are to be read: what is asked, which labels there are, which measure counts."""

    name: str
    labels: tuple[str, ...]
    measure: str


THREE_WAY = Task("three-way", ("SUPPORTED", "REFUTED", "INSUFFICIENT"), "accuracy")
TWO_WAY = Task("supported or refuted", ("SUPPORTED", "REFUTED"), "accuracy")
EITHER = Task("supported or not", ("SUPPORTED", "NOT_SUPPORTED"), "balanced_accuracy")


def find_task(labels: set[str]) -> Task:
    """The task that a set of labels allows.

    >>> find_task({"SUPPORTED", "INSUFFICIENT"}).name
    'supported or not'
    """
    if labels == {"SUPPORTED", "REFUTED"}:
        return TWO_WAY
    if "NOT_SUPPORTED" in labels or labels == {"SUPPORTED", "INSUFFICIENT"}:
        return EITHER
    return THREE_WAY


@dataclass(frozen=True)
class Result:
    """The figures of one judge on one file; a figure without a value is None."""

    path: str
    judge: str
    task: Task
    n: int
    n_not_checkable: int
    n_error: int
    problems: tuple[str, ...]
    figures: dict[str, Interval | None]
    f1_not_supported: float | None
    best_threshold: tuple[float, float] | None
    confusion: dict[str, dict[str, int]]
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    rows_per_second: float | None
    layout: str = "pairs"
    rates: Mapping[str, float | None] = field(default_factory=dict)
    sure: Mapping[str, tuple[float | None, int]] = field(default_factory=dict)
    by_kind: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    spans: tuple[float, float, float] | None = None
    peak_memory_mb: float | None = None

    @property
    def name(self) -> str:
        """The file's name without its endings."""
        short = Path(self.path).name.removesuffix(".gz")
        return Path(short).stem or short

    @property
    def value(self) -> Interval | None:
        """The figure by the measure that suits the file."""
        return self.figures[self.task.measure]

    def to_dict(self) -> Json:
        values = {name: found and round(found.value, 6) for name, found in self.figures.items()}
        ranges = {name: [round(found.low, 6), round(found.high, 6)] for name, found in self.figures.items() if found}
        best = {}
        if self.best_threshold is not None:
            cut, reached = self.best_threshold
            best = {
                "best_threshold_on_these_rows": round(cut, 6),
                "balanced_accuracy_at_best_threshold_on_these_rows": round(reached, 6),
            }
        kinds = {
            name: {self.task.measure: round(value, 6), "n": count} for name, (value, count) in self.by_kind.items()
        }
        marked = dict(zip(("precision", "recall", "f1"), map(metrics.rounded, self.spans or ()), strict=False))
        return (
            encode_fields(self, without=("task", "figures", "best_threshold", "sure", "spans"))
            | {"task": self.task.name, "measure": self.task.measure, "intervals": ranges}
            | values
            | best
            | {
                "f1_not_supported": metrics.rounded(self.f1_not_supported),
                "rates": {name: metrics.rounded(rate) for name, rate in self.rates.items()},
                "right_when_sure": sure_as_dict(self.sure),
                "by_kind": kinds,
            }
            | ({"spans": marked} if self.spans else {})
        )


def summarise(judge: str, file: LabelledFile, rows: Sequence[EvaluatedRow], seconds: float, seed: int = 0) -> Result:
    """The figures over the rows that got a verdict, and counts of all the others."""
    scored = [row for row in rows if row.scored]
    failed = [row for row in rows if row.prediction is None]
    problems = [f"line {bad.line}: {bad.problem}" for bad in file.bad]
    problems += [f"line {row.row.line}: {row.problem}" for row in failed]
    fresh = sum(row.fresh for row in rows)  # rows taken from a journal say nothing about speed today
    task = find_task(set(file.labels))
    times = [row.ms for row in scored]
    figures: dict[str, Interval | None] = dict.fromkeys(
        ("accuracy", "balanced_accuracy", "macro_f1", "auc", "ece", "brier")
    )
    not_supported: float | None = None
    best: tuple[float, float] | None = None
    confusion: dict[str, dict[str, int]] = {}
    if scored:
        found = read_answers(task, scored)
        figures = _figures(found, seed)
        not_supported = metrics.f1(found.truth != 0, found.said != 0, True)
        if task is EITHER:
            best = metrics.best_threshold(found.truth == 0, found.likely[:, 0])
        confusion = {
            label: {other: int(((found.truth == a) & (found.said == b)).sum()) for b, other in enumerate(task.labels)}
            for a, label in enumerate(task.labels)
        }
    return Result(
        path=str(file.path),
        judge=judge,
        task=task,
        n=len(scored),
        n_not_checkable=len(rows) - len(scored) - len(failed),
        n_error=len(problems),
        problems=tuple(problems[:SHOWN_PROBLEMS]),
        figures=figures,
        f1_not_supported=not_supported,
        best_threshold=best,
        confusion=confusion,
        p50_ms=round(metrics.quantile(times, 0.50), 3) if times else None,
        p95_ms=round(metrics.quantile(times, 0.95), 3) if times else None,
        p99_ms=round(metrics.quantile(times, 0.99), 3) if times else None,
        rows_per_second=round(fresh / seconds, 3) if fresh and seconds > 0 else None,
        layout=file.layout,
        rates=_rates(scored),
        sure=_sure(scored),
        by_kind=_by_kind(task, scored),
        spans=_span_scores(scored),
        peak_memory_mb=metrics.peak_memory(),
    )


def _rates(rows: Sequence[EvaluatedRow]) -> dict[str, float | None]:
    """The two ways to be wrong that a reader feels, and how often nothing is settled."""
    said = [(row.row.label, row.prediction.verdict) for row in rows if row.prediction]
    true = [verdict for label, verdict in said if label == "SUPPORTED"]
    false = [verdict for label, verdict in said if label != "SUPPORTED"]
    return {
        "true_called_supported": share(verdict is Verdict.SUPPORTED for verdict in true),
        "true_called_refuted": share(verdict is Verdict.REFUTED for verdict in true),
        "false_called_supported": share(verdict is Verdict.SUPPORTED for verdict in false),
        "called_insufficient": share(verdict is Verdict.INSUFFICIENT for _, verdict in said),
    }


def share(hits: Iterable[bool]) -> float | None:
    """The share of hits; None of nothing."""
    found = list(hits)
    return sum(found) / len(found) if found else None


def _sure(rows: Sequence[EvaluatedRow]) -> dict[str, tuple[float | None, int]]:
    """Of the verdicts given with at least this probability, the share that is right, and how many there are."""
    found: dict[str, tuple[float | None, int]] = {}
    for verdict in (Verdict.SUPPORTED, Verdict.REFUTED):
        hits = [
            row.row.label == verdict.value or (verdict is Verdict.REFUTED and row.row.label == "NOT_SUPPORTED")
            for row in rows
            if row.prediction and row.prediction.verdict is verdict and row.prediction.scores.confidence >= SURE
        ]
        found[verdict.value] = (share(hits), len(hits))
    return found


def pool_sure(results: Sequence[Result]) -> dict[str, tuple[float | None, int]]:
    """The same over the rows of all files together."""
    pooled: dict[str, tuple[float | None, int]] = {}
    for verdict in dict.fromkeys(name for result in results for name in result.sure):
        counted = [result.sure[verdict] for result in results if verdict in result.sure]
        total = sum(count for _, count in counted)
        right = sum((share or 0.0) * count for share, count in counted)
        pooled[verdict] = (right / total if total else None, total)
    return pooled


def sure_as_dict(sure: Mapping[str, tuple[float | None, int]]) -> dict[str, Any]:
    """Shares and counts for a file of JSON."""
    return {name: {"share": metrics.rounded(share), "n": count} for name, (share, count) in sure.items()}


def _by_kind(task: Task, rows: Sequence[EvaluatedRow]) -> dict[str, tuple[float, int]]:
    """The measure for each kind of document or sub-set that the file names."""
    kinds = sorted({row.row.kind for row in rows if row.row.kind})
    if len(kinds) < 2:
        return {}
    measure = metrics.accuracy if task.measure == "accuracy" else metrics.balanced_accuracy
    found = {}
    for kind in kinds:
        own = [row for row in rows if row.row.kind == kind]
        answers = read_answers(task, own)
        found[kind] = (measure(answers.truth, answers.said), len(own))
    return found


def _span_scores(rows: Sequence[EvaluatedRow]) -> tuple[float, float, float] | None:
    """Precision, recall and F1 over characters, of all answers together."""
    marked = hit = called = 0
    for row in rows:
        if row.row.spans is not None and row.detail is not None:
            gold = {at for span in row.row.spans for at in range(span.start, span.end)}
            found = {at for span in flagged_spans(row.detail) for at in range(span.start, span.end)}
            marked, called, hit = marked + len(gold), called + len(found), hit + len(gold & found)
    if not marked:
        return None
    precision, recall = hit / called if called else 0.0, hit / marked
    return precision, recall, 2 * precision * recall / (precision + recall) if hit else 0.0


class Answers(NamedTuple):
    """The true label and the given one of each row, as places in the task's labels, and the probability of each."""

    truth: NDArray[Any]
    said: NDArray[Any]
    likely: NDArray[np.float64]

    @property
    def right(self) -> NDArray[np.bool_]:
        return np.asarray(self.truth == self.said)

    @property
    def confidence(self) -> NDArray[np.float64]:
        """The probability of the label that was given."""
        return np.asarray(self.likely[np.arange(len(self.said)), self.said])


def read_answers(task: Task, rows: Sequence[EvaluatedRow]) -> Answers:
    """The scored rows in the terms of a task."""
    said = [row.prediction for row in rows if row.prediction is not None]
    likely = np.asarray([(o.scores.supported, o.scores.refuted, o.scores.insufficient) for o in said], dtype=float)
    names = [row.row.label for row in rows]
    if task is THREE_WAY:
        truth = np.asarray([task.labels.index(name) for name in names])
        return Answers(truth, np.asarray([task.labels.index(o.verdict.value) for o in said]), likely)
    truth = np.asarray([0 if name == "SUPPORTED" else 1 for name in names])
    if task is TWO_WAY:  # the larger of the two: "does not settle it" is no answer here
        pair = likely[:, :2] + 1e-12
        pair = pair / pair.sum(axis=1, keepdims=True)
        return Answers(truth, (pair[:, 0] < pair[:, 1]).astype(int), pair)
    given = np.asarray([0 if o.verdict is Verdict.SUPPORTED else 1 for o in said])
    return Answers(truth, given, np.stack([likely[:, 0], 1.0 - likely[:, 0]], axis=1))


def _figures(found: Answers, seed: int) -> dict[str, Interval | None]:
    truth, said, likely = found
    right, confidence = found.right, found.confidence
    measures = {
        "accuracy": lambda n: metrics.accuracy(truth[n], said[n]),
        "balanced_accuracy": lambda n: metrics.balanced_accuracy(truth[n], said[n]),
        "macro_f1": lambda n: metrics.macro_f1(truth[n], said[n]),
        "auc": lambda n: metrics.auc(truth[n] == 0, likely[n, 0]),
        "ece": lambda n: metrics.calibration_error(right[n], confidence[n]),
        "brier": lambda n: metrics.brier(truth[n], likely[n]),
    }
    return {name: metrics.bootstrap(len(truth), measure, seed=seed) for name, measure in measures.items()}
