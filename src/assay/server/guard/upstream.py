"""The model behind the guard, over HTTP; what it says about its own failures is passed on."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from assay.errors import missing_extra
from assay.server.problems import Problem
from assay.server.settings import Settings

if TYPE_CHECKING:
    import httpx

_PASSED_ON = ("retry-after", "content-type")


class UpstreamRefusal(Exception):  # noqa: N818 – an answer that is passed on, not a failure here
    """The upstream answered with an error of its own."""

    def __init__(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        super().__init__(f"upstream answered {status}")
        self.status, self.body = status, body
        self.headers = {name: value for name, value in headers.items() if name.lower() in _PASSED_ON}

    def response(self) -> Response:
        return Response(self.body, self.status, headers=self.headers)


class Upstream:
    """A client for one OpenAI-compatible server."""

    def __init__(self, settings: Settings) -> None:
        try:
            import httpx
        except ImportError as problem:
            raise missing_extra("the guard", "server") from problem
        self._own_key, self._shared = settings.upstream_key, not settings.keys
        self._client = httpx.AsyncClient(
            base_url=settings.upstream.rstrip("/") + "/",
            timeout=httpx.Timeout(settings.upstream_seconds, connect=10),
            limits=httpx.Limits(max_connections=settings.streams + settings.queue),
            trust_env=False,
            follow_redirects=False,
        )

    async def close(self) -> None:
        await self._client.aclose()

    def headers(self, authorization: str | None) -> dict[str, str]:
        """The upstream's key; without keys of our own the client's is meant for the upstream and passed on."""
        if self._own_key:
            return {"Authorization": f"Bearer {self._own_key}"}
        return {"Authorization": authorization} if authorization and self._shared else {}

    async def get(self, path: str, authorization: str | None) -> Response:
        async with self._explained():
            found = await self._client.get(path, headers=self.headers(authorization))
        return UpstreamRefusal(found.status_code, found.content, found.headers).response()

    async def complete(self, body: Mapping[str, Any], authorization: str | None) -> dict[str, Any]:
        async with self._explained():
            found = await self._client.post("chat/completions", json=body, headers=self.headers(authorization))
        if found.status_code >= 300:
            raise UpstreamRefusal(found.status_code, found.content, found.headers)
        try:
            answer = found.json()
        except ValueError as problem:
            raise Problem(502, "the upstream answered with something that is not JSON") from problem
        if not isinstance(answer, dict) or not isinstance(answer.get("choices"), list):
            raise Problem(502, "the upstream answered without choices")
        return answer

    @asynccontextmanager
    async def stream(self, body: Mapping[str, Any], authorization: str | None) -> AsyncIterator[AsyncIterator[Any]]:
        """The chunks of a streamed answer, as they come."""
        request = self._client.build_request("POST", "chat/completions", json=body, headers=self.headers(authorization))
        async with self._explained():
            response = await self._client.send(request, stream=True)
        try:
            if response.status_code >= 300:
                raise UpstreamRefusal(response.status_code, await response.aread(), response.headers)
            yield _chunks(response)
        finally:
            await response.aclose()

    @asynccontextmanager
    async def _explained(self) -> AsyncIterator[None]:
        import httpx

        try:
            yield
        except httpx.TimeoutException as problem:
            raise Problem(504, "the upstream did not answer in time") from problem
        except httpx.HTTPError as problem:
            raise Problem(502, f"the upstream cannot be reached ({type(problem).__name__})") from problem


async def _chunks(response: httpx.Response) -> AsyncIterator[Any]:
    """The JSON of each server-sent event up to [DONE]."""
    async for line in response.aiter_lines():
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == "[DONE]":
            return
        try:
            chunk = json.loads(data)
        except ValueError:
            continue
        if isinstance(chunk, dict):
            yield chunk
