"""From logits to probabilities that mean what they say, and from probabilities to the verdict they earn.

A verdict is the likeliest one when two errors cost more than others: calling a true claim REFUTED, and calling a wrong
or unbacked one SUPPORTED. With calibrated probabilities this gives the most right verdicts among all rules that make
those errors no more often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.encoder.close import EVIDENCE_TOKENS
from assay.errors import ModelError

Floats = NDArray[np.float64]
Knots = tuple[tuple[float, ...], tuple[float, ...]]
IDENTITY: Knots = ((0.0, 1.0), (0.0, 1.0))
LEAST = 1e-6  # nothing is impossible; also keeps the sum above zero where every map gives nothing


@dataclass(frozen=True)
class Calibration:
    """A temperature and, for each column of logits, a shift and the knots of a piecewise linear map; the costs."""

    temperature: float = 1.0
    maps: tuple[Knots, ...] = (IDENTITY, IDENTITY, IDENTITY)
    shift: tuple[float, ...] = (0.0, 0.0, 0.0)  # added to the logits of each column
    false_refuted: float = 0.0  # cost of calling a claim REFUTED that is true
    false_supported: float = 0.0  # and of calling one SUPPORTED that is not
    rooms: tuple[int, ...] = (EVIDENCE_TOKENS,)  # tokens of evidence in each close reading; their logits' mean counts

    def __post_init__(self) -> None:
        if not (np.isfinite(self.temperature) and self.temperature > 0):
            raise ModelError(f"calibration: the temperature is {self.temperature!r}, but must be above 0")
        if not np.isfinite([*self.shift, self.false_refuted, self.false_supported]).all():
            raise ModelError("calibration: shifts and costs must be finite numbers")
        if not self.rooms or min(self.rooms) < 1:
            raise ModelError(f"calibration: rooms are {self.rooms}, but must be numbers of tokens above 0")
        for xs, ys in self.maps:
            values = np.asarray([*xs, *ys], dtype=float)
            if len(xs) < 2 or not np.isfinite(values).all() or values.min() < 0 or values.max() > 1:
                raise ModelError("calibration: a map needs two knots or more, all between 0 and 1")
            if (np.diff(xs) < 0).any() or (np.diff(ys) < 0).any():
                raise ModelError("calibration: the knots of a map must go from left to right and never fall")

    @classmethod
    def parse(cls, raw: Mapping[str, Any], labels: Sequence[str]) -> Calibration:
        """The calibration as `calibration.json` holds it, in the order of the model's labels."""
        try:
            isotonic = dict(raw.get("isotonic") or {})
            maps = tuple(
                (tuple(float(x) for x, _ in isotonic[label]), tuple(float(y) for _, y in isotonic[label]))
                if label in isotonic
                else IDENTITY
                for label in labels
            )
            shift, costs = raw.get("shift") or {}, raw.get("costs") or {}
            return cls(
                float(raw["temperature"]),
                maps,
                tuple(float(shift.get(label, 0.0)) for label in labels),
                float(costs.get("false_refuted", 0.0)),
                float(costs.get("false_supported", 0.0)),
                tuple(int(room) for room in raw.get("rooms", (EVIDENCE_TOKENS,))),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise ModelError(f"calibration.json lacks or garbles {problem}") from problem

    def apply(self, logits: Floats) -> Floats:
        """One row of probabilities, summing to 1, for each row of logits."""
        scaled = np.asarray(logits, dtype=float) / self.temperature + np.asarray(self.shift)
        powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        plain = powers / powers.sum(axis=1, keepdims=True)
        columns = [np.interp(plain[:, n], xs, ys) for n, (xs, ys) in enumerate(self.maps)]
        mapped = np.maximum(np.stack(columns, axis=1), LEAST)
        return np.asarray(mapped / mapped.sum(axis=1, keepdims=True))


def earned(shares: Floats, false_refuted: float, false_supported: float) -> NDArray[np.int64]:
    """0 where support is earned, 1 where refutation is, 2 where nothing is settled, for rows of (S, R, I) shares."""
    supported, refuted, insufficient = shares[:, 0], shares[:, 1], shares[:, 2]
    worth = np.stack(
        [
            supported - false_supported * (1.0 - supported),
            refuted - false_refuted * supported,
            insufficient,
        ],
        axis=1,
    )
    best: NDArray[np.int64] = np.where(worth[:, :2].max(axis=1) > worth[:, 2], worth[:, :2].argmax(axis=1), 2)
    return best
