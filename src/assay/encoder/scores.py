"""Three probabilities, and how those of many windows and many sentences become one."""

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


@dataclass(frozen=True, slots=True)
class Outcome:
    """The scores over all windows, and the number of the window that decided (None when there was none)."""

    scores: Scores
    decider: int | None


def over_windows(windows: Sequence[Scores], about: Sequence[bool]) -> Outcome:
    """Support is that of the best window; refutation wins only when stronger and from a window `about` the subject.

    A window that neither supports nor refutes more than the best ones changes nothing, however many there are.
    """
    if not windows:
        return Outcome(NOTHING, None)
    refutations = _refutations(windows, about)
    best = max(range(len(windows)), key=lambda n: windows[n].supported)
    worst = max(range(len(windows)), key=lambda n: refutations[n])
    supported, refuted = windows[best].supported, refutations[worst]
    return Outcome(_settled(supported, refuted), worst if refuted > supported else best)


def over_text(readings: Sequence[Scores], about: Sequence[bool]) -> Scores:
    """What one text says that was read in several pieces that overlap: the mean of the two that say it most clearly.

    The best of several readings is in part the luckiest: alone it would call too much supported.
    """
    supported = _best_two([scores.supported for scores in readings])
    return _settled(supported, _best_two(_refutations(readings, about)))


def over_sentences(sentences: Sequence[Scores]) -> Scores:
    """A claim of several sentences is as well supported as the weakest, and refuted when any of them is."""
    if not sentences:
        return NOTHING
    supported = min(scores.supported for scores in sentences)
    refuted = max(scores.refuted for scores in sentences)
    return _filled(supported, min(refuted, 1.0 - supported))


def _refutations(readings: Sequence[Scores], about: Sequence[bool]) -> list[float]:
    return [scores.refuted if same else 0.0 for scores, same in zip(readings, about, strict=True)]


def _best_two(values: Sequence[float]) -> float:
    best = sorted(values)[-2:]
    return sum(best) / len(best)


def _settled(supported: float, refuted: float) -> Scores:
    """The stronger of both as it is, the other as far as there is room for it."""
    if refuted > supported:
        return _filled(min(supported, 1.0 - refuted), refuted)
    return _filled(supported, min(refuted, 1.0 - supported))


def _filled(supported: float, refuted: float) -> Scores:
    return Scores(supported, refuted, max(0.0, 1.0 - supported - refuted))
