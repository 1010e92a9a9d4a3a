"""API keys: each opens one workspace with one role. Only the hash of a key is ever kept.

>>> plain, key = ApiKey.make("ci", workspace="team-a", role="reader")
>>> KeyRing([key]).find(plain).workspace
'team-a'
>>> KeyRing([key]).find(plain + "x") is None
True
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from assay.errors import UsageError
from assay.storage.database import check_workspace

ROLES = ("reader", "writer", "admin")
"""In rising order: a reader looks and checks, a writer also changes documents and marks findings, an admin sees all."""

_PREFIX = "assay_"
_SHORTEST = 24  # keys are hashed without salt or stretching, which is only safe when they cannot be guessed
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True)
class ApiKey:
    """One key as it is kept: who it is for and the SHA-256 of its text."""

    name: str
    workspace: str
    role: str
    sha256: str
    rate_per_minute: int = 0  # 0 means the server's own
    guard: str = ""  # the guard's mode for this key; empty means the server's own

    def __post_init__(self) -> None:
        if not self.name:
            raise UsageError("an API key needs a name, to tell it from others in the log")
        check_workspace(self.workspace)
        if self.role not in ROLES:
            raise UsageError(f"the role of key {self.name!r} is one of {', '.join(ROLES)}, not {self.role!r}")
        if not _SHA256.match(self.sha256):
            raise UsageError(f"key {self.name!r} is kept as a SHA-256 of 64 hex digits; 'assay keys new' prints one")
        if type(self.rate_per_minute) is not int or self.rate_per_minute < 0:
            raise UsageError(f"rate_per_minute of key {self.name!r} is a whole number, not {self.rate_per_minute!r}")
        if self.guard not in ("", "annotate", "hold", "block", "repair"):
            raise UsageError(f"guard of key {self.name!r} is annotate, hold, block or repair, not {self.guard!r}")

    @classmethod
    def make(cls, name: str, *, workspace: str = "default", role: str = "writer") -> tuple[str, ApiKey]:
        """A new key: its text, shown once, and what is kept of it."""
        plain = _PREFIX + secrets.token_urlsafe(32)
        return plain, cls.of(plain, name=name, workspace=workspace, role=role)

    @classmethod
    def of(cls, plain: str, *, name: str, workspace: str, role: str) -> ApiKey:
        if len(plain) < _SHORTEST:
            raise UsageError(f"an API key has at least {_SHORTEST} characters; 'assay keys new' makes one")
        return cls(name, workspace, role, _hash(plain))

    @classmethod
    def read(cls, row: Any) -> ApiKey:
        """A key from a table of the settings file."""
        known = {spec.name for spec in fields(cls)}
        if not isinstance(row, Mapping):
            raise UsageError(f"a key is a table with name, workspace, role and sha256, not {row!r}")
        if unknown := sorted(set(row) - known):
            raise UsageError(f"a key has no field {unknown[0]!r}; it has {', '.join(sorted(known))}")
        if missing := [name for name in ("name", "workspace", "role", "sha256") if not isinstance(row.get(name), str)]:
            raise UsageError(f"a key needs the text field {missing[0]!r}")
        return cls(**row)


class KeyRing:
    """Finds the key a text stands for, in a time that does not depend on how much of it is right."""

    def __init__(self, keys: Iterable[ApiKey]) -> None:
        self._keys = tuple(keys)

    def __bool__(self) -> bool:
        return bool(self._keys)

    def find(self, plain: str) -> ApiKey | None:
        given, found = _hash(plain), None
        for key in self._keys:  # all of them, always
            if hmac.compare_digest(given, key.sha256):
                found = key
        return found


def _hash(plain: str) -> str:
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()
