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

_POINTING = re.compile(
    r"[*_\"“‘'( ]*(?:(?:however|also|moreover|then|later|in addition|additionally|furthermore|therefore),?\s+)?"
    r"(?:it|its|he|his|she|her|hers|they|them|their|theirs|this|these|that|those|such|both|the\s+(?:latter|former|same))\b"
    r"(?!\s+is\s+(?:true|known)\s+that)",
    re.IGNORECASE,
)


def points_back(text: str, start: int = 0) -> bool:
    """Whether a sentence opens with a word that only an earlier one explains: "It", "She", "This treaty", "The latter".

    >>> points_back("However, she left."), points_back("Marie left.")
    (True, False)
    """
    return _POINTING.match(text, start) is not None
