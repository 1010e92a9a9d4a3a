"""Limits on request bodies: size, JSON nesting, and time to arrive."""

from __future__ import annotations

import asyncio
import re

import numpy as np
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.server.problems import Problem, problem_response
from assay.server.settings import Settings
from assay.server.worker_pool import WorkerPool

_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_QUOTE, _OPENING, _CLOSING = ord('"'), b"[{", b"]}"


class BodyLimit:
    """Reads a whole body, within limits, before the app sees it, and limits how slowly the answer may be read."""

    def __init__(self, app: ASGIApp, settings: Settings, pool: WorkerPool) -> None:
        self.app, self.settings, self._pool = app, settings, pool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            body = await self._read(scope, receive)
        except Problem as problem:
            problem.headers.setdefault("Connection", "close")  # the rest of the body is not going to be read
            await problem_response(problem, scope)(scope, receive, send)
            return
        try:
            if body:
                self._pool.check()  # the last place may be taken meanwhile; then it need not be parsed
        except Problem as problem:
            await problem_response(problem, scope)(scope, receive, send)
            return
        given = False

        async def replay() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send_soon(message: Message) -> None:
            async with asyncio.timeout(self.settings.send_seconds):
                await send(message)

        await self.app(scope, replay, send_soon)

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        headers = Headers(scope=scope)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        upload = kind == "multipart/form-data"
        most = self.settings.max_upload_bytes if upload else self.settings.max_body_bytes
        declared = headers.get("content-length", "")
        if declared.isdigit() and int(declared) > most:
            raise _too_large(most)
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self.settings.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Problem(400, "the client left before its request was complete")
                    chunks.append(message.get("body", b""))
                    size += len(chunks[-1])
                    if size > most:
                        raise _too_large(most)
                    if not message.get("more_body", False):
                        break
        except TimeoutError as problem:
            raise Problem(
                408, f"the body did not arrive within {self.settings.body_seconds:g} s; send it faster or in parts"
            ) from problem
        body = b"".join(chunks)
        if not upload and depth_of(body) > self.settings.max_depth:
            raise Problem(400, f"JSON may be nested {self.settings.max_depth} deep here, not deeper", kind="too-deep")
        return body


def depth_of(body: bytes) -> int:
    """How deep the brackets of a JSON text are nested, without parsing it.

    >>> depth_of(b'{"a": [[1], "[[["]}')
    3
    """
    if b"[" not in body and b"{" not in body:
        return 0
    marks = np.frombuffer(_ESCAPED.sub(b"  ", body), dtype=np.uint8)
    outside = np.cumsum(marks == _QUOTE, dtype=np.int32) % 2 == 0
    steps = np.isin(marks, list(_OPENING)).astype(np.int8) - np.isin(marks, list(_CLOSING)).astype(np.int8)
    return int(np.cumsum(np.where(outside, steps, 0), dtype=np.int32).max(initial=0))


def _too_large(most: int) -> Problem:
    return Problem(413, f"a request may have {most:,} bytes here; send less at once")
