"""Hostile text made safe: to look at on a terminal or a page, and to carry as JSON inside other formats."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from assay.types import Report

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


# Legal in JSON but not to be trusted outside it: lone surrogates cannot be encoded, the rest act on a terminal.
_RISKY = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_TAGS = re.compile("[<>&]")


def render_json(report: Report) -> str:
    """The report as indented JSON."""
    return to_json(report.to_dict(), indent=2) + "\n"


def to_json(value: Any, *, indent: int | None = None) -> str:
    """JSON that reads back to the same value; a number that JSON cannot carry becomes null."""
    return _RISKY.sub(_escape, json.dumps(_finite(value), ensure_ascii=False, indent=indent, allow_nan=False))


def to_script(value: Any) -> str:
    """JSON that may stand inside a `<script>` element: no tag, comment or entity can begin in it."""
    return _TAGS.sub(_escape, to_json(value))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
