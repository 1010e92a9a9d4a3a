"""Named values from files (TOML or YAML) and the environment: a policy, the settings of a server or of a check."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.policy import Policy


def read_table(
    path: Path, section: str, *, kind: str, error: type[UsageError], optional: bool = False
) -> dict[str, Any]:
    """What the file says, or the part under `section` if it has one; `kind` is what an error calls the file.

    An `optional` section is read only where the file has it: without it the file says nothing.
    """
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
    table = loaded.get(section, {} if optional else loaded) if isinstance(loaded, dict) else loaded
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


_TRUTHS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def convert(name: str, value: Any, kind: type, error: type[UsageError]) -> Any:
    """Text becomes the setting's type, a whole number a fraction; anything else must already fit."""
    if isinstance(value, str) and kind is not str:
        try:
            return _TRUTHS[value.strip().lower()] if kind is bool else kind(value)
        except (ValueError, KeyError):
            raise error(f"{name} is of type {kind.__name__}, not {value!r}") from None
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise error(f"{name} is of type {kind.__name__}, not {value!r}")
    return value


class SectionSettings:
    """A frozen dataclass of settings, each with a default: the base of those that have a section of a file."""

    SECTION: ClassVar[str]
    error: ClassVar[type[UsageError]] = UsageError

    @classmethod
    def of(cls, policy: Policy | None = None, **changes: Any) -> Self:
        """The defaults, with what they share with the policy taken from there and some settings changed."""
        raise NotImplementedError

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        env: Mapping[str, str] | None = None,
        policy: Policy | None = None,
        table: Mapping[str, Any] | None = None,
        **overrides: Any,
    ) -> Self:
        """The policy, then the section of the file, then `ASSAY_SECTION_NAME`, then the arguments that are not None.

        `table` is a section that was read already.
        """
        values: dict[str, Any] = dict(table or {})
        if path is not None:
            values |= read_table(Path(path), cls.SECTION, kind="settings", error=cls.error, optional=True)
        given = os.environ if env is None else env
        names = {f"ASSAY_{cls.SECTION}_{spec.name}".upper(): spec.name for spec in _fields(cls)}
        values |= {names[key]: value for key, value in given.items() if key in names}
        return cls.of(policy, **(values | {name: value for name, value in overrides.items() if value is not None}))

    def but(self, **changes: Any) -> Self:
        """These settings with some changed; text becomes the setting's type, an unknown setting is refused by name."""
        kinds = {spec.name: type(spec.default) for spec in _fields(type(self))}
        for name in changes:
            if name not in kinds:
                among = f"there are {', '.join(sorted(kinds))}"
                raise self.error(f"there is no {self.SECTION} setting {name!r}; {suggest(name, kinds, among)}")
        changed = {name: convert(name, value, kinds[name], self.error) for name, value in changes.items()}
        return replace(self, **changed)  # type: ignore[type-var]


def _fields(kind: type[SectionSettings]) -> tuple[Field[Any], ...]:
    return fields(kind)  # type: ignore[arg-type]
