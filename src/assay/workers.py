"""Threads and memory that all models of a process share, so that they do not compete."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
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


def release_memory() -> None:
    """Hands freed memory back to the system; glibc keeps what loading a model took for a moment, up to 170 MB."""
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)


def _pool(threads: int) -> ThreadPoolExecutor:
    with _lock:
        if threads not in _pools:
            _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="assay-model")
        return _pools[threads]


if hasattr(os, "register_at_fork"):  # a child has none of its parent's threads and would wait for them for ever
    os.register_at_fork(after_in_child=_pools.clear)
