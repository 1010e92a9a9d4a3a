"""Prompts as versioned files: `prompts/NAME.vN.md`, a system part and a user part, each known by its hash."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from string import Template

from assay.llm.values import Message
from assay.types import sha256_of

_USER = re.compile(r"(?m)^=== user ===\n")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One version of one prompt, with `$names` still to be filled in."""

    name: str
    version: int
    text: str

    @property
    def id(self) -> str:
        """What a report or a cache key says of it: `judge.v1:1a2b3c4d`."""
        return f"{self.name}.v{self.version}:{self.sha256[:8]}"

    @property
    def sha256(self) -> str:
        return sha256_of(self.text)

    def fill(self, **values: object) -> list[Message]:
        """The messages to send; a value is put in once and never read for further `$names`."""
        system, _, user = _split(self.text)
        filled = {name: str(value) for name, value in values.items()}
        return [
            Message("system", Template(system).substitute(filled).strip()),
            Message("user", Template(user).substitute(filled).strip()),
        ]


@cache
def load_prompt(name: str, version: int | None = None, *, home: str = "assay.llm") -> Prompt:
    """A prompt by its name, the newest version unless one is asked for."""
    from importlib.resources import files

    folder = files(home).joinpath("prompts")
    pattern = re.compile(rf"{re.escape(name)}\.v(\d+)\.md")
    found = {int(match[1]): item for item in folder.iterdir() if (match := pattern.fullmatch(item.name))}
    if not found or (version is not None and version not in found):
        raise LookupError(f"there is no prompt {name!r}" + (f" of version {version}" if found else "") + f" in {home}")
    chosen = max(found) if version is None else version
    return Prompt(name, chosen, found[chosen].read_text(encoding="utf-8"))


def _split(text: str) -> tuple[str, str, str]:
    match = _USER.search(text)
    if match is None:
        raise ValueError("a prompt file has a system part, a line '=== user ===' and a user part")
    return text[: match.start()], match.group(), text[match.end() :]
