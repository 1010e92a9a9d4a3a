"""The evidence ledger and the audit trail: what was claimed, what proves it, and a chain that cannot be rewritten."""

from typing import TYPE_CHECKING, Any

from assay.judges.levels import level_confidence
from assay.ledger.entries import EvidenceLedger, ledger_of
from assay.ledger.export import export
from assay.ledger.records import Break, Record, first_break, run_root

if TYPE_CHECKING:
    from assay.ledger.ledger import Ledger, open_ledger
    from assay.ledger.runs import RunSummary, StoredRun

__all__ = [
    "Break",
    "EvidenceLedger",
    "Ledger",
    "Record",
    "RunSummary",
    "StoredRun",
    "export",
    "first_break",
    "ledger_of",
    "level_confidence",
    "open_ledger",
    "run_root",
]

_LATER = {"Ledger": "ledger", "open_ledger": "ledger", "RunSummary": "runs", "StoredRun": "runs"}


def __getattr__(name: str) -> Any:
    """The database is opened by those who want a ledger, not by those who only show one."""
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(f"assay.ledger.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
