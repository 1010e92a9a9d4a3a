"""Answers taken apart into claims."""

from assay.claims.alignment import locate
from assay.claims.extract import extract_claims

__all__ = ["extract_claims", "locate"]
