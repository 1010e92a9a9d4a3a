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

__all__ = ["JUDGES", "Judge", "make_judge", "register_judge", "split_judge_name"]

MODEL = "model:"


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


CASCADES = {"small": ("small",), "base": ("base",), "cascade": ("small", "base")}
"""The models that each of these judges consults, one after the other."""

JUDGES: dict[str, Callable[[Policy], Judge]] = {
    "lexical": _lexical,
    **{name: _of_tiers(name, *tiers) for name, tiers in CASCADES.items()},
}


def register_judge(name: str, make: Callable[[Policy], Judge]) -> None:
    """Makes a judge known by a name to `make_judge`, `verify` and the command line."""
    JUDGES[name] = make


def make_judge(name: str, policy: Policy | None = None) -> Judge:
    """The judge of that name; its model, if it has one, is loaded when it is first needed.

    `model:PROVIDER/NAME` is a language model that judges alone, `cascade+model:PROVIDER/NAME` one that is asked last,
    about the claims that the models before it leave unsure.

    >>> make_judge("oracle")
    Traceback (most recent call last):
    assay.errors.UsageError: no judge 'oracle'; there are lexical, small, base, cascade, model:PROVIDER/NAME
    """
    if name not in JUDGES and Path(name).is_dir():
        from assay.judges.cascade import Cascade

        return Cascade(policy, (name,), name=Path(name).name)
    rules = policy or Policy()
    first, spec = split_judge_name(name)
    if spec is None:
        return JUDGES[first](rules)
    from assay.judges.cascade import Cascade
    from assay.llm.judge import make_model_judge

    last = make_model_judge(spec, rules)
    return Cascade(rules, CASCADES[first], name=f"{first}+{last.name}", last=last) if first else last


def split_judge_name(name: str) -> tuple[str, str | None]:
    """The judge of Assay that a name begins with ("" for none), and the language model behind `model:`, if any.

    >>> split_judge_name("cascade+model:openai/gpt-4o-mini")
    ('cascade', 'openai/gpt-4o-mini')
    """
    first, found, spec = name.partition(MODEL)
    if not found and name in JUDGES:
        return name, None
    known = f"{', '.join(JUDGES)}, model:PROVIDER/NAME"
    if not found or (first and not first.endswith("+")):
        raise UsageError(f"no judge {name!r}; there are {known}")
    if first and first[:-1] not in CASCADES:
        raise UsageError(f"{first[:-1]!r} asks no language model last; {', '.join(CASCADES)} do: cascade+{MODEL}{spec}")
    if not spec.strip():
        raise UsageError(f"{name!r} names no language model; give one as model:openai/gpt-4o-mini")
    return first[:-1], spec.strip()
