"""Assay tells, claim by claim, whether an answer is backed by its sources, and shows the proof.

>>> from assay import check
>>> report = check("Everest is 8,489 m high.", sources=["Mount Everest is 8,849 m high."])
>>> report.claims[0].verdict.value
'REFUTED'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.checkpoint import grounded as grounded
    from assay.engine import Engine as Engine
    from assay.engine import acheck as acheck
    from assay.engine import check as check
    from assay.engine import check_many as check_many
    from assay.engine import verify as verify
    from assay.errors import AssayError as AssayError
    from assay.inline import guard as guard
    from assay.memory import Memory as Memory
    from assay.policy import Policy as Policy
    from assay.repair import ask as ask
    from assay.types import Action as Action
    from assay.types import Claim as Claim
    from assay.types import Document as Document
    from assay.types import Evidence as Evidence
    from assay.types import Finding as Finding
    from assay.types import Report as Report
    from assay.types import Span as Span
    from assay.types import Verdict as Verdict

__version__ = "0.1.0"

# Each public name and the room it lives in. Rooms are opened when a name is first used: `import assay` costs nothing.
_HOMES = {
    "check": "engine",
    "acheck": "engine",
    "check_many": "engine",
    "Engine": "engine",
    "verify": "engine",
    "ask": "repair",
    "guard": "inline",
    "grounded": "checkpoint",
    "AssayError": "errors",
    "Memory": "memory",
    "Policy": "policy",
    "Action": "types",
    "Claim": "types",
    "Document": "types",
    "Evidence": "types",
    "Finding": "types",
    "Report": "types",
    "Span": "types",
    "Verdict": "types",
}
_ROOMS = {
    "checkpoint",
    "claims",
    "encoder",
    "engine",
    "epistemic",
    "errors",
    "inline",
    "lattice",
    "ledger",
    "lexical",
    "llm",
    "memory",
    "policy",
    "repair",
    "text",
    "types",
    "views",
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"assay.{_HOMES[name]}"), name)
    if name in _ROOMS:
        return import_module(f"assay.{name}")
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
