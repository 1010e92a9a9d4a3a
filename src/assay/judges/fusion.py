"""The learned combiner: the model's opinion and what the words show, weighed together into three probabilities.

It is a multinomial logistic regression whose coefficients were fitted by `python -m training fusion` and lie beside
this file. They hold for one model only: for any other the model's own opinion is taken as it is.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from pathlib import Path
from typing import Any

from assay.encoder.scores import Scores
from assay.errors import ModelError
from assay.judges.signals import FEATURES, Signals, measure
from assay.types import Verdict

log = logging.getLogger(__name__)
COEFFICIENTS = Path(__file__).with_name("fusion.json")


@dataclass(frozen=True)
class Fusion:
    """Coefficients for each verdict, in the order of the features, the constant last; none for the plain opinion."""

    rows: tuple[tuple[float, ...], ...] = ()
    name: str = "none"
    floor: float = 0.0

    def decide(self, signals: Signals, scores: Scores) -> tuple[Verdict, float]:
        """The verdict and its probability; weak support for words that arouse suspicion leaves the claim open.

        The floor is where, on training rows, one true claim in thirty would be lost: most changed facts lie below it.
        A paraphrase whose names and numbers are all there need not reach it.
        """
        if scores.verdict is Verdict.SUPPORTED and scores.supported < self.floor and signals.suspicious:
            return Verdict.INSUFFICIENT, 1.0 - scores.supported
        return scores.verdict, scores.confidence

    def combine(self, signals: Signals, scores: Scores) -> Scores:
        """The probabilities after everything was weighed; what the words rule out is never supported."""
        fused = self._weigh(signals, scores) if self.rows else scores
        if signals.blocked and fused.supported:
            rest = fused.refuted + fused.insufficient or 1.0
            fused = Scores(0.0, fused.refuted / rest, 1.0 - fused.refuted / rest)
        return fused

    def _weigh(self, signals: Signals, scores: Scores) -> Scores:
        values = (*measure(signals, scores), 1.0)
        sums = [sum(weight * value for weight, value in zip(row, values, strict=True)) for row in self.rows]
        top = max(sums)
        powers = [exp(value - top) for value in sums]
        total = sum(powers)
        return Scores(*(power / total for power in powers))


PLAIN = Fusion()


@lru_cache(maxsize=8)
def load_fusion(size: str, model_sha256: str, path: Path = COEFFICIENTS) -> Fusion:
    """The combiner fitted for a model, or the plain one with a line in the log."""
    if not path.exists():
        log.info("no fitted combiner at %s: the plain opinion of %s is used", path, size)
        return PLAIN
    entry = _entries(path).get(size)
    if entry is None or entry.get("model_sha256") != model_sha256:
        log.info("the combiner was fitted for another %s model: its plain opinion is used", size)
        return PLAIN
    if entry.get("features") != list(FEATURES):
        log.info("the combiner for %s was fitted on other features: the plain opinion is used", size)
        return PLAIN
    return Fusion(_rows(entry["weights"], path), str(entry.get("name", size)), float(entry.get("floor", 0.0)))


def fusion_state(size: str, model_sha256: str, path: Path = COEFFICIENTS) -> str:
    """'ok', or why the plain opinion of a model is used, for `assay doctor`."""
    try:
        fitted = load_fusion(size, model_sha256, path)
    except ModelError as problem:
        return str(problem)
    return "ok" if fitted.rows else "not fitted for this model; run: python -m training fusion"


def _entries(path: Path) -> Mapping[str, Any]:
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ModelError(f"{path} cannot be read: {problem}; install Assay again") from problem
    if not isinstance(loaded, dict):
        raise ModelError(f"{path} holds a {type(loaded).__name__} where an object is needed; install Assay again")
    return loaded


def _rows(weights: Sequence[Sequence[float]], path: Path) -> tuple[tuple[float, ...], ...]:
    rows = tuple(tuple(float(weight) for weight in row) for row in weights)
    if len(rows) != 3 or any(len(row) != len(FEATURES) + 1 for row in rows):
        raise ModelError(f"{path} has coefficients of the wrong shape; install Assay again")
    return rows
