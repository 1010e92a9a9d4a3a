"""Blocking work off the event loop: a bounded number of threads and a bounded queue."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Lock, get_ident
from time import monotonic, perf_counter
from typing import Any, TypeVar

from assay.judges.budget import DEADLINE
from assay.server.problems import Problem

T = TypeVar("T")


class WorkerPool:
    """Threads with a bounded queue; a place is held until its thread is done, even if the client has left.

    The threads take the next job by themselves, so that an event loop busy with refusals does not keep them idle. The
    queue is bounded twice: by how many jobs wait, and by how long (`max_wait`) the last of them would have to.
    """

    def __init__(self, slots: int, queue: int, seconds: float, max_wait: float = math.inf) -> None:
        self.slots, self.queue, self.seconds, self.max_wait = slots, queue, seconds, max_wait
        self.busy = 0
        self.closed = False
        self._jobs: set[Future[Any]] = set()
        self._lock = Lock()
        self._pool = ThreadPoolExecutor(slots, thread_name_prefix="assay-judge")
        self._mean = 0.1  # seconds one job takes: a moving average, from which waiting times are estimated
        self._running: dict[int, float] = {}  # when the job of a thread began

    @property
    def stuck(self) -> bool:
        """Whether every thread works for a request that has long been given up: twice the time it may take."""
        with self._lock:
            since = list(self._running.values())
        return len(since) >= self.slots and monotonic() - max(since) > 2 * self.seconds

    @property
    def waiting(self) -> int:
        with self._lock:
            return len(self._jobs) - self.busy

    @property
    def executor(self) -> Executor:
        """The threads themselves, for work that is bounded elsewhere: all streams are checked in them."""
        return self._pool

    async def run(self, work: Callable[..., T], *args: Any, **named: Any) -> T:
        """The result of blocking work; 429 if the queue is full, 503 while closing, 504 when it takes too long."""
        self.check()
        return await self.run_admitted(work, *args, **named)

    async def run_admitted(self, work: Callable[..., T], *args: Any, **named: Any) -> T:
        """The same for work of a request that has its place already: an answer that was paid for is not refused."""
        job = self._submit(partial(work, *args, **named))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(job), self.seconds)
        except TimeoutError as problem:
            if job.cancelled():  # its turn did not come in time
                raise self._full() from problem
            if job.done() and job.exception() is not problem:
                return job.result()
            raise Problem(504, f"this took longer than {self.seconds:g} s; send less at once") from problem
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self.closed and job.cancelled() and not (task and task.cancelling()):
                raise self._closing() from None
            raise

    def check(self) -> None:
        """Raises if there is no place left, not even in the queue."""
        if self.closed:
            raise self._closing()
        jobs = len(self._jobs)
        if jobs >= self.slots + self.queue or (jobs >= self.slots and self._wait(jobs) > self.max_wait):
            raise self._full()

    def close(self) -> None:
        """Cancels waiting jobs; running ones are finished."""
        self.closed = True
        with self._lock:
            jobs = list(self._jobs)
        for job in jobs:
            job.cancel()

    def join(self) -> None:
        self._pool.shutdown(wait=True)

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        context = copy_context()
        context.run(DEADLINE.set, perf_counter() + self.seconds)
        if self.closed:
            raise self._closing()
        job = self._pool.submit(context.run, self._work, work)
        with self._lock:
            self._jobs.add(job)
        job.add_done_callback(self._forget)
        return job

    def _work(self, work: Callable[[], T]) -> T:
        began = monotonic()
        with self._lock:
            self.busy += 1
            self._running[get_ident()] = began
        try:
            return work()
        finally:
            with self._lock:
                self.busy -= 1
                self._running.pop(get_ident(), None)
                self._mean += 0.1 * (monotonic() - began - self._mean)

    def _forget(self, job: Future[Any]) -> None:
        with self._lock:
            self._jobs.discard(job)

    def _wait(self, jobs: int) -> float:
        """The seconds until so many jobs are done."""
        return self._mean * jobs / self.slots

    def _full(self) -> Problem:
        seconds = max(1, min(60, round(self._wait(len(self._jobs)))))
        headers = {"Retry-After": str(seconds)}
        return Problem(429, "the server is at its capacity; try again later", kind="capacity", headers=headers)

    def _closing(self) -> Problem:
        return Problem(
            503, "the server is shutting down and hands this back", kind="shutdown", headers={"Retry-After": "2"}
        )


class StreamSlots:
    """A bounded number of open streams, and a bounded queue of requests that wait for one of them to end."""

    def __init__(self, most: int, queue: int, max_wait: float) -> None:
        self.most, self.queue, self.max_wait = most, queue, max_wait
        self.open = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._mean = 10.0  # seconds a stream lasts: a moving average

    async def take(self) -> Callable[[], None]:
        """Waits for a place; the function that gives it back. 429 when too many wait already, or it takes too long."""
        if self.open >= self.most or self._waiting:
            if len(self._waiting) >= self.queue:
                raise self._full()
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await asyncio.wait([turn], timeout=self.max_wait)  # the place is handed over with the turn
            except asyncio.CancelledError:
                if turn.done():
                    self._give(None)
                raise
            finally:
                with suppress(ValueError):
                    self._waiting.remove(turn)
            if not turn.done():
                raise self._full()
        else:
            self.open += 1
        began, given = monotonic(), False

        def release() -> None:
            nonlocal given
            if not given:
                given = True
                self._give(monotonic() - began)

        return release

    def _give(self, lasted: float | None) -> None:
        """Hands a place to whoever has waited longest."""
        if lasted is not None:
            self._mean += 0.1 * (lasted - self._mean)
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.open -= 1

    def _full(self) -> Problem:
        seconds = max(1, min(60, round(self._mean * (len(self._waiting) + 1) / self.most)))
        detail = f"{self.most} streams are open and {len(self._waiting)} requests wait for one to end; try again later"
        return Problem(429, detail, kind="capacity", headers={"Retry-After": str(seconds)})
