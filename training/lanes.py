"""Several replicas of one network, each worked by its own thread.

One thread per product and one network per thread beat all threads on each product: nothing waits at a barrier, so a
core taken away by another process costs only its own share.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


class Lanes:
    """The replicas and their threads."""

    def __init__(self, model: torch.nn.Module, count: int) -> None:
        self.replicas = [model, *(copy.deepcopy(model) for _ in range(count - 1))]
        self.pool = ThreadPoolExecutor(count, initializer=torch.set_num_threads, initargs=(1,))

    def each(self, work: Callable[[torch.nn.Module, Item], Result], items: Sequence[Item]) -> list[Result]:
        """The results in the items' order; whichever replica is free takes the next item."""
        queue: SimpleQueue[int] = SimpleQueue()
        for number in range(len(items)):
            queue.put(number)
        results: dict[int, Result] = {}

        def drain(replica: torch.nn.Module) -> None:
            while True:
                try:
                    number = queue.get_nowait()
                except Empty:
                    return
                results[number] = work(replica, items[number])

        for future in [self.pool.submit(drain, replica) for replica in self.replicas]:
            future.result()
        return [results[number] for number in range(len(items))]
