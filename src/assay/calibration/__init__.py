"""Probabilities and cut-offs fitted to labels: isotonic maps, thresholds, and a cut-off with a bounded error rate."""

from assay.calibration.conformal import Promise, promise
from assay.calibration.isotonic import RisingMap, fit_map
from assay.calibration.recalibration import Labelled, Recalibration, recalibrate, revise_all

__all__ = ["Labelled", "Promise", "Recalibration", "RisingMap", "fit_map", "promise", "recalibrate", "revise_all"]
