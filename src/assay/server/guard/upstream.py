"""The model behind the guard, over HTTP; what it says about its own failures is passed on."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from assay.errors import missing_extra
from assay.server.problems import Problem
from assay.server.settings import Settings

if TYPE_CHECKING:
    import httpx

# Headers of one connection, which end where it ends.
_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade host".split()
)
_OURS = frozenset({b"date"})  # every server says it itself
_CREDENTIALS = frozenset({b"authorization", b"x-api-key", b"api-key"})
_DECODED = frozenset({b"content-length", b"content-encoding"})  # untrue once a body was decoded or changed
# What is left after decoding must mean the same to the upstream: no escapes, no query, no fragment, no backslash.
_PATH = re.compile(rb"[\w.:@+~=,/-]{1,1000}")

RawHeaders = list[tuple[bytes, bytes]]


class Upstream:
    """A client for one server."""

    def __init__(self, settings: Settings) -> None:
        try:
            import httpx
        except ImportError as problem:
            raise missing_extra("the guard", "server") from problem
        self.address = settings.upstream
        self._own_key, self._shared = settings.upstream_key, not settings.keys
        self._most_bytes = settings.max_body_bytes
        self._client = httpx.AsyncClient(
            base_url=settings.upstream.rstrip("/") + "/",
            timeout=httpx.Timeout(settings.upstream_seconds, connect=10),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=settings.streams),
            trust_env=False,
            follow_redirects=False,
            headers={"Accept-Encoding": "identity"},
        )
        del self._client.headers["user-agent"], self._client.headers["accept"]

    async def close(self) -> None:
        await self._client.aclose()

    def _headers(self, request: Request, dropped: Iterable[bytes] = ()) -> RawHeaders:
        """The client's headers, with the upstream's key in place of the client's where that is one of ours."""
        gone = {*_HOP, *dropped, *(_CREDENTIALS if self._own_key or not self._shared else ())}
        headers = [(name, value) for name, value in request.scope["headers"] if name not in gone]
        if self._own_key and any(name == b"anthropic-version" for name, _ in headers):
            headers.append((b"x-api-key", self._own_key.encode()))
        elif self._own_key:
            headers.append((b"authorization", b"Bearer " + self._own_key.encode()))
        return headers

    async def pass_through(self, request: Request) -> Response:
        """Any request to the upstream and its answer, both as they are."""
        path = upstream_path(request.scope.get("raw_path") or request.url.path.encode())
        query = request.scope.get("query_string") or b""
        response = await self._send(request, path + (b"?" + query if query else b""), await request.body())
        answer = StreamingResponse(_raw(response), response.status_code)
        answer.raw_headers = headers_of(response, dropped=())
        return answer

    async def ask(self, request: Request, path: str, body: bytes) -> httpx.Response:
        """The answer to a request whose body may have been changed; its own body has not been read yet."""
        dropped = (b"content-length", b"accept-encoding")
        return await self._send(request, path.encode(), body, dropped)

    async def _send(self, request: Request, path: bytes, body: bytes, dropped: Iterable[bytes] = ()) -> httpx.Response:
        headers = self._headers(request, dropped)
        made = self._client.build_request(request.method, path.decode("ascii"), content=body or None, headers=headers)
        with explained():
            return await self._client.send(made, stream=True)

    async def events(self, response: httpx.Response) -> AsyncIterator[dict[str, Any] | None]:
        """The JSON of each server-sent event; None for [DONE]."""
        data: list[bytes] = []
        with explained():
            async with aclosing(_lines(response, self._most_bytes)) as lines:
                async for line in lines:
                    if line.startswith(b"data:"):
                        data.append(line[5:].removeprefix(b" "))
                    elif not line and data:
                        text, data = b"\n".join(data).strip(), []
                        if text:
                            yield _event(text)
        if data and (text := b"\n".join(data).strip()):  # the stream ended without an empty line
            yield _event(text)


def upstream_path(raw: bytes) -> bytes:
    """The path on the upstream of a path under /v1, as it was written; 404 for one that could lead elsewhere."""
    decoded = unquote_to_bytes(raw)
    inside = decoded.removeprefix(b"/v1/")
    if inside == decoded or not _PATH.fullmatch(inside) or {b".", b"..", b""} & set(inside.split(b"/")):
        raise Problem(404, "there is no such path")
    return raw.removeprefix(b"/v1/") if raw.startswith(b"/v1/") else inside


def headers_of(response: httpx.Response, dropped: Iterable[bytes] = _DECODED) -> RawHeaders:
    """The upstream's headers for the client."""
    gone = {*_HOP, *_OURS, *dropped}
    return [(name.lower(), value) for name, value in response.headers.raw if name.lower() not in gone]


async def _raw(response: httpx.Response) -> AsyncIterator[bytes]:
    try:
        with explained():
            async for chunk in response.aiter_raw():
                yield chunk
    finally:
        await response.aclose()


async def _lines(response: httpx.Response, most: int) -> AsyncGenerator[bytes, None]:
    """Lines that end with a line feed, and only with that: JSON may hold other line separators."""
    rest = b""
    async for chunk in response.aiter_bytes():
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > most:
            raise Problem(502, f"the upstream sent an event of more than {most:,} bytes", kind="upstream-answer")
        for line in lines:
            yield line.removesuffix(b"\r")
    if rest:
        yield rest.removesuffix(b"\r")


def _event(text: bytes) -> dict[str, Any] | None:
    if text == b"[DONE]":
        return None
    try:
        event = json.loads(text)
    except ValueError as problem:
        raise Problem(502, "the upstream sent an event that is not JSON", kind="upstream-answer") from problem
    if not isinstance(event, dict):
        raise Problem(502, "the upstream sent an event that is not an object", kind="upstream-answer")
    return event


@contextmanager
def explained() -> Iterator[None]:
    """Failures of the connection to the upstream, said as such."""
    import httpx

    try:
        yield
    except httpx.TimeoutException as problem:
        raise Problem(504, "the upstream did not answer in time", kind="upstream-timeout") from problem
    except httpx.ConnectError as problem:
        raise Problem(502, "the upstream cannot be reached (ConnectError)", kind="upstream-unreachable") from problem
    except httpx.HTTPError as problem:
        detail = f"the upstream closed the connection before its answer was complete ({type(problem).__name__})"
        raise Problem(502, detail, kind="upstream-reset") from problem
