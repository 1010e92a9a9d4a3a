"""Server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.responses import StreamingResponse

from assay.server import problems
from assay.server.problems import Problem


def frame(event: str, data: Any) -> bytes:
    """One event.

    >>> frame("token", {"text": "a"})
    b'event: token\\ndata: {"text":"a"}\\n\\n'
    """
    return f"event: {event}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode("ascii")


def respond(frames: AsyncIterator[bytes], seconds: float, release: Callable[[], None]) -> StreamingResponse:
    """A response that streams frames; it always ends, on failure with an `error` event, and calls `release`."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_until(frames, seconds, release), media_type="text/event-stream", headers=headers)


async def _until(frames: AsyncIterator[bytes], seconds: float, release: Callable[[], None]) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    try:
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    piece = await anext(frames)
            except StopAsyncIteration:
                return
            except TimeoutError:
                yield frame("error", problems.problem_body(Problem(504, f"a stream may last {seconds:g} s here"), ""))
                return
            except Exception as error:
                problem = problems.problem_of(error)
                if problem.status >= 500:
                    problems.log.error("a stream failed", exc_info=error)
                yield frame("error", problems.problem_body(problem, ""))
                return
            yield piece
    finally:
        close = getattr(frames, "aclose", None)
        if close is not None:
            await close()
        release()
