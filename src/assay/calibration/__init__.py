"""Probabilities and cut-offs fitted to labels: isotonic maps, thresholds, and a cut-off with a bounded error rate."""

from assay.calibration.fits import IsotonicMap, Promise, promise
from assay.calibration.recalibration import LabelledScores, Recalibration, recalibrate, revise_all, verdict_scores

__all__ = [
    "IsotonicMap",
    "LabelledScores",
    "Promise",
    "Recalibration",
    "promise",
    "recalibrate",
    "revise_all",
    "verdict_scores",
]
