"""From logits to probabilities that mean what they say: a temperature, then one rising map for each verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import ModelError

Floats = NDArray[np.float64]
Knots = tuple[tuple[float, ...], tuple[float, ...]]
IDENTITY: Knots = ((0.0, 1.0), (0.0, 1.0))
LEAST = 1e-6  # nothing is impossible; also keeps the sum above zero where every map gives nothing


@dataclass(frozen=True)
class Calibration:
    """A temperature and, for each column of logits, a shift and the knots of a piecewise linear map; the cut-offs."""

    temperature: float = 1.0
    maps: tuple[Knots, ...] = (IDENTITY, IDENTITY, IDENTITY)
    shift: tuple[float, ...] = (0.0, 0.0, 0.0)  # added to the logits of each column
    refuted_from: float = 0.5  # probability from which a refutation is earned
    supported_from: float = 0.5  # and support

    def __post_init__(self) -> None:
        if not (np.isfinite(self.temperature) and self.temperature > 0):
            raise ModelError(f"calibration: the temperature is {self.temperature!r}, but must be above 0")
        if not np.isfinite([*self.shift, self.refuted_from, self.supported_from]).all():
            raise ModelError("calibration: shifts and cut-offs must be finite numbers")
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
            shift, cut_offs = raw.get("shift") or {}, raw.get("cut_offs") or {}
            return cls(
                float(raw["temperature"]),
                maps,
                tuple(float(shift.get(label, 0.0)) for label in labels),
                float(cut_offs.get("REFUTED", 0.5)),
                float(cut_offs.get("SUPPORTED", 0.5)),
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
