"""What a completion costs: a price table that is shipped to be edited, and that a file of the user's own overrides.

A cost of None is unknown: the model has no price. It is never guessed, and a sum with it is unknown too.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from assay.errors import UsageError
from assay.llm.values import Completion, Generator, Message

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


def load_prices(path: Path | None = None) -> Table:
    """The shipped table, with the entries of `path` (or of the file that ASSAY_PRICES names) over it."""
    shipped = files("assay.llm").joinpath("prices.toml").read_text(encoding="utf-8")
    table = _read(tomllib.loads(shipped), "prices.toml")
    named = path or (Path(os.environ[OVERRIDE]) if os.environ.get(OVERRIDE) else None)
    if named is None:
        return table
    try:
        own = tomllib.loads(named.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise UsageError(f"cannot read the price table {named}: {problem}") from problem
    for provider, prices in _read(own, str(named)).items():
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


_SPENT = ("model_calls", "prompt_tokens", "completion_tokens", "cost_usd")


class Metered:
    """The same generator; `spent` is what its completions came to. Quoting sources is no call to a model."""

    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self.name = generator.name
        self.spent: dict[str, float] = dict.fromkeys(_SPENT, 0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)

    async def complete(self, messages: Sequence[Message], **options: Any) -> Completion:
        done = await self._generator.complete(messages, **options)
        if self.name != "extractive":
            self.spent["model_calls"] += 1
            self.spent["prompt_tokens"] += done.prompt_tokens
            self.spent["completion_tokens"] += done.completion_tokens
            self.spent["cost_usd"] += done.cost_usd or 0.0
        return done

    def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[str]:
        return self._generator.stream(messages, **options)

    def count_tokens(self, text: str) -> int:
        return self._generator.count_tokens(text)
