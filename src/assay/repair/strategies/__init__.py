"""Ways to better an answer, one a file; `STRATEGIES` is the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable

from assay.repair.case import Strategy
from assay.repair.strategies.branch import Branch
from assay.repair.strategies.edit import MinimalEdit
from assay.repair.strategies.refocus import Refocus
from assay.repair.strategies.retrieve import Retrieve
from assay.repair.strategies.revise import Revise

__all__ = ["STRATEGIES", "Branch", "MinimalEdit", "Refocus", "Retrieve", "Revise"]

# What costs nothing first; taking words out of an answer last.
STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "correct": lambda: MinimalEdit(drop=False),
    "retrieve": Retrieve,
    "revise": Revise,
    "branch": Branch,
    "refocus": Refocus,
    "edit": MinimalEdit,
}
