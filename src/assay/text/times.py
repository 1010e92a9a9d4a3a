"""Times that are no written date: bare years, which only the words around them tell from counts, and times of day."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from assay.text.amounts import Quantity, QuantityKind
from assay.text.dates import Date, stretch
from assay.text.numerals import ONES, Lexeme, touches
from assay.text.quantity_context import is_part_of_word
from assay.text.units import currency_before, read_unit
from assay.text.words import words
from assay.types import Span

_YEAR_BEFORE = words("""
    in since by until till from during after before of year years circa early late mid between to through and the
    around about born founded est established c ca every ( , : a an his her its their s summer spring winter autumn
    fall – - season
""")
# After these a four-digit number that is followed by a plural is a count: "of 2000 people", but "in 2010 sales rose".
_COUNT_BEFORE = _YEAR_BEFORE - {"in", "since", "until", "till", "during", "born", "founded", "year", "est", "("}
_PLURALS = words("people men women children feet mice troops cattle sheep")


def read_years(lexemes: list[Lexeme], index: int) -> tuple[Date, int] | None:
    """A bare year or a span of years, where the words around it make it one."""
    year = _year(lexemes[index])
    if year is None or is_part_of_word(lexemes, index, index + 1) or currency_before(lexemes, index):
        return None
    at = index + 1
    while at < min(index + 3, len(lexemes)) and lexemes[at].text in ("–", "—", "-", "/"):
        at += 1  # "1983 -- 84" is how plain text writes a dash
    last = _last_year(year, lexemes[at]) if index + 1 < at < len(lexemes) else None
    month = _month(lexemes, at) if not last and at == index + 2 else None
    end = at + 1 if last or month else index + 1
    if not _is_year(lexemes, index, end, bool(last or month)):
        return None
    span = Span(lexemes[index].start, lexemes[end - 1].end)
    days = stretch(year, month)[0], stretch(last or year, month)[1]
    date = Date(span.start, span.end, None if last else year, month, None, *days, ranged=bool(last))
    return date, end


def _month(lexemes: list[Lexeme], at: int) -> int | None:
    """The month of '2024-05'."""
    tied = touches(lexemes, at - 1) and touches(lexemes, at) and lexemes[at - 1].text == "-"
    return int(lexemes[at].text) if tied and re.fullmatch(r"0[1-9]|1[0-2]", lexemes[at].text) else None


def _last_year(year: int, after: Lexeme) -> int | None:
    if after.kind != "n" or not after.text.isdecimal() or len(after.text) not in (2, 4):
        return None
    last = int(after.text) if len(after.text) == 4 else year - year % 100 + int(after.text)
    return last if year < last <= 2199 else None


def _is_year(lexemes: list[Lexeme], index: int, end: int, paired: bool) -> bool:
    before = lexemes[index - 1].low if index else ""
    after = lexemes[end] if end < len(lexemes) else None
    glued = touches(lexemes, end) and after is not None and after.kind == "w"
    if glued or read_unit(lexemes, end) is not None:
        return False
    plural = after is not None and after.kind == "w" and _is_plural(after)
    if plural and before in _COUNT_BEFORE:
        return False
    if paired:
        return not plural
    enclosed = before == "(" and after is not None and after.text in "),;–-"
    return before in _YEAR_BEFORE or enclosed or (after is not None and after.text == ")" and not plural)


def _year(lexeme: Lexeme) -> int | None:
    if len(lexeme.text) != 4 or not lexeme.text.isdecimal():
        return None
    value = int(lexeme.text)
    return value if 1000 <= value <= 2199 else None


def _is_plural(word: Lexeme) -> bool:
    common = word.text[:1].islower() and len(word.low) > 3
    return common and (
        word.low in _PLURALS or (word.low.endswith("s") and not word.low.endswith(("ss", "us", "is", "as")))
    )


def join_dates(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """'3 May 1953 – 2 June 1953' and 'from May 1953 to June 1954' become one stretch of days."""
    joined: list[Quantity] = []
    for quantity in quantities:
        before = joined[-1] if joined else None
        if before is None or not _runs_on(text, before, quantity):
            joined.append(quantity)
            continue
        low = before.low
        if before.year is None and before.month is not None and quantity.year is not None:
            low = Fraction(stretch(quantity.year, before.month, before.day)[0])
        if low >= quantity.high:
            joined.append(quantity)
            continue
        span = Span(before.span.start, quantity.span.end)
        joined[-1] = replace(
            before,
            low=low,
            high=quantity.high,
            span=span,
            text=span.of(text),
            ranged=True,
            year=None,
            month=None,
            day=None,
        )
    return joined


def _runs_on(text: str, first: Quantity, second: Quantity) -> bool:
    if first.kind is not QuantityKind.DATE or second.kind is not QuantityKind.DATE or first.ranged or second.ranged:
        return False
    if second.span.start - first.span.end > 12 or (second.year is None and second.month is not None):
        return False
    between = text[first.span.end : second.span.start].strip().lower()
    if between in ("–", "—", "-", "to", "until", "through", "till"):
        return True
    return between == "and" and text[max(0, first.span.start - 8) : first.span.start].strip().lower().endswith(
        "between"
    )


# Times of day as minutes after midnight

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
