"""The settings of a project: `assay.toml`, or `[tool.assay]` in `pyproject.toml`, found upwards from a folder.

    preset = "strict"          # strict, balanced or lenient
    min_confidence = 0.8       # support less sure than this is INSUFFICIENT
    judge = "cascade"
    fail_on = "refuted"        # as --fail-on
    format = "text"            # as --format of `assay check`
    sources = ["articles/"]    # what answers are checked against where the command names nothing
    memory = "memory/"         # the same, and the memory of `assay ask` and `assay index`
    [policy]                   # any policy field
    halt_confidence = 0.8

In rising order count the preset, this file, a policy file, `ASSAY_*` variables, flags. Paths are relative to the file.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from assay.errors import PolicyError, UsageError
from assay.policy import Policy
from assay.tables import convert, suggest

FILE = "assay.toml"

# What each preset changes, and the verdicts that fail a check under it.
PRESETS: dict[str, tuple[dict[str, Any], str]] = {
    "strict": ({"grounding_confidence": 0.8, "halt_confidence": 0.5}, "any"),
    "balanced": ({}, "any"),
    "lenient": ({"refute_probability": 0.8, "halt_confidence": 0.9}, "refuted,error"),
}
DEFAULT_PRESET = "balanced"
# Settings that name the same thing as a policy field, in words that a user looks for.
_MIN_CONFIDENCE = "grounding_confidence"


@dataclass(frozen=True)
class Config:
    """What a project's file says; without a file, nothing."""

    path: Path | None = None
    preset: str | None = None
    min_confidence: float | None = None
    judge: str | None = None
    fail_on: str | None = None
    format: str | None = None
    sources: tuple[str, ...] = ()
    memory: str | None = None
    policy: Mapping[str, Any] = field(default_factory=dict)

    def settings(self) -> dict[str, Any]:
        """What is set, by name."""
        given = {spec.name: getattr(self, spec.name) for spec in fields(self) if spec.name not in ("path", "policy")}
        return {name: value for name, value in given.items() if value not in (None, ())} | dict(self.policy)


def find_config(start: Path | None = None) -> Config:
    """The settings of the project that a folder lies in (the working directory): the nearest file upwards counts."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / FILE).is_file():
            return _parse(folder / FILE, _read(folder / FILE))
        if (folder / "pyproject.toml").is_file():
            table = _read(folder / "pyproject.toml").get("tool", {}).get("assay")
            if table is not None:
                return _parse(folder / "pyproject.toml", table)
    return Config()


def load_policy(
    path: str | os.PathLike[str] | None = None,
    *,
    preset: str | None = None,
    min_confidence: float | None = None,
    start: Path | None = None,
    env: Mapping[str, str] | None = None,
    **overrides: Any,
) -> Policy:
    """The policy of a project: its preset, its file, a policy file, the environment, then what is given here.

    >>> load_policy(preset="strict", start=Path("/")).grounding_confidence
    0.8
    """
    variables = os.environ if env is None else env
    config = find_config(start)
    chosen = preset or variables.get("ASSAY_PRESET") or config.preset or DEFAULT_PRESET
    values = preset_values(chosen) | dict(config.policy)
    if config.min_confidence is not None:
        values[_MIN_CONFIDENCE] = config.min_confidence
    least = min_confidence if min_confidence is not None else variables.get("ASSAY_MIN_CONFIDENCE")
    if least is not None:
        overrides = {_MIN_CONFIDENCE: least} | overrides
    try:
        own = Policy().but(**values)
    except PolicyError as problem:
        raise PolicyError(f"{config.path}: {problem}") from problem
    return Policy.load(path, env=variables, base=own, **overrides)


def preset_values(name: str) -> dict[str, Any]:
    """The policy fields that a preset changes.

    >>> preset_values("balanced")
    {}
    """
    if name not in PRESETS:
        raise UsageError(f"no preset {name!r}; there are {', '.join(PRESETS)}")
    return dict(PRESETS[name][0])


def default_fail_on(preset: str | None = None, env: Mapping[str, str] | None = None) -> str:
    """The verdicts that fail a check where nothing names them: those of the preset."""
    config = find_config()
    chosen = preset or (os.environ if env is None else env).get("ASSAY_PRESET") or config.preset or DEFAULT_PRESET
    preset_values(chosen)
    return config.fail_on or PRESETS[chosen][1]


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:  # also bytes that are no UTF-8, and no TOML
        raise UsageError(f"cannot read the settings in {path}: {problem}") from problem


def _parse(path: Path, table: Any) -> Config:
    if not isinstance(table, dict):
        raise UsageError(f"{path}: the settings are a table, not a {type(table).__name__}")
    known = {spec.name for spec in fields(Config)} - {"path"}
    for name in table:
        if name not in known:
            raise UsageError(
                f"{path}: unknown setting {name!r}; {suggest(name, known, 'there are ' + ', '.join(sorted(known)))}"
            )
    values: dict[str, Any] = {"path": path}
    for name in ("preset", "judge", "fail_on", "format", "memory"):
        if name in table:
            values[name] = convert(f"{path}: {name}", table[name], str, UsageError)
    if "min_confidence" in table:
        values["min_confidence"] = convert(f"{path}: min_confidence", table["min_confidence"], float, UsageError)
    listed = table.get("sources", ())
    listed = (listed,) if isinstance(listed, str) else listed
    if not isinstance(listed, list | tuple) or not all(isinstance(item, str) for item in listed):
        raise UsageError(f"{path}: sources is a list of files, folders and globs, not {table['sources']!r}")
    values["sources"] = tuple(str(path.parent / item) for item in listed)
    if "memory" in values and "://" not in values["memory"]:
        values["memory"] = str(path.parent / values["memory"])
    if not isinstance(table.get("policy", {}), dict):
        raise UsageError(f"{path}: policy is a table of policy fields, not {table['policy']!r}")
    if "preset" in values:
        preset_values(values["preset"])
    return Config(**values, policy=table.get("policy", {}))
