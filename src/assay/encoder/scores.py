"""Three probabilities, and how those of several sentences become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.types import Verdict


@dataclass(frozen=True, slots=True)
class Scores:
    """How likely the evidence supports, refutes or does not settle a claim; the three sum to 1."""

    supported: float
    refuted: float
    insufficient: float

    def as_tuple(self) -> tuple[float, float, float]:
        return self.supported, self.refuted, self.insufficient

    @property
    def verdict(self) -> Verdict:
        """The likeliest verdict; a tie goes to the more careful one, so nothing is supported by a coin's toss."""
        if self.refuted > max(self.supported, self.insufficient):
            return Verdict.REFUTED
        return Verdict.SUPPORTED if self.supported > max(self.refuted, self.insufficient) else Verdict.INSUFFICIENT

    @property
    def confidence(self) -> float:
        """The probability of the verdict."""
        return max(self.supported, self.refuted, self.insufficient)


NOTHING = Scores(0.0, 0.0, 1.0)
"""The scores where there is no claim or no evidence."""


def over_sentences(sentences: Sequence[Scores]) -> Scores:
    """A claim of several sentences is as well supported as the weakest, and refuted when any of them is."""
    if not sentences:
        return NOTHING
    supported = min(scores.supported for scores in sentences)
    refuted = max(scores.refuted for scores in sentences)
    refuted = min(refuted, 1.0 - supported)
    return Scores(supported, refuted, max(0.0, 1.0 - supported - refuted))
