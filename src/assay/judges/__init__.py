"""Judges: each says what the evidence does to a claim, in the same words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from assay.types import Claim, Judgement, Passage

__all__ = ["Judge"]


@runtime_checkable
class Judge(Protocol):
    """Anything that can judge claims: one judgement for each claim, in order, from the passages given for it."""

    name: str

    def judge(
        self, claims: Sequence[Claim], passages: Sequence[Sequence[Passage]], question: str | None = None
    ) -> list[Judgement]: ...
