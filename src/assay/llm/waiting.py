"""The synchronous door to generators: waits for a coroutine from code that is not asynchronous itself."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result; it is cancelled when the wait is interrupted.

    All calls share one event loop in a thread of its own, so that a client keeps its connections between calls and
    the caller may itself stand inside another event loop.
    """
    loop = _shared_loop()
    if _running() is loop:
        coroutine.close()
        raise RuntimeError("assay.llm.waiting.run was called from its own event loop, which would wait for itself")
    future = asyncio.run_coroutine_threadsafe(coroutine, loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _shared_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="assay-generators", daemon=True).start()
        return _loop


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
