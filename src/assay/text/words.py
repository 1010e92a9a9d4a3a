"""Word lists written the way one reads them."""

from __future__ import annotations


def words(listed: str) -> frozenset[str]:
    """The set of the words in a string.

    >>> sorted(words("two one"))
    ['one', 'two']
    """
    return frozenset(listed.split())
