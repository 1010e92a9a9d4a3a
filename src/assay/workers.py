"""The threads of a process that numbers are worked out in: one pool for every model, so that models do not compete."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

_pools: dict[int, ThreadPoolExecutor] = {}
_lock = Lock()


def run_parallel(work: Callable[[Item], Made], items: Sequence[Item], threads: int) -> list[Made]:
    """What the work makes of each item, in order, in the process's pool of so many threads.

    All callers that ask for the same number share the pool: however many requests there are, no more runs at once. With
    one thread the caller does the work. Work must not call this again: it would wait for a place that it holds itself.

    >>> run_parallel(str.upper, ["a", "b"], 2)
    ['A', 'B']
    """
    if threads <= 1:
        return [work(item) for item in items]
    return list(_pool(threads).map(work, items))


def _pool(threads: int) -> ThreadPoolExecutor:
    with _lock:
        if threads not in _pools:
            _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="assay-model")
        return _pools[threads]


if hasattr(os, "register_at_fork"):  # a child has none of its parent's threads and would wait for them for ever
    os.register_at_fork(after_in_child=_pools.clear)
