"""Answers taken apart into claims."""

from assay.claims.extract import extract_claims
from assay.claims.prose import locate

__all__ = ["extract_claims", "locate"]
