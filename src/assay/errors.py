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
├── DatabaseError         another database of Assay's (traces, evaluations, the engine's own) cannot be used
└── GeneratorError        a language model could not be reached, timed out or answered nonsense

A message says what was wrong, where, and what to do about it.
"""

from __future__ import annotations

import re

# The user may hold a colon only in the password, the password an @ that should have been encoded.
_ADDRESS = re.compile(r"(\w[\w+.-]{1,40}:/{1,2}[^\s:/@?#]{0,200}):[^\s]{0,500}@")
_PARAMETER = re.compile(r"(?i)\b((?:ssl)?password|passwd|pwd)(\s{0,3}=\s{0,3})(?:'[^']{0,500}'|[^\s&'\"]{1,500})")


def mask_password(text: str) -> str:
    """A text without the passwords of the addresses in it.

    >>> mask_password("no server at postgresql://ann:s3cret@db:5432/x?sslmode=off")
    'no server at postgresql://ann:***@db:5432/x?sslmode=off'
    """
    return _PARAMETER.sub(r"\1\2***", _ADDRESS.sub(r"\1:***@", text))


class AssayError(Exception):
    """The root of the tree: catch this to catch everything Assay raises on purpose.

    A message never shows the password of an address that it quotes.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(mask_password(item) if isinstance(item, str) else item for item in args))


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


class DatabaseError(AssayError):
    """A database cannot be opened, read or written."""


class GeneratorError(AssayError):
    """A text generator failed."""


def missing_extra(feature: str, extra: str) -> UsageError:
    """The error for a feature whose optional dependency is not installed."""
    return UsageError(f"{feature} needs an optional part of Assay: pip install 'assay-check[{extra}]'")
