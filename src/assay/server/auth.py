"""Authentication: the API key a request carries, the role it has, and its rate limit."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.server.keys import ROLES, ApiKey, KeyRing
from assay.server.problems import Problem, problem_response
from assay.server.settings import Settings, is_loopback
from assay.server.worker_pool import WorkerPool

_PUBLIC = ("/v1/health", "/v1/ready", "/v1/openapi.json", "/v1/docs")
_CALLERS_KEPT = 10_000


@dataclass(frozen=True)
class Caller:
    """A request's workspace and role; `name` is the key's, for the log."""

    name: str
    workspace: str
    role: str
    guard: str = ""


KEY_NAME: ContextVar[str] = ContextVar("assay_key_name", default="")
"""The name of the key whose request is being worked on, wherever the work is done."""

ANONYMOUS = Caller("", "", "")
LOCAL = Caller("local", "default", "admin")


class AuthMiddleware:
    """Attaches the caller to a request, or refuses it before its body is read."""

    def __init__(self, app: ASGIApp, settings: Settings, pool: WorkerPool) -> None:
        self.app, self._pool = app, pool
        self._keys = KeyRing(settings.keys)
        self._rates = {key.name: key.rate_per_minute for key in settings.keys if key.rate_per_minute}
        self._limiter = RateLimiter(settings.rate_per_minute / settings.workers)
        self._share = settings.workers
        self._origins = settings.origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            scope["state"]["caller"] = caller = self._authenticate(scope)
            KEY_NAME.set(caller.name)
        except Problem as problem:
            await problem_response(problem, scope)(scope, receive, self._with_rate(scope, send))
            return
        await self.app(scope, receive, self._with_rate(scope, send))

    def _with_rate(self, scope: Scope, send: Send) -> Send:
        """Every answer to a request that was counted says what is left of its rate."""
        counted: tuple[str, float | None] | None = scope["state"].get("rate")
        if counted is None:
            return send
        limit, left, reset = self._limiter.standing(*counted)
        told = {"RateLimit-Limit": limit, "RateLimit-Remaining": left, "RateLimit-Reset": reset}

        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update({name: str(value) for name, value in told.items()})
            await send(message)

        return add

    def _authenticate(self, scope: Scope) -> Caller:
        headers = Headers(scope=scope)
        host = scope["client"][0] if scope.get("client") else ""
        caller = self._caller_of_key(headers) if self._keys else _local(headers, host, self._origins)
        if caller is None:
            if not _needs_no_key(scope):
                raise Problem(
                    401,
                    "this needs an API key, as 'Authorization: Bearer KEY' or 'X-API-Key: KEY'",
                    headers={"WWW-Authenticate": "Bearer"},
                )
            return ANONYMOUS
        if not _needs_no_key(scope):
            rate = self._rates.get(caller.name, 0) / self._share or None
            who = caller.name if self._keys else host
            scope["state"]["rate"] = (who, rate)
            wait = self._limiter.take(who, rate)
            if wait:
                raise Problem(
                    429,
                    "this key asks more often than it may; try again later",
                    kind="rate",
                    headers={"Retry-After": str(max(1, round(wait)))},
                )
            self._pool.check()  # refused now, its body need not be read
        return caller

    def _caller_of_key(self, headers: Headers) -> Caller | None:
        given = given_key(headers)
        if given is None:
            return None
        key: ApiKey | None = self._keys.find(given)
        if key is None:
            raise Problem(401, "this API key is not known here", headers={"WWW-Authenticate": "Bearer"})
        return Caller(key.name, key.workspace, key.role, key.guard)


def given_key(headers: Headers) -> str | None:
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and credentials.strip():
        return credentials.strip()
    return headers.get("x-api-key")


def _local(headers: Headers, host: str, origins: Sequence[str] = ()) -> Caller:
    """Without keys only programs on this machine are answered, and no web page of another origin."""
    named = _hostname(headers.get("host", ""))
    if not is_loopback(host) or not is_loopback(named):
        raise Problem(403, "without API keys this server answers only programs on its own machine")
    origin = headers.get("origin")
    if origin is not None and origin not in origins and urlsplit(origin).netloc != headers.get("host", ""):
        raise Problem(403, "without API keys this server answers no page of another origin; see cors_origins")
    return LOCAL


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _needs_no_key(scope: Scope) -> bool:
    """The page itself and the health checks; nothing that belongs to a workspace."""
    path = str(scope["path"])
    return path in _PUBLIC or not path.startswith(("/v1", "/metrics"))


class RateLimiter:
    """A token bucket for each caller, of one minute's worth of requests."""

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute, self._clock = per_minute, clock
        self._tokens: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str, per_minute: float | None = None) -> float:
        """Takes one token; the seconds to wait if there is none, else 0."""
        size = max(1.0, per_minute or self._per_minute)
        now = self._clock()
        left, since = self._tokens.pop(who, (size, now))
        left = min(size, left + (now - since) * size / 60)
        wait = 0.0 if left >= 1 else (1 - left) * 60 / size
        self._tokens[who] = (left if wait else left - 1, now)
        while len(self._tokens) > _CALLERS_KEPT:
            self._tokens.popitem(last=False)
        return wait

    def standing(self, who: str, per_minute: float | None = None) -> tuple[int, int, int]:
        """How many a minute, how many are left, and the seconds until the bucket is full again."""
        size = max(1.0, per_minute or self._per_minute)
        left, _ = self._tokens.get(who, (size, 0.0))
        return int(size), int(left), math.ceil((size - left) * 60 / size)


def caller_of(request: Request) -> Caller:
    """The caller that the authentication attached."""
    caller: Caller = request.scope["state"]["caller"]
    return caller


def at_least(role: str) -> Callable[[Request], Awaitable[Caller]]:
    """A dependency that refuses callers below a role."""

    # A coroutine, though it waits for nothing: the framework would send a plain function to a thread of its own.
    async def check(request: Request) -> Caller:
        caller = caller_of(request)
        if not caller.role or ROLES.index(caller.role) < ROLES.index(role):
            raise Problem(403, f"this needs a key with the role {role}; yours has {caller.role or 'none'}")
        return caller

    return check
