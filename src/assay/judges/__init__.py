"""Judges: each says what the evidence does to a claim, in the same words.

A judge is anything with a `name` and a `judge` method; `Judge` lists what else it may be able to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from assay.errors import UsageError
from assay.policy import Policy
from assay.types import Claim, Judgement, Passage

if TYPE_CHECKING:
    from assay.judges.asking import Deliberation
    from assay.judges.budget import Budget

__all__ = ["JUDGES", "Judge", "make_judge", "register_judge", "split_judge_name"]

MODEL = "model:"


@runtime_checkable
class Judge(Protocol):
    """What can judge claims. Only `name` and `judge` are needed; the rest has a default that says "I cannot"."""

    name: str
    prompt_sha256: str = ""
    reads_whole: bool = False  # documents that are short together are shown to it whole, without a search

    @property
    def model(self) -> str:
        """What identifies its weights, where the name alone does not."""
        return self.name

    def judge(
        self, claims: Sequence[Claim], passages: Sequence[Sequence[Passage]], question: str | None = None
    ) -> list[Judgement]:
        """One judgement for each claim, in order, from the passages given for it."""
        ...

    def deliberate(
        self,
        claims: Sequence[Claim],
        passages: Sequence[Sequence[Passage]],
        question: str | None,
        budget: Budget,
    ) -> Deliberation | None:
        """The same for an answer within its budget, with what went wrong beside it; None: `judge` is to be asked."""
        return None

    def warm(self) -> None:
        """Loads everything it needs now, so that the first answer need not wait for it."""
        return

    def warm_first(self) -> None:
        """Loads what the first claim needs."""
        self.warm()

    def estimate_usd(self, claim: Claim, passages: Sequence[Passage], question: str | None = None) -> float:
        """The most that one judgement can cost."""
        return 0.0


class _Completed(Judge):
    """A judge of a caller's own, with the defaults for every ability that it does not have."""

    model = ""

    def __init__(self, given: Any) -> None:
        if not callable(getattr(given, "judge", None)) or not hasattr(given, "name"):
            raise UsageError(f"a judge is the name of one or has a name and a judge method, not {given!r}")
        self.name = self.model = str(given.name)
        self._given = given
        for ability in vars(Judge):
            if not ability.startswith("_") and ability != "judge" and hasattr(given, ability):
                setattr(self, ability, getattr(given, ability))

    def judge(
        self, claims: Sequence[Claim], passages: Sequence[Sequence[Passage]], question: str | None = None
    ) -> list[Judgement]:
        return list(self._given.judge(claims, passages, question))


def _lexical(policy: Policy) -> Judge:
    from assay.judges.lexical import LexicalJudge

    return LexicalJudge(policy)


def _cascade(name: str, tiers: Sequence[str], policy: Policy, last: Judge | None = None) -> Judge:
    from assay.judges.cascade import Cascade

    return Cascade(policy, tiers, name=name, last=last)


CASCADES = {"small": ("small",), "base": ("base",), "cascade": ("small", "base")}
"""The models that each of these judges consults, one after the other."""

JUDGES: dict[str, Callable[[Policy], Judge]] = {
    "lexical": _lexical,
    **{name: partial(_cascade, name, tiers) for name, tiers in CASCADES.items()},
}


def register_judge(name: str, make: Callable[[Policy], Judge]) -> None:
    """Makes a judge known by a name to `make_judge`, `verify` and the command line."""
    JUDGES[name] = make


def make_judge(name: str | Judge, policy: Policy | None = None) -> Judge:
    """The judge of that name, or the given one; its model, if it has one, is loaded when it is first needed.

    `model:PROVIDER/NAME` is a language model that judges alone, `cascade+model:PROVIDER/NAME` one that is asked last,
    about the claims that the models before it leave unsure.

    >>> make_judge("oracle")
    Traceback (most recent call last):
    assay.errors.UsageError: no judge 'oracle'; there are lexical, small, base, cascade, model:PROVIDER/NAME
    """
    if not isinstance(name, str):
        return name if Judge in type(name).__mro__ else _Completed(name)
    rules = policy or Policy()
    if name not in JUDGES and Path(name).is_dir():
        return _cascade(Path(name).name, (name,), rules)
    first, spec = split_judge_name(name)
    if spec is None:
        return JUDGES[first](rules)
    from assay.llm.judge import make_model_judge

    last = make_model_judge(spec, rules)
    return _cascade(f"{first}+{last.name}", CASCADES[first], rules, last) if first else last


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
