"""The evidence ledger and the audit trail: what was claimed, what proves it, and a chain that cannot be rewritten."""

from assay.ledger.entries import EvidenceLedger, ledger_of
from assay.ledger.export import export
from assay.ledger.records import Record, first_break, run_root

__all__ = ["EvidenceLedger", "Record", "export", "first_break", "ledger_of", "run_root"]
