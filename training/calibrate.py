"""Calibration: a shift for each verdict and one temperature, fitted on dev rows and stored beside the weights.

The run time also reads a rising map per verdict, which `assay calibrate` fits to a user's own labels. For the shipped
weights such maps were left out: fitted on all dev sets but one, they cost one to two points of accuracy on the set left
out and did not lower its calibration error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from training.evaluate import score
from training.rows import LABELS, NOT_SUPPORTED, SUPPORTED

Shift = tuple[float, float, float]
NO_SHIFT: Shift = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Calibration:
    """What is added to the logits of each verdict, and the temperature that they are then divided by."""

    temperature: float
    shift: Shift = NO_SHIFT

    def apply(self, logits: np.ndarray) -> np.ndarray:
        """Calibrated probabilities that sum to one."""
        scaled = (logits + np.asarray(self.shift)) / self.temperature
        powers = np.exp(scaled - scaled.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)

    def as_json(self) -> dict:
        return {
            "temperature": self.temperature,
            "shift": dict(zip(LABELS, self.shift, strict=True)),
            "isotonic": {},
        }


@dataclass(frozen=True)
class Scored:
    """A dev set as a network saw it."""

    measure: str
    logits: np.ndarray
    labels: Sequence[str]

    def figure(self, calibration: Calibration) -> float:
        return score(self.measure, calibration.apply(self.logits), self.labels)


def fit(sets: Sequence[Scored], shift: Shift = NO_SHIFT) -> Calibration:
    """The temperature at which, over all sets together, verdicts are right as often as they are sure."""
    joined = np.concatenate([one.logits for one in sets])
    named = [label for one in sets for label in one.labels]
    tried = [Calibration(round(float(t), 3), shift) for t in np.arange(0.5, 4.01, 0.05)]
    return min(tried, key=lambda one: calibration_error(one.apply(joined), named))


def fit_shift(sets: Sequence[Scored]) -> Shift:
    """The shift with the best mean over the sets, unless the sets it was not chosen on are none the better for it.

    Training rows hold more near misses than the world does, so a network may say INSUFFICIENT too readily.
    """
    tried = [(a / 10, b / 10, 0.0) for a in range(-5, 6) for b in range(-5, 6)]
    figures = np.array([[one.figure(Calibration(1.0, shift)) for one in sets] for shift in tried])
    total = figures.sum(1)
    elsewhere = sum(figures[(total - figures[:, n]).argmax(), n] for n in range(len(sets)))
    return tried[int(total.argmax())] if elsewhere > total[tried.index(NO_SHIFT)] else NO_SHIFT


def is_right(verdict: int, label: str) -> bool:
    """Whether a verdict fits a label; NOT_SUPPORTED is anything but SUPPORTED."""
    return LABELS[verdict] != SUPPORTED if label == NOT_SUPPORTED else LABELS[verdict] == label


def calibration_error(probabilities: np.ndarray, labels: Sequence[str], bins: int = 10) -> float:
    """Expected calibration error of the likeliest verdict: how far its probability lies from how often it is right."""
    p = probabilities.max(1)
    truth = np.asarray([is_right(v, label) for v, label in zip(probabilities.argmax(1), labels, strict=True)], float)
    place = np.minimum((p * bins).astype(int), bins - 1)
    return float(
        sum(
            abs(p[place == b].mean() - truth[place == b].mean()) * (place == b).mean()
            for b in range(bins)
            if (place == b).any()
        )
    )
