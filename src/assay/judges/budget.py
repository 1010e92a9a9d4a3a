"""Time and money for one answer."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter

from assay.policy import Policy

Progress = Callable[[str, int, int], None]  # who works, claims done, claims in all
DEADLINE: ContextVar[float | None] = ContextVar("deadline", default=None)
"""When the caller gives up, by `perf_counter`; a server sets it, so that nobody works for a request that is over."""


class Budget:
    """What may still be spent; `max_ms` of 0 means any time, `max_usd` of 0 means no money.

    The time in which a model is loaded is given back: it is spent once in a process and not on this answer.
    """

    def __init__(
        self, policy: Policy, clock: Callable[[], float] = perf_counter, progress: Progress | None = None
    ) -> None:
        self.max_ms, self.max_usd = policy.max_ms, policy.max_usd
        self.spent_usd = 0.0
        self._clock = clock
        self._started = clock()
        self.progress = progress
        self._deadline = DEADLINE.get()  # kept here: the judge may work in another thread

    @property
    def used_ms(self) -> float:
        return (self._clock() - self._started) * 1000

    @property
    def out_of_time(self) -> bool:
        if self._deadline is not None and self._clock() >= self._deadline:
            return True
        return self.max_ms > 0 and self.used_ms >= self.max_ms

    @property
    def is_limited(self) -> bool:
        """Whether the clock must be looked at, or progress told, between two steps of the work."""
        return self.max_ms > 0 or self._deadline is not None or self.progress is not None

    def give_back(self, ms: float) -> None:
        self._started += ms / 1000

    def affords(self, usd: float) -> bool:
        """Whether a judgement of that price may be bought; free ones always may."""
        return usd <= 0 or self.spent_usd + usd <= self.max_usd

    def pay(self, usd: float) -> None:
        self.spent_usd += usd
