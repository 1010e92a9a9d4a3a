"""A run once more: the whole of it, or some of its claims alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from assay.ledger.runs import StoredRun
from assay.ledger.sources import Current, sources_of
from assay.types import Document

if TYPE_CHECKING:
    from assay.engine import Engine, Run
    from assay.memory import Memory


def again(stored: StoredRun, engine: Engine, current: Current | None = None) -> Run:
    """The run once more, on what was stored, or on what stands in its place now."""
    if stored.replaces:  # a re-check had some claims of an answer and not the others
        return try_claims(stored, range(len(stored.claims)), engine, current)
    return engine.run(
        stored.answer,
        sources=sources_of(stored, current),
        question=stored.question,
        evidence=stored.evidence_map,
        branches=stored.payload["branches"],
        inline=stored.payload["inline"],
    )


def try_claims(stored: StoredRun, numbers: Sequence[int], engine: Engine, current: Current | None = None) -> Run:
    """Some claims of a run judged again, and nothing else of it."""
    sources = sources_of(stored, current)
    return engine.unwatched().run_claims(
        stored.answer,
        [stored.claims[number] for number in numbers],
        [source for source in sources if isinstance(source, Document)],
        [cast("Memory", source) for source in sources if hasattr(source, "retrieve_all")],
        question=stored.question,
        branches=stored.payload["branches"],
        inline=stored.payload["inline"],
    )
