"""Texts made to be slow to match: runs of usual marks, and for each pattern runs of what its own parts take."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

_MARKS = ("a", "A", "1", " ", "\n", "\t", "\r", *"_-*.,'\"<>[({|=#`~$\\/:;&%@!?\u00a0é中\u200b\ufffd", "e\u0301")
_MARKUP = (
    "<a",
    "<a ",
    "<!--",
    "</",
    "{|\n",
    "{{",
    "[[",
    "[a](",
    "](",
    "[1]",
    "[E1] ",
    "&a",
    "&#1",
    "```\n",
    "| ",
    "|-\n",
)
_PROSE = (
    "a ",
    "A ",
    "a.",
    "a. ",
    "A. ",
    "a-",
    "a\n",
    "a,",
    "a, ",
    "a's ",
    "Aa ",
    "of ",
    "the ",
    "and ",
    "not ",
    "is a ",
)
_NUMBERS = ("1 ", "1,", "1.", "1-", "1/", "$1", "1 a ", "a 1 ", "E1", "\\(", "\\[", "http://a")
_GAPS = ("- ", "\n\n", " \n", "('", '" "')
UNITS = (*_MARKS, *_MARKUP, *_PROSE, *_NUMBERS, *_GAPS)
_LONGEST_SAMPLE = 300
_ENDS = ("", "\x00", "\n\x00")


def hostile_texts(pattern: re.Pattern[Any], length: int) -> Iterator[str]:
    """Texts of about `length` characters that a pattern with a quadratic part is slow on."""
    for unit in UNITS:
        yield _run(unit, length)
        yield _run(unit, length) + "\x00"
    if isinstance(pattern.pattern, bytes):
        return
    tree = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    for prefix, pump in dict.fromkeys(_pumps(list(tree), "")):
        yield from _texts(prefix, pump, length)


def _texts(prefix: str, pump: str, length: int) -> Iterator[str]:
    prefix = prefix[-_LONGEST_SAMPLE:]
    for end in _ENDS:
        yield prefix + _run(pump, length) + end
    if prefix:
        yield _run(prefix + pump, length)
        yield _run(prefix, length)
        yield _run(prefix + " ", length)


def _run(unit: str, length: int) -> str:
    return unit * (length // len(unit))


def _pumps(items: Iterable[Any], prefix: str) -> Iterator[tuple[str, str]]:
    """What stands before each repeated part of a pattern, and something that part takes."""
    for op, value in items:
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            low, high, body = value
            yield from _pumps(body, prefix)
            sample = _sample(body)
            if high > 8 and sample:
                yield prefix, sample
                yield prefix, sample + " "
            prefix += sample * max(low, min(high, 1))
            continue
        if op is sre.BRANCH:
            for branch in value[1]:
                yield from _pumps(branch, prefix)
        elif op is sre.SUBPATTERN:
            yield from _pumps(value[3], prefix)
        elif op is sre.ATOMIC_GROUP:
            yield from _pumps(value, prefix)
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            if value[0] > 0:
                yield from _pumps(value[1], prefix)
            continue
        prefix += _sample([(op, value)])
    if prefix:
        yield "", prefix


def _sample(items: Iterable[Any]) -> str:
    """A text that the part takes, as short as it comes but with one of everything optional."""
    made = ""
    for op, value in items:
        if op is sre.LITERAL:
            made += chr(value)
        elif op is sre.NOT_LITERAL:
            made += "a" if value != ord("a") else "b"
        elif op is sre.ANY:
            made += "a"
        elif op is sre.IN:
            made += _member(value)
        elif op is sre.BRANCH:
            made += _sample(value[1][0])
        elif op is sre.SUBPATTERN:
            made += _sample(value[3])
        elif op is sre.ATOMIC_GROUP:
            made += _sample(value)
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            made += _sample(value[2]) * max(value[0], min(value[1], 1))
    return made


_CATEGORIES = {
    sre.CATEGORY_DIGIT: "1",
    sre.CATEGORY_NOT_DIGIT: "a",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_NOT_SPACE: "a",
    sre.CATEGORY_WORD: "a",
    sre.CATEGORY_NOT_WORD: " ",
}


def _member(choices: list[Any]) -> str:
    """A character of a set."""
    if choices[0][0] is sre.NEGATE:
        taken = re.compile("[" + "".join(map(_written, choices[1:])) + "]")
        return next(char for char in "a1 .é\n中-\x01" if not taken.match(char))
    op, value = choices[0]
    return _CATEGORIES[value] if op is sre.CATEGORY else chr(value if op is sre.LITERAL else value[0])


def _written(choice: Any) -> str:
    op, value = choice
    if op is sre.LITERAL:
        return re.escape(chr(value))
    if op is sre.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    names = dict(zip(_CATEGORIES, (r"\d", r"\D", r"\s", r"\S", r"\w", r"\W"), strict=True))
    return names[value]


NOTICED = 0.02
"""CPU seconds below which no growth is measured."""


def grows_linearly(read: Callable[[str], object], unit: str, length: int, steepest: float = 8.0) -> bool:
    """Whether reading four times the text takes about four times the CPU time (16 times would be quadratic)."""
    spent = _cpu(read, _run(unit, length))
    return spent < NOTICED or spent < steepest * max(_cpu(read, _run(unit, length // 4)), NOTICED / 16)


def _cpu(read: Callable[[str], object], text: str) -> float:
    least = float("inf")
    for _ in range(2):
        start = time.thread_time()
        read(text)
        least = min(least, time.thread_time() - start)
        if least < NOTICED:
            break
    return least
