"""The best rising map from scores to frequencies, by pooling adjacent violators."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

PRIOR_LABELS = 16.0  # how many labels the shipped probabilities are worth: few labels bend the map, many remake it
_GRID = 16


@dataclass(frozen=True)
class IsotonicMap:
    """Knots of a piecewise linear map that never falls.

    >>> IsotonicMap(((0.0, 0.1), (1.0, 0.9))).at(0.5)
    0.5
    """

    knots: tuple[tuple[float, float], ...] = ((0.0, 0.0), (1.0, 1.0))

    def __post_init__(self) -> None:
        xs, ys = [x for x, _ in self.knots], [y for _, y in self.knots]
        inside = all(0.0 <= value <= 1.0 for value in (*xs, *ys))
        if len(xs) < 2 or not inside or xs != sorted(xs) or ys != sorted(ys):
            raise ValueError("a rising map needs two knots or more from 0 to 1, none below the one before")

    def at(self, score: float) -> float:
        """The mapped value; outside the knots that of the nearest."""
        xs = [x for x, _ in self.knots]
        place = bisect_right(xs, score)
        if place == 0:
            return self.knots[0][1]
        if place == len(xs):
            return self.knots[-1][1]
        (x0, y0), (x1, y1) = self.knots[place - 1], self.knots[place]
        return y0 + (y1 - y0) * (score - x0) / (x1 - x0) if x1 > x0 else y1


def pool(points: Sequence[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Points (score, truth, weight) pooled into blocks whose means rise: (mean score, mean truth, weight).

    >>> pool([(0.1, 0.0, 1.0), (0.2, 1.0, 1.0), (0.3, 0.0, 1.0)])
    [(0.1, 0.0, 1.0), (0.25, 0.5, 2.0)]
    """
    blocks: list[tuple[float, float, float]] = []
    for score, truth, weight in sorted(points):
        blocks.append((score, truth, weight))
        while len(blocks) > 1 and blocks[-2][1] >= blocks[-1][1]:
            (xb, yb, wb), (xa, ya, wa) = blocks.pop(), blocks.pop()
            mass = wa + wb
            share = wb / mass if mass else 0.5  # weights may be too small to tell apart
            blocks.append((xa + (xb - xa) * share, ya + (yb - ya) * share, mass))
    return blocks


def fit_map_if_better(scores: Sequence[float], truths: Sequence[bool], folds: int = 5) -> IsotonicMap:
    """The fitted map, or none where labels that it had not seen would have been told worse by it.

    A judge that is right about itself is not made better by a hundred labels: their noise makes it worse.
    """
    before = after = 0.0
    for fold in range(folds):
        seen = [number for number in range(len(scores)) if number % folds != fold]
        made = fit_map([scores[number] for number in seen], [truths[number] for number in seen])
        for score, truth in list(zip(scores, truths, strict=True))[fold::folds]:
            before += (score - truth) ** 2
            after += (made.at(score) - truth) ** 2
    return fit_map(scores, truths) if after < before else IsotonicMap()


def fit_map(scores: Sequence[float], truth: Sequence[bool], prior: float = PRIOR_LABELS) -> IsotonicMap:
    """The rising map that the labels ask for, held near the scores as they are by `prior` labels' worth of them."""
    if not scores:
        return IsotonicMap()
    points = [(score, float(hit), 1.0) for score, hit in zip(scores, truth, strict=True)]
    if prior > 0:
        # The prior speaks where the scores lie: at their own quantiles.
        ordered = sorted(scores)
        spots = [ordered[(2 * n + 1) * len(ordered) // (2 * _GRID)] for n in range(_GRID)]
        points += [(spot, spot, prior / _GRID) for spot in spots]
    blocks = pool(points)
    inner = [(round(x, 6), round(min(1.0, max(0.0, y)), 6)) for x, y, _ in blocks]
    knots = [(0.0, min(inner[0][1], inner[0][0])), *inner, (1.0, max(inner[-1][1], min(1.0, (inner[-1][1] + 1.0) / 2)))]
    return IsotonicMap(tuple(_apart(knots)))


def _apart(knots: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The knots without two at the same place."""
    kept = [knots[0]]
    for x, y in knots[1:]:
        if x > kept[-1][0]:
            kept.append((x, y))
        else:
            kept[-1] = (kept[-1][0], max(y, kept[-1][1]))
    return kept if len(kept) > 1 else [*kept, (1.0, max(kept[-1][1], 1.0))]
