"""One thread that checks while the stream goes on, one check at a time, the newest request first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from assay.inline.inspector import Inspection, Inspector

T = TypeVar("T")


class Worker:
    """Runs an inspector off the event loop; `close` leaves no thread behind."""

    def __init__(self, inspector: Inspector) -> None:
        self.inspector = inspector
        self.checks = 0
        self.running: asyncio.Future[Inspection] | None = None
        self.requested = -1
        self._waiting: tuple[str, int] | None = None
        self._pool: ThreadPoolExecutor | None = None

    def request(self, text: str, done: int) -> None:
        """Asks for a check of a text; a request that still waits gives way, for the newer text contains its own."""
        self.requested = len(text)
        self._waiting = (text, done)
        if self.running is None:
            self._start()

    def take(self) -> Inspection:
        """The finished check; the next one, if any is waiting, starts at once. Raises what the check raised."""
        if self.running is None or not self.running.done():
            raise RuntimeError("no check has finished")
        finished, self.running = self.running, None
        if self._waiting is not None:
            self._start()
        return finished.result()

    def warm(self) -> None:
        """Has everything opened in the thread; what fails there fails again at the first check, and is told."""
        self._threads().submit(self.inspector.warm)

    async def call(self, function: Callable[[str], T], text: str) -> T:
        """Runs something else in the same thread, after what is running; what was waiting is dropped."""
        self._waiting = None
        return await asyncio.get_running_loop().run_in_executor(self._threads(), function, text)

    async def close(self) -> None:
        """Waits for a running check, which cannot be interrupted but is short, and ends the thread."""
        self._waiting = None
        if self.running is not None:
            await asyncio.wait([self.running])
            if not self.running.cancelled():
                self.running.exception()  # seen, so that nobody complains about it later
            self.running = None
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _start(self) -> None:
        assert self._waiting is not None
        (text, done), self._waiting = self._waiting, None
        self.checks += 1
        loop = asyncio.get_running_loop()
        self.running = loop.run_in_executor(self._threads(), self.inspector.inspect, text, done)

    def _threads(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="assay-inline")
        return self._pool
