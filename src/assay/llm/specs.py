"""Which generator a word on the command line or in a setting means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from assay.errors import UsageError
from assay.llm.extractive import Extractive
from assay.llm.prices import read_own, read_shipped
from assay.llm.scripted import Scripted
from assay.llm.values import Generator
from assay.policy import Policy

FORMS = "openai:MODEL[@BASE_URL], anthropic:MODEL[@BASE_URL], local:PATH.gguf, extractive, scripted:FILE"
SHORT_NAMES = "ASSAY_MODELS"
"""The environment variable with the file of the user's own short names."""


def load_short_names() -> Mapping[str, str]:
    """The shipped short names, with those of the file that ASSAY_MODELS names over them."""
    own, listed = read_own(SHORT_NAMES, "model names")
    for name, spec in listed.items():
        if not isinstance(spec, str) or not name.strip() or ":" in name:
            raise UsageError(f'{own}: {name!r} needs the form name = "provider:model", the name without a colon')
    return read_shipped("models.toml") | listed


def resolve_model(spec: str) -> str:
    """What a short name stands for; everything else as it is.

    >>> resolve_model("haiku"), resolve_model("openai:gpt-5")
    ('anthropic:claude-haiku-4-5', 'openai:gpt-5')
    """
    named = spec.strip()
    return named if ":" in named or named in MAKERS else load_short_names().get(named, named)


def make_generator(spec: str, *, policy: Policy | None = None) -> Generator:
    """The generator that a spec names; its library is imported, and a local model loaded, when it is first used.

    >>> make_generator("extractive").name
    'extractive'
    """
    kind, _, rest = resolve_model(spec).partition(":")
    if kind not in MAKERS:
        raise UsageError(
            f"there is no generator {spec!r}; give one of {FORMS}, or a short name: {', '.join(load_short_names())}"
        )
    if kind == "extractive" and rest:
        raise UsageError(f"the extractive writer takes no model: 'extractive', not {spec!r}")
    if kind != "extractive" and not rest.strip():
        raise UsageError(
            f"{spec!r} names no {'file' if kind in ('local', 'scripted') else 'model'}; give one of {FORMS}"
        )
    return MAKERS[kind](rest.strip(), policy or Policy())


def _split(rest: str) -> tuple[str, str | None]:
    """The model and the address behind its last '@http': a model name may hold an '@' itself."""
    at = rest.find("@http")
    return (rest, None) if at < 0 else (rest[:at], rest[at + 1 :])


def _hosted(name: str) -> Callable[[str, Policy], Generator]:
    def make(rest: str, policy: Policy) -> Generator:
        maker: Callable[..., Generator] = getattr(import_module(f"assay.llm.{name.lower()}"), name)
        return maker(*_split(rest), policy=policy)

    return make


def _local(rest: str, policy: Policy) -> Generator:
    from assay.llm.local import Local

    return Local(Path(rest), policy=policy)


MAKERS: dict[str, Callable[[str, Policy], Generator]] = {
    "openai": _hosted("OpenAI"),
    "anthropic": _hosted("Anthropic"),
    "local": _local,
    "extractive": lambda _, policy: Extractive(policy=policy),
    "scripted": lambda rest, _: Scripted.load(Path(rest)),
}
