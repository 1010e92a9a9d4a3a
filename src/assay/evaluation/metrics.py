"""Measures of labels and predictions, shares and intervals with their 95 % range, and the memory a process held."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
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


def rounded(value: float | None) -> float | None:
    """The value with the digits that a result is written with."""
    return None if value is None else round(value, 6)


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


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Rows whose confidence lies between `low` and `high`: how many, their mean confidence and the share right."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


def reliability_bins(right: Labels, confidence: Labels, bins: int = 10) -> list[ReliabilityBin]:
    """Equal bins of confidence, those with rows in them."""
    hits, sure = np.asarray(right, dtype=float), np.asarray(confidence, dtype=float)
    place = np.minimum((sure * bins).astype(int), bins - 1)
    return [
        ReliabilityBin(n / bins, (n + 1) / bins, int(own.sum()), float(sure[own].mean()), float(hits[own].mean()))
        for n in range(bins)
        if (own := place == n).any()
    ]


def calibration_error(right: Labels, confidence: Labels, bins: int = 10) -> float:
    """The mean distance between confidence and accuracy over the bins, weighted by their rows."""
    found = reliability_bins(right, confidence, bins)
    return sum(abs(one.accuracy - one.confidence) * one.count for one in found) / sum(one.count for one in found)


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
    rng = np.random.default_rng(seed)
    drawn = (figure(rng.integers(0, rows, rows)) for _ in range(rounds))
    found = [one for one in drawn if one is not None]
    low, high = (float(edge) for edge in np.quantile(found, (0.025, 0.975))) if found else (value, value)
    return Interval(value, low, high)


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95 % range; the range of Wilson, which holds for few cases too."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def range(self) -> tuple[float, float] | None:
        """
        >>> [round(end, 3) for end in Rate(9, 10).range]
        [0.596, 0.982]
        """
        if not self.of:
            return None
        z, share = 1.96, self.hits / self.of
        middle = (share + z * z / (2 * self.of)) / (1 + z * z / self.of)
        wide = z * math.sqrt(share * (1 - share) / self.of + z * z / (4 * self.of**2)) / (1 + z * z / self.of)
        # At 0 and at 1 the range ends in the share itself; rounding would put its end a hair beside it.
        return max(0.0, min(share, middle - wide)), min(1.0, max(share, middle + wide))

    def to_dict(self) -> dict[str, Any]:
        return {"hits": self.hits, "of": self.of, **_figures(self)}


@dataclass(frozen=True, slots=True)
class MeanRate:
    """The mean of several rates, each counted once, with its 95 % range from theirs."""

    rates: tuple[Rate, ...]

    @property
    def value(self) -> float | None:
        """
        >>> MeanRate((Rate(98, 100), Rate(1, 2))).value
        0.74
        """
        shares = [rate.value for rate in self.rates if rate.value is not None]
        return sum(shares) / len(shares) if shares else None

    @property
    def range(self) -> tuple[float, float] | None:
        """The ends lie from the mean as the root of the summed squares of what each rate's ends lie from it."""
        mean = self.value
        if mean is None:
            return None
        parts = [(rate.value, rate.range) for rate in self.rates]
        known = [(share, ends) for share, ends in parts if share is not None and ends is not None]
        below = math.sqrt(sum((share - low) ** 2 for share, (low, _) in known)) / len(known)
        above = math.sqrt(sum((high - share) ** 2 for share, (_, high) in known)) / len(known)
        return max(0.0, mean - below), min(1.0, mean + above)

    def to_dict(self) -> dict[str, Any]:
        return {"kinds": sum(rate.of > 0 for rate in self.rates), **_figures(self)}


def _figures(rate: Rate | MeanRate) -> dict[str, Any]:
    ends = rate.range
    return {
        "rate": None if rate.value is None else round(rate.value, 4),
        "range": None if ends is None else [round(end, 4) for end in ends],
    }


def peak_memory() -> float | None:
    """The most memory this process has held, in MB; None where the system does not tell."""
    try:
        # Linux counts afresh when a program begins here; `getrusage` would go on from what the parent process held.
        status = Path("/proc/self/status").read_text()
        return round(int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6, 1)
    except (OSError, IndexError, ValueError):
        pass
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / 1e6 if sys.platform == "darwin" else most * 1024 / 1e6, 1)
