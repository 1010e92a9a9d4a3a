"""Weights for Assay: the verifier `small` and the encoders of the evidence memory. `assay` finds them by this name."""
