"""Documents kept at hand, so that a search need not load the same text again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock

from assay.memory.stores import Store
from assay.types import Document

_MOST_CHARACTERS = 50_000_000


class Shelf:
    """The documents used last, up to a number of characters; a version never changes, so none goes stale."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: OrderedDict[int, Document] = OrderedDict()
        self._characters = 0
        self._lock = Lock()

    def fetch(self, numbers: Iterable[int]) -> dict[int, Document]:
        wanted = set(numbers)
        with self._lock:
            found = {number: self._held[number] for number in wanted if number in self._held}
        missing = wanted - found.keys()
        loaded = self._store.documents(sorted(missing)) if missing else {}
        with self._lock:
            for number, document in loaded.items():
                if number not in self._held:
                    self._held[number] = document
                    self._characters += len(document.text)
            for number in found:
                if number in self._held:
                    self._held.move_to_end(number)
            while self._characters > _MOST_CHARACTERS and len(self._held) > 1:
                _, dropped = self._held.popitem(last=False)
                self._characters -= len(dropped.text)
        return found | loaded
