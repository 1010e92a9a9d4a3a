"""What a calibration does to labelled rows, before and after: figures, repeated fits, and a page with the plot."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from assay.calibration import LabelledScores, Recalibration, recalibrate
from assay.errors import UsageError
from assay.evaluation import metrics
from assay.policy import Policy
from assay.render import plots
from assay.render.page import header, html_text, plot, render_page, table, tile
from assay.types import Verdict


@dataclass(frozen=True)
class CalibrationFigures:
    """A judge on labelled rows: whether each verdict is right, its confidence, and the figures that follow."""

    right: tuple[bool, ...]
    confidence: tuple[float, ...]
    balanced: float | None

    @property
    def ece(self) -> float:
        return metrics.calibration_error(self.right, self.confidence)

    @property
    def accuracy(self) -> float:
        return sum(self.right) / len(self.right)

    def to_dict(self) -> dict[str, Any]:
        return {
            "n": len(self.right),
            "ece": metrics.rounded(self.ece),
            "accuracy": metrics.rounded(self.accuracy),
            "balanced_accuracy_of_support": metrics.rounded(self.balanced),
        }


def measure_calibration(labels: Sequence[LabelledScores], made: Recalibration | None = None) -> CalibrationFigures:
    """The verdicts on labelled rows, as they are or as a calibration makes them.

    Where it is not known whether a claim that is not supported is refuted, "not supported" is the verdict that is
    scored, with the probability of either.
    """
    right, confidences, said = [], [], []
    for one in labels:
        verdict, confidence = made.rule(one.scores, one.kind) if made else (one.scores.verdict, one.scores.confidence)
        said.append(verdict is Verdict.SUPPORTED)
        if one.refuted is None and verdict is not Verdict.SUPPORTED:
            right.append(not one.supported)
            confidences.append(1.0 - (made.apply(one.scores) if made else one.scores).supported)
        else:
            truth = Verdict.SUPPORTED if one.supported else Verdict.REFUTED if one.refuted else Verdict.INSUFFICIENT
            right.append(verdict is truth)
            confidences.append(confidence)
    truths = [one.supported for one in labels]
    balanced = metrics.balanced_accuracy(truths, said) if len(set(truths)) == 2 else None
    return CalibrationFigures(tuple(right), tuple(confidences), balanced)


def split_labels(
    labels: Sequence[LabelledScores], take: int, seed: int
) -> tuple[list[LabelledScores], list[LabelledScores]]:
    """So many labels chosen by the seed, and the rest."""
    if take >= len(labels):
        raise UsageError(f"--take {take} leaves nothing to measure on: there are {len(labels)} labels")
    order = random.Random(seed).sample(range(len(labels)), len(labels))
    return [labels[n] for n in order[:take]], [labels[n] for n in order[take:]]


def count_passing(made: Recalibration, labels: Sequence[LabelledScores]) -> tuple[int, int]:
    """How many of the labels pass the promised cut-off, and how many of those are wrong."""
    found = [one.supported for one in labels if made.passes(one.scores)]
    return len(found), found.count(False)


@dataclass(frozen=True)
class CalibrationFit:
    """One choice of labels: the figures on the rest before and after, and whether the promise was made and kept."""

    before: CalibrationFigures
    after: CalibrationFigures
    promised: bool
    passed: int
    wrong: int
    risk: float

    @property
    def kept(self) -> bool:
        """Whether of the claims left over that pass, no more are wrong than was promised."""
        return self.wrong <= self.risk * self.passed


@dataclass(frozen=True)
class RepeatedFits:
    """Many fits on as many labels, each measured on the labels left over: how steady a calibration is."""

    taken: int
    fits: tuple[CalibrationFit, ...]

    @property
    def promised(self) -> tuple[CalibrationFit, ...]:
        return tuple(one for one in self.fits if one.promised)

    def to_dict(self) -> dict[str, Any]:
        made = self.promised
        passed = sum(one.passed for one in made)
        means = {
            f"{name}_{when}": mean(getattr(getattr(one, when), name) for one in self.fits)
            for name in ("ece", "accuracy")
            for when in ("before", "after")
        }
        means["ece_worst"] = max(one.after.ece for one in self.fits)
        return {name: metrics.rounded(value) for name, value in means.items()} | {
            "labels": self.taken,
            "fittings": len(self.fits),
            "promised": len(made),
            "kept": sum(one.kept for one in made),
            "passed": metrics.rounded(mean(one.passed / len(one.after.right) for one in made) if made else None),
            "wrong": metrics.rounded(sum(one.wrong for one in made) / passed if passed else None),
        }

    @property
    def text(self) -> str:
        """The figures in a few lines."""
        found = self.to_dict()
        promise = "could not be made"
        if self.promised:
            share = "none" if found["wrong"] is None else f"{found['wrong']:.1%} of them wrong"
            promise = f"made {found['promised']} times, kept {found['kept']} times; "
            promise += f"{found['passed']:.0%} of the rest pass, {share}"
        return (
            f"{found['fittings']} times fitted on {self.taken} labels, each time measured on those left over\n"
            f"  calibration error   {found['ece_before']:.3f} → {found['ece_after']:.3f} on average, "
            f"{found['ece_worst']:.3f} at worst\n"
            f"  verdicts right      {found['accuracy_before']:.3f} → {found['accuracy_after']:.3f} on average\n"
            f"  promise             {promise}"
        )


def repeat_fits(
    labels: Sequence[LabelledScores], take: int, times: int, policy: Policy | None = None, seed: int = 0
) -> RepeatedFits:
    """Fits `times` times, with the seeds from `seed` on."""
    rules = policy or Policy()
    fits = []
    for number in range(seed, seed + times):
        chosen, rest = split_labels(labels, take, number)
        made = recalibrate(chosen, rules)
        passed, wrong = count_passing(made, rest)
        promised = made.promise is not None and made.promise.cut is not None
        before, after = measure_calibration(rest), measure_calibration(rest, made)
        fits.append(CalibrationFit(before, after, promised, passed, wrong, rules.calibration_risk))
    return RepeatedFits(take, tuple(fits))


def render_calibration(
    made: Recalibration, before: CalibrationFigures, after: CalibrationFigures, held_out: bool
) -> str:
    """A page with the reliability before and after, the thresholds and the promise."""
    on = "on labels it was not fitted on" if held_out else "on the very labels it was fitted on, so flattering"
    tiles = [
        tile(f"{before.ece:.3f} → {after.ece:.3f}", "calibration error"),
        tile(f"{before.accuracy:.1%} → {after.accuracy:.1%}", "verdicts that are right"),
    ]
    if made.promise is not None and made.promise.cut is not None:
        tiles.append(tile(f"{made.promise.cut:.2f}", "abstain below this probability"))
    picture = plots.draw_reliability(
        metrics.reliability_bins(after.right, after.confidence),
        "reliability before and after",
        metrics.reliability_bins(before.right, before.confidence),
    )
    cuts = [(kind or "any", f"{cut:.2f}") for kind, cut in made.thresholds.items()]
    promise = html_text(made.promise.text if made.promise else "none")
    return render_page(
        "evaluation",
        "Assay calibration",
        header(
            "Assay · calibration",
            f"<h1>{html_text(made.judge or 'A judge')} on your labels</h1>",
            [f"{made.labels} labels; shown {on} ({len(after.right)} rows)."],
            f'<div class="tiles">{"".join(tiles)}</div>',
        ),
        '<div class="pair">',
        plot("Before (orange, dashed) and after (blue)", "On the dashed line the confidence is exact.", picture),
        f"<div><h3>The promise</h3><p>{promise}</p>",
        table(("document kind", "supported from"), cuts) if cuts else "",
        "</div></div>",
    )
