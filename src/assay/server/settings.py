"""How a server runs: one frozen object, from a file, the environment and flags, in rising order.

>>> Settings.load(env={"ASSAY_PORT": "9000"}).port
9000
>>> Settings.load(env={"ASSAY_PORT": "9000"}, port=9001).port
9001
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from assay.errors import UsageError
from assay.judges import split_judge_name
from assay.policy import Policy
from assay.server.keys import ApiKey
from assay.tables import read_table, suggest

ENV_PREFIX = "ASSAY_"
GUARD_MODES = ("annotate", "hold", "block", "repair")

_NESTED = ("keys", "models", "policy", "epistemic", "verification")


@dataclass(frozen=True)
class Settings:
    """Everything about a server that is not a threshold of judging."""

    host: str = "127.0.0.1"
    port: int = 8017
    workers: int = 1
    data: str = field(default=".assay", repr=False)  # a folder, or a postgresql:// address, which may hold a password
    embedder: str = ""  # for a new memory; empty means the memory's own default
    judge: str = "cascade"  # or model:NAME, cascade+model:NAME, where NAME is one of `models` or a full spec
    record: bool = True  # every check goes into the ledger unless the request says otherwise
    warm: bool = True  # load the models before the first request
    monitor: bool = False  # watch the verifier itself; a server that is started does, an app made by hand need not
    page: bool = True
    cors_origins: str = ""  # origins whose pages may call the server, separated by commas; '*' for all
    otel: bool = False  # spans of requests and answers, sent as the OTEL_* variables say
    log: str = "json"

    keys: tuple[ApiKey, ...] = ()
    models: Mapping[str, str] = field(default_factory=lambda: {"extractive": "extractive"})
    policy: Mapping[str, Any] = field(default_factory=dict)
    epistemic: Mapping[str, Any] = field(default_factory=dict)  # of epistemic checks
    verification: Mapping[str, Any] = field(default_factory=dict)  # of answers in a chat

    # Limits. Each bounds what one caller can take from the others.
    max_body_bytes: int = 8_000_000
    max_upload_bytes: int = 32_000_000
    max_depth: int = 64
    max_answer_chars: int = 200_000
    max_documents: int = 10_000
    max_batch: int = 100
    rate_per_minute: int = 600
    threads: int = 2
    queue: int = 64
    queue_seconds: float = 10.0  # how long the last in the queue may have to wait
    streams: int = 128  # open at once in each process; more wait in the queue
    request_seconds: float = 60.0
    stream_seconds: float = 300.0
    body_seconds: float = 20.0
    header_seconds: float = 10.0
    send_seconds: float = 30.0
    shutdown_seconds: float = 30.0
    frozen_seconds: float = 30.0  # a process that answers nothing for so long is stopped, and another one started
    max_memory_mb: int = 8_192  # of data of a process; what needs more fails. 0 for no limit

    # The OpenAI-compatible guard
    upstream: str = ""
    upstream_key: str = field(default="", repr=False)
    upstream_seconds: float = 120.0
    guard: str = "annotate"

    def __post_init__(self) -> None:
        for spec in fields(self):
            _check(spec.name, getattr(self, spec.name), type(spec.default))
        split_judge_name(self.judge)
        _one_of("guard", self.guard, GUARD_MODES)
        _one_of("log", self.log, ("json", "text"))
        if not self.keys and not is_loopback(self.host):
            raise UsageError(
                f"without API keys the server only binds to this machine, not to {self.host}: "
                "make a key with 'assay keys new' and put it under [[keys]] of the settings file"
            )
        for origin in self.origins:
            if origin != "*" and not re.fullmatch(r"https?://[^/?#\s]+", origin):
                raise UsageError(f"cors_origins has origins like https://app.example or '*', not {origin!r}")
        if "*" in self.origins and not self.keys:
            raise UsageError("cors_origins may be '*' only with API keys; without them name the origins")
        names = [key.name for key in self.keys]
        if len(set(names)) != len(names):
            raise UsageError("two API keys have the same name; each needs its own")
        self.rules()
        self._check_tables()

    def _check_tables(self) -> None:
        """Refuses a bad value of a check now, and not at the first request."""
        if self.epistemic:
            from assay.epistemic import EpistemicConfig

            EpistemicConfig.load(policy=self.rules(), table=self.epistemic)
        if self.verification:
            from assay.repair import VerificationOptions

            VerificationOptions.load(policy=self.rules(), table=self.verification)

    def check_upstream(self) -> None:
        """The guard cannot run without the address of an upstream."""
        if not self.upstream.startswith(("http://", "https://")):
            raise UsageError("the guard needs the address of an upstream, like --upstream http://127.0.0.1:11434/v1")

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins of `cors_origins`."""
        return tuple(part.strip().rstrip("/") for part in self.cors_origins.split(",") if part.strip())

    def rules(self) -> Policy:
        """The policy answers are judged by unless a request changes it."""
        return Policy.load(**self.policy)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str] | None = None, *, env: Mapping[str, str] | None = None, **flags: Any
    ) -> Settings:
        """Defaults, then the file, then the environment, then the flags that are not None."""
        values: dict[str, Any] = {}
        if path is not None:
            values |= read_table(Path(path), "server", kind="settings", error=UsageError)
        values |= _read_env(os.environ if env is None else env)
        values |= {name: value for name, value in flags.items() if value is not None}
        return cls(monitor=True).but(**values)

    def but(self, **changes: Any) -> Settings:
        """These settings with some changed; unknown names and bad values are refused by name."""
        kinds = {spec.name: type(spec.default) for spec in fields(self)}
        for name in changes:
            if name not in kinds:
                raise UsageError(
                    f"unknown server setting {name!r}; {suggest(name, kinds, 'see docs/server.md for the list')}"
                )
        return replace(self, **{name: _convert(name, value, kinds[name]) for name, value in changes.items()})

    def to_json(self) -> str:
        """The form in which worker processes are handed their settings."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Settings:
        return cls().but(**json.loads(text))


def is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _check(name: str, value: Any, kind: type) -> None:
    if name in _NESTED:
        return
    if kind is float and type(value) is int:
        return
    if type(value) is not kind:
        raise UsageError(f"the server setting {name} is of type {kind.__name__}, not {value!r}")
    if (
        isinstance(value, int | float)
        and kind is not bool
        and (value < 0 or (value == 0 and name not in ("port", "queue", "max_memory_mb")))
    ):
        raise UsageError(f"the server setting {name} is a positive number, not {value!r}")


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(f"the server setting {name} is one of {', '.join(known)}, not {value!r}")


def _convert(name: str, value: Any, kind: type) -> Any:
    if name == "keys":
        return tuple(item if isinstance(item, ApiKey) else ApiKey.read(item) for item in value)
    if name in _NESTED:
        if not isinstance(value, Mapping):
            raise UsageError(f"the server setting {name} is a table, not {value!r}")
        return dict(value)
    if isinstance(value, str) and kind is not str:
        try:
            if kind is bool:
                return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[value.lower()]
            return kind(value)
        except (ValueError, KeyError) as problem:
            raise UsageError(f"the server setting {name} is of type {kind.__name__}, not {value!r}") from problem
    if kind is str and isinstance(value, list | tuple) and name == "cors_origins":
        return ",".join(str(part) for part in value)
    return float(value) if kind is float and type(value) is int else value


def _read_env(env: Mapping[str, str]) -> dict[str, Any]:
    """ASSAY_PORT and its like; ASSAY_API_KEY is one key in plain text, for a container's secret."""
    known = {spec.name for spec in fields(Settings)} - set(_NESTED)
    values: dict[str, Any] = {}
    for variable, value in env.items():
        name = variable.removeprefix(ENV_PREFIX).lower()
        if variable.startswith(ENV_PREFIX) and name in known and name not in _POLICY_FIELDS:
            values[name] = value
    if plain := env.get("ASSAY_API_KEY"):
        role, workspace = env.get("ASSAY_API_KEY_ROLE", "admin"), env.get("ASSAY_WORKSPACE", "default")
        values["keys"] = (ApiKey.of(plain, name="environment", workspace=workspace, role=role),)
    return values


# `ASSAY_THREADS` is the policy's (threads of one model); the server's own is set in the file or by a flag.
_POLICY_FIELDS = {spec.name for spec in fields(Policy)}
