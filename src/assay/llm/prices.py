"""What a completion costs: a price table that is shipped and that a file of the user's own overrides."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from assay.errors import UsageError

OVERRIDE = "ASSAY_PRICES"
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens in, and for a million out."""

    prompt: float
    completion: float

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


def find_price(provider: str, model: str, *, own_server: bool = False, table: Table | None = None) -> Price:
    """The price of a model by the longest beginning of its name.

    A model that is not listed costs nothing on a server of one's own, and as much as the dearest that is listed at
    the provider: a budget may then end too early, but is never overrun.

    >>> find_price("openai", "gpt-4o-mini-2024-07-18")
    Price(prompt=0.15, completion=0.6)
    """
    listed = (load_prices() if table is None else table).get(provider, {})
    fitting = [name for name in listed if model.startswith(name)]
    if fitting:
        return listed[max(fitting, key=len)]
    if own_server or not listed:
        return FREE
    return max(listed.values(), key=lambda price: price.prompt + price.completion)


def _read(loaded: Mapping[str, Any], place: str) -> dict[str, dict[str, Price]]:
    table: dict[str, dict[str, Price]] = {}
    for provider, models in loaded.items():
        listed: dict[str, Any] = models if isinstance(models, dict) else {"": models}
        for model, price in listed.items():
            try:
                values = Price(float(price["prompt"]), float(price["completion"]))
            except (KeyError, TypeError, ValueError):
                raise UsageError(
                    f'{place}: [{provider}] {model!r} needs the form "model" = {{ prompt = 0.15, completion = 0.6 }}'
                ) from None
            table.setdefault(provider, {})[model] = values
    return table
