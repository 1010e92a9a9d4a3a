"""How well probabilities mean what they say, before and after a calibration, as figures and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from assay.calibration.recalibration import Labelled, Recalibration
from assay.encoder.scores import Scores
from assay.evaluation import metrics
from assay.evaluation.page import document, figure, reliability, tile
from assay.render import plots
from assay.types import Verdict


@dataclass(frozen=True)
class Standing:
    """A judge on labelled rows: how sure and how right each verdict is, and the figures that follow."""

    right: tuple[bool, ...]
    sure: tuple[float, ...]
    balanced: float | None

    @property
    def ece(self) -> float:
        return metrics.calibration_error(self.right, self.sure)

    @property
    def accuracy(self) -> float:
        return sum(self.right) / len(self.right)

    def to_dict(self) -> dict[str, Any]:
        return {
            "n": len(self.right),
            "ece": round(self.ece, 6),
            "accuracy": round(self.accuracy, 6),
            "balanced_accuracy_of_support": None if self.balanced is None else round(self.balanced, 6),
        }


def stand(labels: Sequence[Labelled], made: Recalibration | None = None) -> Standing:
    """The verdicts on labelled rows, as they are or as a calibration makes them.

    Where it is not known whether a claim that is not supported is refuted, "not supported" is the verdict that is
    scored, with the probability of either.
    """
    right, sure, said = [], [], []
    for one in labels:
        verdict, confidence = made.rule(one.scores, one.kind) if made else (one.scores.verdict, one.scores.confidence)
        scores: Scores = made.apply(one.scores) if made else one.scores
        said.append(verdict is Verdict.SUPPORTED)
        if one.refuted is None and verdict is not Verdict.SUPPORTED:
            right.append(not one.supported)
            sure.append(1.0 - scores.supported)
        else:
            truth = Verdict.SUPPORTED if one.supported else Verdict.REFUTED if one.refuted else Verdict.INSUFFICIENT
            right.append(verdict is truth)
            sure.append(confidence)
    truths = [one.supported for one in labels]
    balanced = metrics.balanced_accuracy(truths, said) if len(set(truths)) == 2 else None
    return Standing(tuple(right), tuple(sure), balanced)


def render_calibration(made: Recalibration, before: Standing, after: Standing, held_out: bool) -> str:
    """A page with the reliability before and after, the thresholds and the promise."""
    on = "on labels it was not fitted on" if held_out else "on the very labels it was fitted on, so flattering"
    tiles = [
        tile(f"{before.ece:.3f} → {after.ece:.3f}", "calibration error"),
        tile(f"{before.accuracy:.1%} → {after.accuracy:.1%}", "verdicts that are right"),
    ]
    if made.promise is not None and made.promise.cut is not None:
        tiles.append(tile(f"{made.promise.cut:.2f}", "abstain below this probability"))
    picture = plots.draw_reliability(
        reliability(after.right, after.sure),
        "reliability before and after",
        reliability(before.right, before.sure),
    )
    cuts = "".join(
        f"<tr><td>{escape(kind or 'any')}</td><td>{cut:.2f}</td></tr>" for kind, cut in made.thresholds.items()
    )
    table = f"<table><tr><th>document kind</th><th>supported from</th></tr>{cuts}</table>" if cuts else ""
    body = (
        f'<header><p class="brand">Assay · calibration</p><h1>{escape(made.judge or "A judge")} on your labels</h1>'
        f'<p class="facts">{made.labels} labels; shown {on} ({len(after.right)} rows).</p>'
        f'<div class="tiles">{"".join(tiles)}</div></header>'
        '<div class="pair">'
        + figure("Before (orange, dashed) and after (blue)", "On the dashed line the confidence is exact.", picture)
        + f"<div><h3>The promise</h3><p>{escape(made.promise.text if made.promise else 'none')}</p>{table}</div></div>"
    )
    return document("Assay calibration", body)
