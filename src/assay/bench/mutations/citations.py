"""Numbered anchors that name another source, or one that does not exist."""

from __future__ import annotations

import random
from collections.abc import Iterator

from assay.bench.mutations.claim import MadeClaim
from assay.bench.mutations.source import Statement


def cite(statement: Statement, number: int) -> str:
    """The sentence with an anchor to its source.

    >>> from assay.types import Span
    >>> cite(Statement("It is high.", Span(0, 11), "prose"), 2)
    'It is high [2].'
    """
    return f"{statement.text.rstrip('.')} [{number}]."


def change_citations(statement: Statement, number: int, sources: int, rng: random.Random) -> Iterator[MadeClaim]:
    """The cited sentence with its anchor swapped for another source's, and for one that no source has."""
    others = [other for other in range(1, sources + 1) if other != number]
    right = f"[{number}]"
    if others:
        wrong = rng.choice(others)
        text = cite(statement, wrong)
        yield MadeClaim("citation", "swapped citation", text, (statement.span,), right, f"[{wrong}]")
    invented = sources + rng.randint(1, 9)
    text = cite(statement, invented)
    yield MadeClaim("citation", "invented citation", text, (statement.span,), right, f"[{invented}]")
