"""Claims too long for the encoder, cut where a clause ends so that nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PIECE = re.compile(r"[A-Za-zÀ-ɏ]{1,8}|[\u0370-\u1fff]{1,3}|[0-9]{1,3}|\S")
_CLAUSE_END = frozenset(",;:—–.!?)。，；")


def cut_long(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """`text[start:end]` in stretches of at most `limit` encoder tokens, cut at a clause, a space, or anywhere."""
    count, clause, space = 0, start, start
    for piece in _PIECE.finditer(text, start, end):
        at = piece.start()
        if at > start and text[at - 1].isspace():
            space = at
            if at >= 2 and text[at - 2] in _CLAUSE_END:
                clause = at
        count += 1
        if count > limit:
            cut = clause if clause > start else space if space > start else at
            yield start, cut
            start = clause = space = cut
            count = sum(1 for _ in _PIECE.finditer(text, cut, piece.end()))
    if start < end:
        yield start, end
