"""Calibration: one temperature, fitted on dev rows and stored beside the weights.

The run time also reads a rising map per verdict, which `assay calibrate` fits to a user's own labels. For the shipped
weights such maps were left out: fitted on all dev sets but one, they cost one to two points of accuracy on the set left
out and did not lower its calibration error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from training.rows import LABELS, NOT_SUPPORTED, SUPPORTED


@dataclass(frozen=True)
class Calibration:
    """The temperature that logits are divided by."""

    temperature: float

    def apply(self, logits: np.ndarray) -> np.ndarray:
        """Calibrated probabilities that sum to one."""
        return tempered(logits, self.temperature)

    def as_json(self) -> dict:
        return {"temperature": self.temperature, "isotonic": {}}


def tempered(logits: np.ndarray, temperature: float) -> np.ndarray:
    scaled = logits / temperature
    powers = np.exp(scaled - scaled.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def fit(logits: Sequence[np.ndarray], labels: Sequence[Sequence[str]]) -> Calibration:
    """The temperature at which verdicts, over all sets together, are right as often as they are sure."""
    joined = np.concatenate(logits)
    named = [label for group in labels for label in group]
    errors = {float(t): calibration_error(tempered(joined, float(t)), named) for t in np.arange(0.5, 4.01, 0.05)}
    return Calibration(round(min(errors, key=lambda t: errors[t]), 3))


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
