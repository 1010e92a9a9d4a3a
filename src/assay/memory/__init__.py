"""The evidence memory: documents, their passages, and retrieval.

`Memory` is loaded when first used, so that reading files needs neither a database nor a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.memory.entries import Entry, Listing, RetrievedPassage
    from assay.memory.ingest import AddResult
    from assay.memory.memory import Memory

__all__ = ["AddResult", "Entry", "Listing", "Memory", "RetrievedPassage"]


def __getattr__(name: str) -> Any:
    if name == "Memory":
        from assay.memory.memory import Memory

        return Memory
    if name == "AddResult":
        from assay.memory.ingest import AddResult

        return AddResult
    if name in ("Entry", "RetrievedPassage", "Listing"):
        from assay.memory import entries

        return getattr(entries, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
