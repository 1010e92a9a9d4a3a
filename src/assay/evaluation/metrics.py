"""The measures, each a function of labels and predictions, and how sure one can be of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = Sequence[Any] | NDArray[Any]


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with the range that holds it 95 times in 100."""

    value: float
    low: float
    high: float


def accuracy(truth: Labels, said: Labels) -> float:
    """The share of right answers."""
    return float(np.mean(np.asarray(truth) == np.asarray(said)))


def recalls(truth: Labels, said: Labels) -> dict[Any, float]:
    """For each label that occurs, the share of its rows that were found."""
    truth, said = np.asarray(truth), np.asarray(said)
    return {label: float(np.mean(said[truth == label] == label)) for label in np.unique(truth).tolist()}


def balanced_accuracy(truth: Labels, said: Labels) -> float:
    """The mean of the recalls: 0.5 for a judge of two labels that always says the same."""
    found = recalls(truth, said)
    return sum(found.values()) / len(found)


def f1(truth: Labels, said: Labels, label: Any) -> float:
    """The harmonic mean of precision and recall for one label; 0 where it is never rightly said."""
    is_so, called_so = np.asarray(truth) == label, np.asarray(said) == label
    return float(2 * (is_so & called_so).sum() / max(1, is_so.sum() + called_so.sum()))


def macro_f1(truth: Labels, said: Labels) -> float:
    """The mean F1 over the labels that occur in the truth."""
    labels = np.unique(np.asarray(truth)).tolist()
    return sum(f1(truth, said, label) for label in labels) / len(labels)


def auc(positive: Labels, scores: Labels) -> float | None:
    """The chance that a positive row scores above a negative one, a tie counting half; None if one kind is missing."""
    flags, values = np.asarray(positive, dtype=bool), np.asarray(scores, dtype=float)
    ups, downs = int(flags.sum()), int((~flags).sum())
    if not ups or not downs:
        return None
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = (ends - (counts - 1) / 2)[inverse]
    return float((ranks[flags].sum() - ups * (ups + 1) / 2) / (ups * downs))


def calibration_error(right: Labels, confidence: Labels, bins: int = 10) -> float:
    """The mean distance between how sure and how right, over equal bins of confidence, weighted by their rows."""
    hits, sure = np.asarray(right, dtype=float), np.asarray(confidence, dtype=float)
    place = np.minimum((sure * bins).astype(int), bins - 1)
    gaps = [
        abs(hits[place == number].mean() - sure[place == number].mean()) * (place == number).sum()
        for number in range(bins)
        if (place == number).any()
    ]
    return float(sum(gaps) / len(hits))


def brier(truth: Labels, probabilities: Floats) -> float:
    """The mean squared distance between the probabilities and the truth, summed over the labels."""
    wanted = np.zeros_like(probabilities)
    wanted[np.arange(len(truth)), truth] = 1.0
    return float(((probabilities - wanted) ** 2).sum(axis=1).mean())


def best_threshold(positive: Labels, scores: Labels) -> tuple[float, float]:
    """The cut with the highest balanced accuracy on these very rows, and that accuracy: an upper bound, no result."""
    flags, values = np.asarray(positive, dtype=bool), np.asarray(scores, dtype=float)
    order = np.argsort(-values, kind="stable")
    hits, misses = np.cumsum(flags[order]), np.cumsum(~flags[order])
    ups, downs = max(1, int(flags.sum())), max(1, int((~flags).sum()))
    figure = (hits / ups + 1 - misses / downs) / 2
    last = np.append(np.diff(values[order]) != 0, True)  # rows with the same score stand or fall together
    best = int(np.argmax(np.where(last, figure, -1.0)))
    return float(values[order][best]), float(figure[best])


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed.

    >>> quantile([30.0, 10.0, 20.0], 0.5)
    20.0
    """
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def bootstrap(
    rows: int, figure: Callable[[NDArray[np.int64]], float | None], *, rounds: int = 500, seed: int = 0
) -> Interval | None:
    """A figure of row numbers with its 95 % range over samples drawn again; None where the figure has no value."""
    value = figure(np.arange(rows))
    if value is None:
        return None
    dice = np.random.default_rng(seed)
    drawn = (figure(dice.integers(0, rows, rows)) for _ in range(rounds))
    found = [one for one in drawn if one is not None]
    low, high = (float(edge) for edge in np.quantile(found, (0.025, 0.975))) if found else (value, value)
    return Interval(value, low, high)
