"""How steady a calibration is: fitted again and again on other labels, each time measured on those left over."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from assay.calibration.recalibration import Labelled, Recalibration, recalibrate
from assay.errors import UsageError
from assay.evaluation.reliability import Standing, stand
from assay.policy import Policy


@dataclass(frozen=True)
class Fitting:
    """One choice of labels: how the rest stood before and after, and what became of the promise."""

    before: Standing
    after: Standing
    promised: bool
    passed: int
    wrong: int
    risk: float

    @property
    def kept(self) -> bool:
        """Whether of the claims left over that pass, no more are wrong than was promised."""
        return self.wrong <= self.risk * self.passed


@dataclass(frozen=True)
class Repeats:
    """Many fittings of the same size."""

    taken: int
    fittings: tuple[Fitting, ...]

    @property
    def promised(self) -> tuple[Fitting, ...]:
        return tuple(one for one in self.fittings if one.promised)

    def to_dict(self) -> dict[str, Any]:
        made = self.promised
        passed = sum(one.passed for one in made)
        return {
            "labels": self.taken,
            "fittings": len(self.fittings),
            "ece_before": round(mean(one.before.ece for one in self.fittings), 6),
            "ece_after": round(mean(one.after.ece for one in self.fittings), 6),
            "ece_worst": round(max(one.after.ece for one in self.fittings), 6),
            "accuracy_before": round(mean(one.before.accuracy for one in self.fittings), 6),
            "accuracy_after": round(mean(one.after.accuracy for one in self.fittings), 6),
            "promised": len(made),
            "kept": sum(one.kept for one in made),
            "passed": round(mean(one.passed / len(one.after.right) for one in made), 6) if made else None,
            "wrong": round(sum(one.wrong for one in made) / passed, 6) if passed else None,
        }

    @property
    def text(self) -> str:
        """The figures in a few lines."""
        found = self.to_dict()
        lines = [
            f"{found['fittings']} times fitted on {self.taken} labels, each time measured on those left over",
            f"  calibration error   {found['ece_before']:.3f} → {found['ece_after']:.3f} on average, "
            f"{found['ece_worst']:.3f} at worst",
            f"  verdicts right      {found['accuracy_before']:.3f} → {found['accuracy_after']:.3f} on average",
        ]
        if not self.promised:
            return "\n".join([*lines, "  promise             could not be made"])
        share = "none" if found["wrong"] is None else f"{found['wrong']:.1%} of them wrong"
        return "\n".join(
            [
                *lines,
                f"  promise             made {found['promised']} times, kept {found['kept']} times; "
                f"{found['passed']:.0%} of the rest pass, {share}",
            ]
        )


def split(labels: Sequence[Labelled], take: int, seed: int) -> tuple[list[Labelled], list[Labelled]]:
    """So many labels chosen by the seed, and the rest."""
    if take >= len(labels):
        raise UsageError(f"--take {take} leaves nothing to measure on: there are {len(labels)} labels")
    order = random.Random(seed).sample(range(len(labels)), len(labels))
    return [labels[n] for n in order[:take]], [labels[n] for n in order[take:]]


def passing(made: Recalibration, labels: Sequence[Labelled]) -> tuple[int, int]:
    """How many of the labels pass the promised cut-off, and how many of those are wrong."""
    found = [one.supported for one in labels if made.passes(one.scores)]
    return len(found), found.count(False)


def repeat(labels: Sequence[Labelled], take: int, times: int, policy: Policy | None = None, seed: int = 0) -> Repeats:
    """Fits `times` times, with the seeds from `seed` on."""
    rules = policy or Policy()
    fittings = []
    for number in range(seed, seed + times):
        chosen, rest = split(labels, take, number)
        made = recalibrate(chosen, rules)
        passed, wrong = passing(made, rest)
        promised = made.promise is not None and made.promise.cut is not None
        fittings.append(Fitting(stand(rest), stand(rest, made), promised, passed, wrong, rules.calibration_risk))
    return Repeats(take, tuple(fittings))
