"""Time and money for one answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

from assay.policy import Policy

Progress = Callable[[str, int, int], None]  # who works, claims done, claims in all
DEADLINE: ContextVar[float | None] = ContextVar("deadline", default=None)
"""When the caller gives up, by `perf_counter`; a server sets it, so that nobody works for a request that is over."""

_LEAST_SHARE = 0.01  # of the time counts as work in any case: other threads may wait while the judge hangs


class Budget:
    """What may still be spent; `max_ms` of 0 means any time, `max_usd` of 0 means no money.

    `late_ms` is the time of work after which claims are skipped because verifying has become too slow; 0 means never.
    `waited_ms` tells how much of the time since then was no work, but waiting for a processor. The time in which a
    model is loaded does not count: it is spent once in a process and not on this answer.
    """

    def __init__(
        self,
        policy: Policy,
        clock: Callable[[], float] = perf_counter,
        progress: Progress | None = None,
        late_ms: float = 0.0,
        waited_ms: Callable[[], float] | None = None,
    ) -> None:
        self.max_ms, self.max_usd, self.late_ms = policy.max_ms, policy.max_usd, late_ms
        self.spent_usd = 0.0
        self._clock = clock
        self._started = clock()
        self._paused: float | None = None
        self._waited_ms = waited_ms
        self.progress = progress
        self._deadline = DEADLINE.get()  # kept here: the judge may work in another thread

    @property
    def used_ms(self) -> float:
        paused = self._paused  # read once: another thread may look while the judge works
        return ((self._clock() if paused is None else paused) - self._started) * 1000

    @property
    def is_late(self) -> bool:
        """Whether verifying takes too long."""
        return self.late_ms > 0 and self.used_ms >= self.late_ms and self.worked_ms >= self.late_ms

    @property
    def worked_ms(self) -> float:
        """The time used without that in which the work waited for a processor."""
        used = self.used_ms
        return used if self._waited_ms is None else max(used * _LEAST_SHARE, used - self._waited_ms())

    @property
    def out_of_time(self) -> bool:
        if self.is_late:
            return True
        if self._deadline is not None and self._clock() >= self._deadline:
            return True
        return self.max_ms > 0 and self.used_ms >= self.max_ms

    @property
    def is_limited(self) -> bool:
        """Whether the clock must be looked at, or progress told, between two steps of the work."""
        return self.max_ms > 0 or self.late_ms > 0 or self._deadline is not None or self.progress is not None

    @property
    def is_timed(self) -> bool:
        """Whether the work must end by a moment that the caller has set."""
        return self.max_ms > 0 or self._deadline is not None

    @property
    def limit(self) -> str:
        """What to call the limit that ends it."""
        if self.is_late:
            return f"time of {self.late_ms:g} ms for these claims"
        return f"time budget of {self.max_ms:g} ms" if self.max_ms else "time for this request"

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Within this no time is used."""
        since = self._paused = self._clock()
        try:
            yield
        finally:
            self._started, self._paused = self._started + self._clock() - since, None

    def affords(self, usd: float) -> bool:
        """Whether a judgement of that price may be bought; free ones always may."""
        return usd <= 0 or self.spent_usd + usd <= self.max_usd

    def pay(self, usd: float) -> None:
        self.spent_usd += usd
