"""Two fits to labelled probabilities: a map that never falls, and a cut-off with a promise about what passes it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from assay.codec import Json, encode_fields

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


_MANY = 6
GRID = tuple(round(0.99 - 0.01 * step, 2) for step in range(80))  # from 0.99 down to 0.20


@dataclass(frozen=True)
class Promise:
    """What a cut-off promises, or why none can be given (`cut` is None) and how many labels would be needed."""

    risk: float
    confidence: float
    cut: float | None
    passed: int = 0
    wrong: int = 0
    labels: int = 0
    reason: str = ""

    @property
    def text(self) -> str:
        if self.cut is None:
            return f"no cut-off can promise at most {self.risk:.0%} wrong: {self.reason}"
        return (
            f"of the claims passed at {self.cut:.2f} or more, at most {self.risk:.0%} are wrong, with "
            f"{self.confidence:.0%} confidence ({self.wrong} of {self.passed} labels that pass are wrong)"
        )

    def to_dict(self) -> Json:
        return encode_fields(self)


def least_passed(risk: float, confidence: float) -> int:
    """How many labels must pass, all of them right, before the promise can be made.

    >>> least_passed(0.05, 0.9)
    45
    """
    return math.ceil(math.log(1.0 - confidence) / math.log(1.0 - risk))


def chance_of_few(wrong: int, passed: int, risk: float) -> float:
    """How likely so few wrong ones are, if the true share of wrong ones were just the risk."""
    return sum(math.comb(passed, k) * risk**k * (1.0 - risk) ** (passed - k) for k in range(wrong + 1))


def promise(
    scores: Sequence[float], right: Sequence[bool], risk: float, confidence: float, grid: Sequence[float] = GRID
) -> Promise:
    """The lowest cut-off for which the promise can be made on these labels."""
    if not (0.0 < risk < 1.0 and 0.0 < confidence < 1.0):
        raise ValueError("risk and confidence lie between 0 and 1")
    need = least_passed(risk, confidence)
    # With many labels the first test is made on more of them, so that one unlucky label does not end the search.
    first = need if len(scores) < _MANY * need else 2 * need
    kept: Promise | None = None
    for cut in grid:
        passing = [hit for score, hit in zip(scores, right, strict=True) if score >= cut]
        if len(passing) < first:
            continue
        wrong = passing.count(False)
        if chance_of_few(wrong, len(passing), risk) > 1.0 - confidence:
            break
        kept = Promise(risk, confidence, cut, len(passing), wrong, len(scores))
    if kept is not None:
        return kept
    most = sum(score >= grid[-1] for score in scores)
    if most < need:
        reason = f"{need} labels must pass and {most} do; give more labels"
    else:
        reason = "among the surest labels too many are wrong; a better judge or a larger risk is needed"
    return Promise(risk, confidence, None, labels=len(scores), reason=reason)
