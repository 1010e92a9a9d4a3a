"""Pages of a list: each names its last item, and the next one begins behind that, whatever was added meanwhile."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Annotated, TypeVar

from fastapi import Query

from assay.server.problems import Problem

T = TypeVar("T")

Cursor = Annotated[str | None, Query(max_length=500, description="`next_cursor` of the page before.")]


def paginate(
    items: Iterable[T], limit: int, cursor: str | None, key: Callable[[T], object]
) -> tuple[list[T], str | None]:
    """The items behind a cursor, and the cursor of the next page if there is one.

    >>> paginate("abcd", 2, None, str)
    (['a', 'b'], 'Yg')
    >>> paginate("abcd", 2, "Yg", str)
    (['c', 'd'], None)
    """
    rest = iter(items)
    if cursor is not None:
        last = _decode(cursor)
        if not any(str(key(item)) == last for item in rest):  # takes everything up to that item
            raise Problem(400, "this cursor is not of this list, or its item is gone; begin again without it")
    shown = list(islice(rest, limit))
    more = shown and next(rest, None) is not None
    return shown, _encode(str(key(shown[-1]))) if more else None


def _encode(key: str) -> str:
    return urlsafe_b64encode(key.encode("utf-8", "surrogatepass")).rstrip(b"=").decode("ascii")


def _decode(cursor: str) -> str:
    try:
        return urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("utf-8", "surrogatepass")
    except ValueError as problem:
        raise Problem(400, "this is not a cursor; take next_cursor of the page before as it is") from problem
