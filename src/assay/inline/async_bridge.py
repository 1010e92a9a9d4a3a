"""Bridges between synchronous and asynchronous iteration, each through a thread."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

_END = object()


async def read_in_thread(stream: Iterable[T]) -> AsyncIterator[T]:
    """The items of a plain iterator, each waited for in one thread of its own.

    When the reader goes away the iterator is closed, which wakes a thread that still waits for the network.
    """
    items = iter(stream)
    pool = ThreadPoolExecutor(1, thread_name_prefix="assay-stream")
    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[Any] | None = None
    try:
        while True:
            waiting = loop.run_in_executor(pool, next, items, _END)
            item = await asyncio.shield(waiting)
            if item is _END:
                return
            yield item
    finally:
        if waiting is not None and not waiting.done():
            _close(stream)
            await asyncio.wait([waiting])
        if waiting is not None and waiting.done() and not waiting.cancelled():
            waiting.exception()
        pool.shutdown(wait=True)
        _close(items)
        _close(stream)


def _close(stream: object) -> None:
    close = getattr(stream, "close", None)
    if close is not None:
        try:
            close()
        except (RuntimeError, ValueError):  # a generator that is just running in the other thread
            return


def iterate(make: Callable[[], AsyncIterator[T]]) -> Iterator[T]:
    """The items of an asynchronous iterator in a plain loop; it lives in a thread that ends with the loop."""
    items: queue.Queue[tuple[str, Any]] = queue.Queue()
    loop = asyncio.new_event_loop()

    async def pump() -> None:
        source = make()
        try:
            async for item in source:
                items.put(("item", item))
        finally:
            close = getattr(source, "aclose", None)
            if close is not None:
                await close()

    def live() -> None:
        try:
            loop.run_until_complete(task)
            items.put(("end", None))
        except BaseException as problem:
            items.put(("raise", problem))
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    task = loop.create_task(pump())
    thread = threading.Thread(target=live, name="assay-guard", daemon=True)
    thread.start()
    try:
        while True:
            kind, value = items.get()
            if kind == "end":
                return
            if kind == "raise":
                raise value
            yield value
    finally:
        if thread.is_alive():
            with suppress(RuntimeError):  # it has just ended by itself
                loop.call_soon_threadsafe(task.cancel)
            thread.join()
