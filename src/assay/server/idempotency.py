"""`Idempotency-Key`: a write that is sent again gets the answer of the first time and is not done twice."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.server.auth import Caller
from assay.server.problems import Problem, problem_response
from assay.server.store import Replies, Reply

if TYPE_CHECKING:
    from assay.server.workspaces import WorkspaceRegistry

_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_LONGEST_KEY = 255
_KEPT_HEADERS = ("content-type", "content-disposition")


class IdempotencyMiddleware:
    """Keeps the answers to writes that carry a key, for a day, in the workspace of the caller."""

    def __init__(self, app: ASGIApp, workspaces: WorkspaceRegistry, seconds: float) -> None:
        self.app, self._workspaces, self._seconds = app, workspaces, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = Headers(scope=scope).get("idempotency-key") if scope["type"] == "http" else None
        caller: Caller | None = scope.get("state", {}).get("caller")
        if key is None or caller is None or not caller.workspace or scope["method"] not in _WRITES:
            await self.app(scope, receive, send)
            return
        try:
            if not 0 < len(key) <= _LONGEST_KEY:
                raise Problem(400, f"an Idempotency-Key has 1 to {_LONGEST_KEY} characters")
            message = await receive()
            asked = hashlib.sha256(scope.get("query_string", b"") + b"\n" + message.get("body", b"")).hexdigest()
            place = "\n".join((caller.name, scope["method"], scope["path"], key))
            identity = hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()
            store = await asyncio.to_thread(self._workspaces.replies, caller.workspace)
            kept = await asyncio.to_thread(store.begin, identity, asked, self._seconds)
            if kept is not None:
                await _replay(kept, asked)(scope, receive, send)
                return
        except Problem as problem:
            await problem_response(problem, scope)(scope, receive, send)
            return
        await self._answer(store, identity, message, scope, receive, send)

    async def _answer(
        self, store: Replies, identity: str, message: Message, scope: Scope, receive: Receive, send: Send
    ) -> None:
        status, headers, body, given = 0, Headers(), bytearray(), False
        keep = True

        async def replay_body() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return message

        async def copy(part: Message) -> None:
            nonlocal status, headers, keep
            if part["type"] == "http.response.start":
                status, headers = part["status"], Headers(raw=part["headers"])
                # A stream is not kept, and what failed or was refused for the moment may be tried again.
                keep = (
                    status < 500 and status not in (408, 429) and "event-stream" not in headers.get("content-type", "")
                )
            elif keep:
                body.extend(part.get("body", b""))
            await send(part)

        done = False
        try:
            await self.app(scope, replay_body, copy)
            done = bool(status)
        finally:
            if done and keep:
                told = {name: headers[name] for name in _KEPT_HEADERS if name in headers}
                await asyncio.to_thread(store.finish, identity, status, json.dumps(told), bytes(body))
            else:
                await asyncio.to_thread(store.forget, identity)


def _replay(kept: Reply, asked: str) -> Response:
    if kept.request != asked:
        raise Problem(
            422, "this Idempotency-Key was used for another request; a new one needs a new key", kind="key-reused"
        )
    if not kept.status:
        seconds = max(1, round(kept.time + 5 - time.time()))
        raise Problem(
            409,
            "the request with this Idempotency-Key is still being answered",
            kind="in-progress",
            headers={"Retry-After": str(min(5, seconds))},
        )
    return Response(kept.body, kept.status, headers=json.loads(kept.headers) | {"Idempotency-Replayed": "true"})
