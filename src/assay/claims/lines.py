"""Lines that stand for themselves although nothing ends between them: a title in bold, "Price: $5" over "Seats: 3"."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BOLD = re.compile(r"\s*(?:\*\*|__)[^\n]{1,200}?(?:\*\*|__):?\s*$")
_BOLD_LABEL = re.compile(r"\s*(?:\*\*|__)[^*\n]{1,80}?(?:\*\*|__)\s?[:–—-]|\s*(?:\*\*|__)[^*\n]{1,80}?:(?:\*\*|__)\s")
_LABEL = re.compile(r"\s*[^\W\d_a-z][^:.!?\n]{0,40}:\s+\S")
_COLON = re.compile(r":[*_]{0,3}\s*$")


def split_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretches of a sentence that are read one by one; most sentences are one stretch."""
    if text.find("\n", start, end) < 0:
        yield start, end
        return
    labelled = False
    begin = at = start
    while at < end:
        close = text.find("\n", at, end)
        close = end if close < 0 else close
        line = text[at:close]
        bold = _BOLD.match(line) is not None
        label = _LABEL.match(line) is not None
        if bold or _BOLD_LABEL.match(line) or (label and labelled):
            if text[begin:at].strip():
                yield begin, at
            begin = at
        if (bold or _COLON.search(line)) and text[begin:close].strip():
            yield begin, close
            begin = close
        labelled = label
        at = close + 1
    if text[begin:end].strip():
        yield begin, end
