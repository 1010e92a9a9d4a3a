"""What a completion costs: a price table that is shipped to be edited, and that a file of the user's own overrides.

A cost of None is unknown: the model has no price. It is never guessed, and a sum with it is unknown too.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from assay.errors import GeneratorError, UsageError
from assay.llm.values import Completion, Generator, Message, Sampling

OVERRIDE = "ASSAY_PRICES"
_MILLION = 1_000_000
_VERSION = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$")  # the same model on another day


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens in, and for a million out; `as_of` is when that was so, "" if nobody said."""

    prompt: float
    completion: float
    as_of: str = ""

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / _MILLION


FREE = Price(0.0, 0.0)
Table = Mapping[str, Mapping[str, Price]]


def read_shipped(name: str) -> dict[str, Any]:
    """A table that comes with the package."""
    return tomllib.loads(files("assay.llm").joinpath(name).read_text(encoding="utf-8"))


def read_own(variable: str, kind: str) -> tuple[str, dict[str, Any]]:
    """The user's own table, in the file that an environment variable names; empty without one."""
    named = os.environ.get(variable, "")
    try:
        return named, tomllib.loads(Path(named).read_text(encoding="utf-8")) if named else {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise UsageError(f"cannot read the {kind} {named}: {problem}") from problem


def load_prices() -> Table:
    """The shipped table, with the entries of the file that ASSAY_PRICES names over it."""
    table = _read(read_shipped("prices.toml"), "prices.toml")
    named, own = read_own(OVERRIDE, "price table")
    for provider, prices in _read(own, named).items():
        table[provider] = {**table.get(provider, {}), **prices}
    return table


def find_price(provider: str, model: str, *, own_server: bool = False, table: Table | None = None) -> Price | None:
    """The price of a model by its name, a date behind it aside; None if it is not listed.

    On a server of one's own a model that is not listed costs nothing.

    >>> find_price("openai", "gpt-4o-mini-2024-07-18")
    Price(prompt=0.15, completion=0.6, as_of='2024-07')
    """
    listed = (load_prices() if table is None else table).get(provider, {})
    unlisted = FREE if own_server else None
    return listed.get(model) or listed.get(_VERSION.sub("", model), unlisted)


def total_usd(costs: Iterable[float | None]) -> float | None:
    """The sum of some costs; unknown if one of them is."""
    total = 0.0
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return total


def _read(loaded: Mapping[str, Any], place: str) -> dict[str, dict[str, Price]]:
    table: dict[str, dict[str, Price]] = {}
    for provider, models in loaded.items():
        listed: dict[str, Any] = models if isinstance(models, dict) else {"": models}
        for model, price in listed.items():
            try:
                values = Price(float(price["prompt"]), float(price["completion"]), str(price.get("as_of", "")))
            except (KeyError, TypeError, ValueError, AttributeError):
                raise UsageError(
                    f'{place}: [{provider}] {model!r} needs the form "model" = {{ prompt = 0.15, completion = 0.6 }}'
                ) from None
            table.setdefault(provider, {})[model] = values
    return table


@dataclass(frozen=True, slots=True)
class Cost:
    """What some calls of a model took; `usd` is None if the price of one of them is not known."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0

    @classmethod
    def of(cls, done: Completion) -> Cost:
        return cls(1, done.prompt_tokens, done.completion_tokens, done.cost_usd)

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            total_usd((self.usd, other.usd)),
        )


class BudgetSpentError(GeneratorError):
    """A call was not made because it might have cost more than is left."""


class CostBudget:
    """The calls that were made, each with what it was for; `limit_usd` None means without limit.

    The most a call may cost is set aside before it is made, so that calls made at the same time keep the limit too.
    """

    def __init__(self, limit_usd: float | None = None) -> None:
        self.limit_usd = limit_usd
        self.calls: list[tuple[str, str, Cost]] = []  # purpose, model, cost
        self.declined = 0
        self._reserved = 0.0

    @property
    def spent(self) -> Cost:
        return sum((cost for _, _, cost in self.calls), Cost())

    def allows(self, usd: float | None) -> bool:
        """Whether a call may be made; one whose price is not known may not where there is a limit to keep."""
        if self.limit_usd is None:
            return True
        after = total_usd((self.spent.usd, self._reserved, usd))
        return after is not None and after <= self.limit_usd

    @contextmanager
    def reserved(self, usd: float | None) -> Iterator[None]:
        """Within this the amount is set aside; BudgetSpentError if it is more than is left."""
        if not self.allows(usd):
            self.declined += 1
            raise BudgetSpentError("the budget of this check is spent; raise max_cost_share, or leave the model out")
        self._reserved += usd or 0.0
        try:
            yield
        finally:
            self._reserved -= usd or 0.0

    def to_dict(self) -> dict[str, Any]:
        by_call = [{"purpose": purpose, "model": model} | asdict(cost) for purpose, model, cost in self.calls]
        return asdict(self.spent) | {"limit_usd": self.limit_usd, "declined": self.declined, "by_call": by_call}


class Metered:
    """The same generator; its completions count against a budget. Quoting sources is no call to a model."""

    def __init__(self, generator: Generator, budget: CostBudget | None = None, purpose: str = "") -> None:
        self._generator, self._purpose = generator, purpose
        self.name = generator.name
        self.budget = budget or CostBudget()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)

    @property
    def spent(self) -> dict[str, float]:
        """What its completions came to, as the ledger keeps it."""
        cost = self.budget.spent
        return {
            "model_calls": cost.calls,
            "prompt_tokens": cost.prompt_tokens,
            "completion_tokens": cost.completion_tokens,
            "cost_usd": sum(one.usd or 0.0 for _, _, one in self.budget.calls),
        }

    async def complete(self, messages: Sequence[Message], **options: Any) -> Completion:
        """A completion that was paid for; BudgetSpentError if it might cost more than is left."""
        price: Price | None = getattr(self._generator, "price", FREE)  # a generator without prices costs nothing
        tokens = sum(self.count_tokens(message.content) for message in messages)
        most = None if price is None else price.of(tokens, Sampling(**options).max_tokens)
        with self.budget.reserved(most):
            done = await self._generator.complete(messages, **options)
        if self.name != "extractive":
            self.budget.calls.append((self._purpose, self.name, Cost.of(done)))
        return done

    def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[str]:
        return self._generator.stream(messages, **options)

    def count_tokens(self, text: str) -> int:
        return self._generator.count_tokens(text)
