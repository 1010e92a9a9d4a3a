"""Weights for Assay: the verifier `base`. `assay` finds them by this name."""
