"""Word lists that more than one module needs, and how word lists are written.

>>> sorted(words("two one"))
['one', 'two']
"""

from __future__ import annotations

import re


def listed(text: str) -> tuple[str, ...]:
    """The words of a string in order."""
    return tuple(text.split())


def words(text: str) -> frozenset[str]:
    """The set of the words in a string."""
    return frozenset(text.split())


MONTH_NAMES = listed("January February March April May June July August September October November December")
MONTH_NUMBERS = {
    spelling: number for number, name in enumerate(MONTH_NAMES, 1) for spelling in (name.lower(), name[:3].lower())
} | {"sept": 9}
MONTH_PATTERN = "|".join(MONTH_NAMES).lower()
WEEKDAYS = words("monday tuesday wednesday thursday friday saturday sunday")

_POINTING = "it|its|he|she|they|his|her|their|this|these|those|such|both|the former|the latter"
POINTS_BACK = re.compile(rf"[\"“‘'(*_]*(?:{_POINTING})\b", re.IGNORECASE)
"""A sentence that opens with a word which only an earlier sentence explains."""
