"""How much of the time that passes is spent waiting for a processor, because other work wants it too."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

_THREADS = Path("/proc/self/task")


def crowding() -> float:
    """How many times longer work takes because other processes want the processors: 1 on a machine with room."""
    try:
        return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    except OSError:  # the system does not say
        return 1.0


def waiting_clock() -> Callable[[], float] | None:
    """A function that returns for how many milliseconds from now on a thread of this process was kept waiting.

    The load of a machine does not tell: a process of low priority waits far longer than others. Where the system does
    not say how long threads wait, there is no such clock.
    """
    before = _waits()
    if not before:
        return None
    return lambda: max((now - before.get(thread, 0) for thread, now in _waits().items()), default=0) / 1e6


def _waits() -> dict[str, int]:
    """The nanoseconds that each thread of this process has waited for a processor."""
    found: dict[str, int] = {}
    try:
        threads = list(_THREADS.iterdir())
    except OSError:
        return found
    for thread in threads:
        try:
            found[thread.name] = int((thread / "schedstat").read_text().split()[1])
        except (OSError, ValueError, IndexError):  # it has ended, or this kernel does not count
            continue
    return found
