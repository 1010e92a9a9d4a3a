"""A cut-off with a promise: of the claims that pass it, at most a stated share is wrong, with stated confidence.

For a fixed cut-off the number of wrong claims among those that pass is binomial, so an exact test tells whether the
true share can be above the bound. Cut-offs are tested from the strictest down, each only if the one before held, so
one error probability covers them all. Cut-offs that too few labels pass to be testable at all are skipped first: that
is decided by how many pass, not by which of them are wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.codec import Json, encode_fields

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
