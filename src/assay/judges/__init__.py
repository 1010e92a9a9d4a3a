"""Judges: each says what the evidence does to a claim, in the same words.

A judge is anything with a `name` and a `judge` method. A cascade can also `deliberate`: the same work for a whole
answer, within a budget, with what went wrong beside the judgements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from assay.errors import UsageError
from assay.policy import Policy
from assay.types import Claim, Judgement, Passage

__all__ = ["JUDGES", "Judge", "make_judge", "register_judge"]


@runtime_checkable
class Judge(Protocol):
    """Anything that can judge claims: one judgement for each claim, in order, from the passages given for it."""

    name: str

    def judge(
        self, claims: Sequence[Claim], passages: Sequence[Sequence[Passage]], question: str | None = None
    ) -> list[Judgement]: ...


def _lexical(policy: Policy) -> Judge:
    from assay.judges.lexical import LexicalJudge

    return LexicalJudge(policy)


def _of_tiers(name: str, *tiers: str) -> Callable[[Policy], Judge]:
    def make(policy: Policy) -> Judge:
        from assay.judges.cascade import Cascade

        return Cascade(policy, tiers, name=name)

    return make


JUDGES: dict[str, Callable[[Policy], Judge]] = {
    "lexical": _lexical,
    "small": _of_tiers("small", "small"),
    "base": _of_tiers("base", "base"),
    "cascade": _of_tiers("cascade", "small", "base"),
}


def register_judge(name: str, make: Callable[[Policy], Judge]) -> None:
    """Makes a judge known by a name to `make_judge`, `verify` and the command line."""
    JUDGES[name] = make


def make_judge(name: str, policy: Policy | None = None) -> Judge:
    """The judge of that name; its model, if it has one, is loaded when it is first needed.

    >>> make_judge("oracle")
    Traceback (most recent call last):
    assay.errors.UsageError: no judge 'oracle'; there are lexical, small, base, cascade
    """
    if name not in JUDGES and Path(name).is_dir():
        from assay.judges.cascade import Cascade

        return Cascade(policy, (name,), name=Path(name).name)
    if name not in JUDGES:
        raise UsageError(f"no judge {name!r}; there are {', '.join(JUDGES)}")
    return JUDGES[name](policy or Policy())
