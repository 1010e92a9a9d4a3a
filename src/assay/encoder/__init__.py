"""Our own verifier model at run time: load, read, calibrate, and say which words decided."""

from assay.encoder.scores import Scores
from assay.encoder.verifier import Verifier

__all__ = ["Scores", "Verifier"]
