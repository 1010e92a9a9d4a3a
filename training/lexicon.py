"""Words the data build knows, read from one file beside this one."""

from __future__ import annotations

import tomllib
from pathlib import Path

LEXICON = tomllib.loads(Path(__file__).with_name("lexicon.toml").read_text(encoding="utf-8"))


def word_list(name: str) -> list[str]:
    """A list of single words."""
    return LEXICON[name].split()


def pair_list(name: str) -> tuple[tuple[str, str], ...]:
    """A list of phrases with what replaces each."""
    return tuple((old, new) for old, new in LEXICON[name])
