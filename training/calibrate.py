"""Calibration: one temperature, then a rising map per verdict, fitted on dev rows and stored beside the weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from training.rows import LABELS, NOT_SUPPORTED, SUPPORTED

MOST_KNOTS = 24


@dataclass(frozen=True)
class Calibration:
    """The temperature and, per verdict, the knots of a piecewise-linear map."""

    temperature: float
    isotonic: Mapping[str, Sequence[tuple[float, float]]]

    def apply(self, logits: np.ndarray) -> np.ndarray:
        """Calibrated probabilities that sum to one."""
        raw = tempered(logits, self.temperature)
        mapped = np.stack(
            [np.interp(raw[:, n], *np.asarray(self.isotonic[label], dtype=float).T) for n, label in enumerate(LABELS)],
            axis=1,
        )
        mapped = np.maximum(mapped, 1e-6)
        return mapped / mapped.sum(1, keepdims=True)

    def as_json(self) -> dict:
        return {
            "temperature": self.temperature,
            "isotonic": {k: [list(knot) for knot in v] for k, v in self.isotonic.items()},
        }


def tempered(logits: np.ndarray, temperature: float) -> np.ndarray:
    scaled = logits / temperature
    powers = np.exp(scaled - scaled.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def loss(probabilities: np.ndarray, labels: Sequence[str], weights: np.ndarray) -> float:
    """Mean negative log-likelihood; NOT_SUPPORTED counts as anything but SUPPORTED."""
    likely = np.empty(len(labels))
    for n, label in enumerate(labels):
        likely[n] = 1 - probabilities[n, 0] if label == NOT_SUPPORTED else probabilities[n, LABELS.index(label)]
    return float(-(np.log(np.maximum(likely, 1e-9)) * weights).sum() / weights.sum())


def rising_fit(scores: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> list[tuple[float, float]]:
    """The best non-decreasing map from score to frequency (pool adjacent violators), thinned to few knots."""
    order = np.argsort(scores, kind="stable")
    edges = np.array_split(order, min(60, max(2, len(order) // 40)))
    blocks: list[list[float]] = []  # weight, mean score, mean truth
    for part in edges:
        mass = weights[part].sum()
        blocks.append([mass, (scores[part] * weights[part]).sum() / mass, (truth[part] * weights[part]).sum() / mass])
        while len(blocks) > 1 and blocks[-2][2] >= blocks[-1][2]:
            b, a = blocks.pop(), blocks.pop()
            mass = a[0] + b[0]
            blocks.append([mass, (a[0] * a[1] + b[0] * b[1]) / mass, (a[0] * a[2] + b[0] * b[2]) / mass])
    while len(blocks) > MOST_KNOTS - 2:
        gaps = [blocks[n + 1][2] - blocks[n][2] for n in range(len(blocks) - 1)]
        n = int(np.argmin(gaps))
        b, a = blocks.pop(n + 1), blocks[n]
        mass = a[0] + b[0]
        blocks[n] = [mass, (a[0] * a[1] + b[0] * b[1]) / mass, (a[0] * a[2] + b[0] * b[2]) / mass]
    knots = [(round(float(score), 4), round(float(rate), 4)) for _, score, rate in blocks]
    inner = [knot for knot in knots if 0 < knot[0] < 1]
    # The upper end leaves room for certainty without claiming any that was not seen.
    last = inner[-1][1] if inner else 0.5
    return [(0.0, 0.0), *inner, (1.0, round(last + (1 - last) * 0.5, 4))]


def fit(logits: Sequence[np.ndarray], labels: Sequence[Sequence[str]]) -> Calibration:
    """Fitted on several dev sets, each of equal weight whatever its size."""
    joined = np.concatenate(logits)
    named = [label for group in labels for label in group]
    weights = np.concatenate([np.full(len(group), 1 / len(group)) for group in labels])
    temperature = min(np.arange(0.5, 4.01, 0.05), key=lambda t: loss(tempered(joined, t), named, weights))
    raw = tempered(joined, float(temperature))
    known = np.asarray([label != NOT_SUPPORTED for label in named])
    maps = {}
    for n, label in enumerate(LABELS):
        # Whether a NOT_SUPPORTED row is refuted or insufficient is unknown, so only SUPPORTED may learn from it.
        use = np.ones(len(named), dtype=bool) if label == SUPPORTED else known
        truth = np.asarray([other == label for other in named], dtype=float)
        maps[label] = rising_fit(raw[use, n], truth[use], weights[use])
    return Calibration(round(float(temperature), 3), maps)


def calibration_error(probabilities: np.ndarray, labels: Sequence[str], bins: int = 10) -> float:
    """Expected calibration error of p(SUPPORTED) against whether the row is supported."""
    p = probabilities[:, 0]
    truth = np.asarray([label == SUPPORTED for label in labels], dtype=float)
    place = np.minimum((p * bins).astype(int), bins - 1)
    return float(
        sum(
            abs(p[place == b].mean() - truth[place == b].mean()) * (place == b).mean()
            for b in range(bins)
            if (place == b).any()
        )
    )
