"""Everything Assay raises on purpose.

AssayError
├── UsageError            the caller asked for something that cannot be done as asked (exit code 2)
│   ├── PolicyError       an unknown policy field, a value out of range, an unreadable policy file
│   ├── SourceError       a source that is missing, unreadable, empty or in no known format
│   ├── AnswerError       an answer that is missing or cannot be read
│   └── ContractError     an input beyond a documented limit (claim length, passages, question length)
├── ModelError            the verifier's files are missing, damaged or give impossible numbers
├── MemoryStoreError      the evidence memory cannot be opened, read or written
├── LedgerError           the ledger cannot be opened, read or written, or its chain is broken
└── GeneratorError        a language model could not be reached, timed out or answered nonsense

A message says what was wrong, where, and what to do about it.
"""

from __future__ import annotations


class AssayError(Exception):
    """The root of the tree: catch this to catch everything Assay raises on purpose."""


class UsageError(AssayError):
    """The request cannot be carried out as it was made."""


class PolicyError(UsageError):
    """A policy field is unknown, of the wrong type or out of range."""


class SourceError(UsageError):
    """A source cannot be used as evidence."""


class AnswerError(UsageError):
    """The answer to be checked cannot be read."""


class ContractError(UsageError):
    """An input is larger than the documented limit of one judgement."""


class ModelError(AssayError):
    """The verifier model cannot be trusted or cannot be loaded."""


class MemoryStoreError(AssayError):
    """The evidence memory failed."""


class LedgerError(AssayError):
    """The ledger failed, or its chain is broken."""


class GeneratorError(AssayError):
    """A text generator failed."""


def missing_extra(feature: str, extra: str) -> UsageError:
    """The error for a feature whose optional dependency is not installed."""
    return UsageError(f"{feature} needs an optional part of Assay: pip install 'assay[{extra}]'")
