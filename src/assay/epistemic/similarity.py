"""Whether two texts say the same: by their vectors, and by a judge only where those leave it open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from assay.memory.embed import DEFAULT_EMBEDDER, load_embedder

SIMILARITY_LOW = 0.4  # below this two texts are taken as different without asking a judge
SIMILARITY_HIGH = 0.7  # above this they are taken as the same
Compare = Callable[[str, str], Awaitable[float | None]]
"""A judge of likeness, from 0 to 1; None where it cannot tell."""


def cosine(one: str, other: str, embedder: str = DEFAULT_EMBEDDER) -> float:
    """The cosine of two texts, from 0 to 1 (below zero means nothing more than unlike)."""
    if not one.strip() or not other.strip():
        return 0.0
    rows = load_embedder(embedder).embed([one, other])
    return min(1.0, max(0.0, float(rows[0] @ rows[1])))


async def similarity(
    one: str,
    other: str,
    *,
    compare: Compare | None = None,
    embedder: str = DEFAULT_EMBEDDER,
) -> float:
    """The cosine, or inside the unsure band what the judge says; without a judge, or if it fails, the cosine stands."""
    value = await asyncio.to_thread(cosine, one, other, embedder)
    if compare is None or not SIMILARITY_LOW <= value <= SIMILARITY_HIGH:
        return value
    said = await compare(one, other)
    return value if said is None else said
