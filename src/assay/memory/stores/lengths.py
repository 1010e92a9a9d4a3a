"""How many terms each passage has, as FTS5 keeps it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

_UNREAD = 0.0  # a passage without terms is in no posting list, so nobody asks for its length


class Lengths:
    """Read once for each passage: every search asks for some two hundred, and many of them again and again."""

    def __init__(self) -> None:
        self._held = np.zeros(0, dtype=np.float32)

    def of(self, cursor: Any, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """The lengths of passages; without end for one that another process has just removed."""
        held = self._held
        if ids.max(initial=-1) >= len(held):
            held = self._held = np.concatenate([held, np.zeros(int(ids.max()) + 1, dtype=np.float32)])
        unread = ids[held[ids] == _UNREAD]
        if len(unread):
            held[unread] = _read(cursor, unread.tolist())
        return held[ids]


def _read(cursor: Any, ids: list[int]) -> list[float]:
    wanted = ",".join(map(str, ids))
    sizes = dict(cursor.execute(f"SELECT id, sz FROM terms_docsize WHERE id IN ({wanted})"))
    return [float(read_varints(sizes[number])[0]) if number in sizes else math.inf for number in ids]


def read_varints(data: bytes) -> list[int]:
    """SQLite's whole numbers: seven bits a byte, the highest first, the eighth bit set where more follow.

    >>> read_varints(bytes([5, 0x81, 0x00]))
    [5, 128]
    """
    values, value = [], 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            values.append(value)
            value = 0
    return values
