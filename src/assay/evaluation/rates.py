"""A share with its 95 % range, and the mean of several shares with theirs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95 % range; the range of Wilson, which holds for few cases too."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def range(self) -> tuple[float, float] | None:
        """
        >>> [round(end, 3) for end in Rate(9, 10).range]
        [0.596, 0.982]
        """
        if not self.of:
            return None
        z, share = 1.96, self.hits / self.of
        middle = (share + z * z / (2 * self.of)) / (1 + z * z / self.of)
        wide = z * math.sqrt(share * (1 - share) / self.of + z * z / (4 * self.of**2)) / (1 + z * z / self.of)
        # At 0 and at 1 the range ends in the share itself; rounding would put its end a hair beside it.
        return max(0.0, min(share, middle - wide)), min(1.0, max(share, middle + wide))

    def to_dict(self) -> dict[str, Any]:
        return {"hits": self.hits, "of": self.of, **_figures(self)}


@dataclass(frozen=True, slots=True)
class MeanRate:
    """The mean of several rates, each counted once, with its 95 % range from theirs."""

    rates: tuple[Rate, ...]

    @property
    def value(self) -> float | None:
        """
        >>> MeanRate((Rate(98, 100), Rate(1, 2))).value
        0.74
        """
        shares = [rate.value for rate in self.rates if rate.value is not None]
        return sum(shares) / len(shares) if shares else None

    @property
    def range(self) -> tuple[float, float] | None:
        """The ends lie from the mean as the root of the summed squares of what each rate's ends lie from it."""
        mean = self.value
        if mean is None:
            return None
        parts = [(rate.value, rate.range) for rate in self.rates]
        known = [(share, ends) for share, ends in parts if share is not None and ends is not None]
        below = math.sqrt(sum((share - low) ** 2 for share, (low, _) in known)) / len(known)
        above = math.sqrt(sum((high - share) ** 2 for share, (_, high) in known)) / len(known)
        return max(0.0, mean - below), min(1.0, mean + above)

    def to_dict(self) -> dict[str, Any]:
        return {"kinds": sum(rate.of > 0 for rate in self.rates), **_figures(self)}


def _figures(rate: Rate | MeanRate) -> dict[str, Any]:
    ends = rate.range
    return {
        "rate": None if rate.value is None else round(rate.value, 4),
        "range": None if ends is None else [round(end, 4) for end in ends],
    }
