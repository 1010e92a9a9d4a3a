"""Proof by words: what stands in a source, where, and what does not."""

from assay.lexical.audit import AuditResult, audit_quotes
from assay.lexical.inspect import inspect
from assay.lexical.numbers import prove_numbers

__all__ = ["AuditResult", "audit_quotes", "inspect", "prove_numbers"]
