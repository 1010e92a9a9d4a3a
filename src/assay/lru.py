"""A cache of the values used last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """The values used last, up to a total size (each counts 1 unless `size_of` says otherwise); safe between threads.

    >>> cache = LruCache[str, int](2)
    >>> cache.put({"a": 1, "b": 2})
    >>> cache.get(["a"])
    {'a': 1}
    >>> cache.put({"c": 3})
    >>> cache.get(["a", "b", "c"])
    {'a': 1, 'c': 3}
    """

    def __init__(self, limit: int, size_of: Callable[[V], int] = lambda _: 1) -> None:
        self.limit = limit
        self._size_of = size_of
        self._held: OrderedDict[K, V] = OrderedDict()
        self.size = 0
        self.hits = self.misses = 0  # of the keys asked for
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, keys: Iterable[K]) -> dict[K, V]:
        """The values that are held under these keys."""
        asked = dict.fromkeys(keys)
        with self._lock:
            found = {key: self._held[key] for key in asked if key in self._held}
            for key in found:
                self._held.move_to_end(key)
            self.hits += len(found)
            self.misses += len(asked) - len(found)
        return found

    def put(self, values: Mapping[K, V]) -> None:
        """Hold these values, and drop those used longest ago beyond the limit."""
        with self._lock:
            for key, value in values.items():
                if key in self._held:
                    self.size -= self._size_of(self._held.pop(key))
                self._held[key] = value
                self.size += self._size_of(value)
            while self.size > self.limit and self._held:
                self.size -= self._size_of(self._held.popitem(last=False)[1])

    def clear(self) -> None:
        """Holds nothing any more."""
        with self._lock:
            self._held.clear()
            self.size = 0
