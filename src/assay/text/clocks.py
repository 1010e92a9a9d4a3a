"""Times of day as minutes after midnight."""

from __future__ import annotations

import re
from typing import NamedTuple

from assay.text.numerals import ONES, Lexeme, touches

DAY = 1440
_NAMED = {"noon": 720, "midday": 720, "midnight": 0}
_PARTS = {"half": 30, "quarter": 15}
_PAST = {"past": 1, "to": -1}
_TO = frozenset(("to", "and", "-", "–"))


class Clock(NamedTuple):
    """Minutes after midnight, where the time ends, and whether it may be in the morning or the evening."""

    minutes: int
    end: int
    either_half: bool = False


def read_clock(lexemes: list[Lexeme], index: int) -> Clock | None:
    """The time of day that starts here: '11:30', '5 pm', '9.30 am', "three o'clock", 'half past nine', 'noon'."""
    word = lexemes[index]
    if word.low in _NAMED:
        opens = index == 0 and (len(lexemes) == 1 or lexemes[1].text.islower())
        return Clock(_NAMED[word.low], index + 1) if opens or word.text.islower() else None  # not "Midnight Oil"
    return _read_past(lexemes, index) or _read_hour(lexemes, index) or _read_first_hour(lexemes, index)


def _read_past(lexemes: list[Lexeme], index: int) -> Clock | None:
    """'Half past nine', 'a quarter to nine'."""
    at = index + (lexemes[index].low == "a")
    hour = _hour_of(lexemes, at + 2)
    if hour is None or not 1 <= hour <= 12 or lexemes[at].low not in _PARTS or lexemes[at + 1].low not in _PAST:
        return None
    half, end = _read_half(lexemes, at + 3)
    if end < len(lexemes) and lexemes[end].low in ("half", "third", "quarter"):
        return None  # "a quarter to one half"
    minutes = _PARTS[lexemes[at].low] * _PAST[lexemes[at + 1].low]
    return Clock((_in_half(hour, half) * 60 + minutes) % DAY, end, not half)


def _read_hour(lexemes: list[Lexeme], index: int) -> Clock | None:
    hour, minutes, end = _hour_of(lexemes, index), 0, index + 1
    dotted = re.fullmatch(r"(\d\d?)\.([0-5]\d)", lexemes[index].text)
    if dotted:  # only before "am" or "pm"
        hour, minutes = int(dotted[1]), int(dotted[2])
    while _lows(lexemes, end, 1) == [":"] and touches(lexemes, end) and touches(lexemes, end + 1) and not dotted:
        if not re.fullmatch(r"[0-5]\d", lexemes[end + 1].text):
            break
        minutes, end = minutes if end > index + 1 else int(lexemes[end + 1].text), end + 2  # seconds are passed over
    half, after = _read_half(lexemes, end)
    if hour is None or hour > 24 or after == index + 1 or (dotted and not half) or (half and hour > 12):
        return None
    open_half = not half and 0 < hour < 12 and lexemes[index].text[0] != "0"
    return Clock((_in_half(hour, half) * 60 + minutes) % DAY, after, open_half)


def _read_first_hour(lexemes: list[Lexeme], index: int) -> Clock | None:
    """The 3 of 'from 3 to 5 pm' and the 9 of '9–5 pm'."""
    hour = _hour_of(lexemes, index)
    if hour is None or not 1 <= hour <= 12 or index + 2 >= len(lexemes) or lexemes[index + 1].low not in _TO:
        return None
    last = _read_hour(lexemes, index + 2)
    if last is None or last.either_half or lexemes[last.end - 1].kind == "n":
        return None
    minutes = hour % 12 * 60
    afternoon = last.minutes >= 720 and minutes < last.minutes - 720
    return Clock(minutes + 720 * afternoon, index + 1)


def _hour_of(lexemes: list[Lexeme], at: int) -> int | None:
    if at >= len(lexemes):
        return None
    text = lexemes[at].low
    return int(text) if len(text) < 3 and text.isdecimal() else ONES.get(text)


def _in_half(hour: int, half: str) -> int:
    """The hour of the day: 12 am is 0, 12 pm is 12, 10 at night is 22 and 2 at night is 2."""
    if not half:
        return hour
    afternoon = half == "p" or (half == "night" and 5 < hour < 12)
    return hour % 12 + 12 * afternoon


def _read_half(lexemes: list[Lexeme], at: int) -> tuple[str, int]:
    """Which half of the day follows, and where it ends: 'am', 'p.m.', "o'clock", 'in the morning', '12 noon'."""
    if at >= len(lexemes) or lexemes[at].start - lexemes[at - 1].end > 1:
        return "", at
    words = _lows(lexemes, at, 4)
    if words[0] in ("am", "pm") and lexemes[at].text != "Am":
        return words[0][0], at + 1
    if "".join(words) in ("a.m.", "p.m."):
        return words[0], at + 4
    if words[0] in ("noon", "midnight") and lexemes[at - 1].low in ("12", "twelve"):
        return "p" if words[0] == "noon" else "a", at + 1
    if words[:2] == ["in", "the"] and words[2:3] and words[2] in ("morning", "afternoon", "evening"):
        return "a" if words[2] == "morning" else "p", at + 3
    if words[0] == "o" and words[2:3] == ["clock"]:
        at_night = _lows(lexemes, at + 3, 2) == ["at", "night"]
        again = _lows(lexemes, at + 3, 1) == ["o"]
        return ("night", at + 5) if at_night else ("", at + 3) if again else _read_half(lexemes, at + 3)
    return "", at


def _lows(lexemes: list[Lexeme], at: int, count: int) -> list[str]:
    return [lexeme.low for lexeme in lexemes[at : at + count]]
