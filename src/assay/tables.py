"""Files of named values, TOML or YAML: a policy, the settings of a server."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assay.errors import UsageError


def read_table(path: Path, section: str, *, kind: str, error: type[UsageError]) -> dict[str, Any]:
    """What the file says, or the part under `section` if it has one; `kind` is what an error calls the file."""
    if path.suffix.lower() not in (".toml", ".yaml", ".yml"):
        raise error(f"{path}: a {kind} file ends in .toml, .yaml or .yml")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise error(f"cannot read the {kind} file {path}: {problem}") from problem
    try:
        loaded = tomllib.loads(text) if path.suffix.lower() == ".toml" else _read_yaml(text)
    except Exception as problem:  # each format has error classes of its own
        raise error(f"{path} is not valid {path.suffix[1:].upper()}: {problem}") from problem
    table = loaded.get(section, loaded) if isinstance(loaded, dict) else loaded
    if not isinstance(table, dict):
        raise error(f"{path}: a {kind} file holds names and their values, not a {type(table).__name__}")
    return table


def _read_yaml(text: str) -> Any:
    import yaml

    return yaml.safe_load(text) or {}


def suggest(name: str, known: Iterable[str], otherwise: str) -> str:
    """Names like one that is not known, or where the list of them is."""
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=3)
    return f"did you mean {' or '.join(close)}?" if close else otherwise
