"""Makes hostile text safe to look at: nothing in it can move the cursor, reorder the line or break the encoding."""

from __future__ import annotations

import re

# Before a line feed a carriage return is a Windows line end; on its own it lets a terminal overwrite the line.
_LINE_END = re.compile("\r\n|[\u2028\u2029]")

_SEEN: dict[int, str] = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"}
_SEEN |= {0x7F: "\u2421", 0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}
_SEEN |= dict.fromkeys(range(0x80, 0xA0), "\ufffd")
# Overrides and isolates make "‮elbatpecca‬" read as its reverse: they are named instead of obeyed.
_SEEN |= {code: f"⟨U+{code:04X}⟩" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}

_SURROGATE = re.compile("[\ud800-\udfff]")
_NEEDS_CARE = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BLANKS = re.compile(r"\s+")


def visible(text: str) -> str:
    """The text with control characters shown as pictures, direction overrides named and lone surrogates replaced.

    >>> visible("a\\x1b[31mb")
    'a␛[31mb'
    """
    if not _NEEDS_CARE.search(text):
        return text
    return _SURROGATE.sub("\ufffd", _LINE_END.sub("\n", text).translate(_SEEN))


def one_line(text: str, limit: int | None = None) -> str:
    """The text on one line, cut in the middle of nowhere but marked with an ellipsis when it is longer than the limit.

    >>> one_line("one\\n  two three", 8)
    'one two…'
    """
    head = text if limit is None else text[: 4 * limit + 64]
    line = _BLANKS.sub(" ", visible(head)).strip()
    if limit is None or (len(line) <= limit and len(head) == len(text)):
        return line
    return line[: max(limit - 1, 0)].rstrip() + "…"
