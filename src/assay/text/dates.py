"""Dates in their usual written forms, as stretches of days with the parts that are known.

A bare year ("in 1953") depends on the words around it and is decided by whoever reads the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from assay.text.numerals import ORDINALS
from assay.text.words import MONTH_NUMBERS

# "may" and "march" are ordinary words unless capitalised.
_SURE_MONTHS = [name for name in MONTH_NUMBERS if name not in ("may", "march", "mar")]
_MONTH = rf"(?:(?i:{'|'.join(sorted(_SURE_MONTHS, key=len, reverse=True))})\b\.?|March\b|MARCH\b|Mar\b\.?|May\b|MAY\b)"
_GAP = r"[ \u00a0\u202f\n]{0,2}"
_DAY = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[12][0-9]{3})(?![0-9]|[.,][0-9])"
_ERA = r"(?P<era>BCE?|B\.C\.(?:E\.)?|CE|C\.E\.|AD|A\.D\.)(?![A-Za-z])"
_LEFT = r"(?<![0-9A-Za-z])(?<![0-9][.,/–-])"
_CENTURIES = {word: value for word, value in ORDINALS.items() if value <= 30} | {"twenty-first": 21}

_FORMS = "|".join(
    (
        # 29 May 1953, 29th of May, 1953, 29–31 May 1953, 29 May
        rf"{_LEFT}(?P<a>(?:(?P<first>[0-3]?[0-9])(?:st|nd|rd|th)?{_GAP}[–-]{_GAP})?"
        rf"{_DAY.replace('day', 'a_day')}{_GAP}(?:of )?(?P<a_month>{_MONTH})"
        rf"(?:{_GAP},?{_GAP}(?:of )?{_YEAR.replace('year', 'a_year')})?)",
        # May 29th, 1953, May 29–31, 1953, May 29
        rf"{_LEFT}(?P<b>(?P<b_month>{_MONTH}){_GAP}(?:the )?{_DAY.replace('day', 'b_day')}(?![0-9]|[.,:][0-9])"
        rf"(?:{_GAP}[–-]{_GAP}(?P<b_last>[0-3]?[0-9])(?![0-9]))?"
        rf"(?:{_GAP},?{_GAP}(?:in )?{_YEAR.replace('year', 'b_year')})?)",
        # May 1953, May of 1953, May, 1953
        rf"{_LEFT}(?P<c>(?P<c_month>{_MONTH}){_GAP},?{_GAP}(?:of )?{_YEAR.replace('year', 'c_year')})",
        # 1953-05-29, 1953/05/29
        r"(?<![0-9A-Za-z.,/–-])(?P<d>(?P<d_year>[12][0-9]{3})(?P<d_mark>[-/.])(?P<d_month>[01]?[0-9])(?P=d_mark)"
        r"(?P<d_day>[0-3]?[0-9]))(?![0-9]|[-/.][0-9])",
        # 29/05/1953, 29.05.1953
        r"(?<![0-9A-Za-z.,/–-])(?P<e>(?P<e_one>[0-3]?[0-9])(?P<e_mark>[-/.])(?P<e_two>[0-3]?[0-9])(?P=e_mark)"
        r"(?P<e_year>[12][0-9]{3}))(?![0-9]|[-/.][0-9])",
        # Q3 2021, third quarter of 2021
        rf"{_LEFT}(?P<f>(?:Q(?P<f_quarter>[1-4])|(?P<f_word>(?i:first|second|third|fourth)) quarter(?: of)?){_GAP}"
        rf"{_YEAR.replace('year', 'f_year')})",
        # spring of 1953
        rf"{_LEFT}(?P<g>(?i:spring|summer|autumn|fall|winter)(?: of)? {_YEAR.replace('year', 'g_year')})",
        # 19th century, nineteenth century BC
        rf"{_LEFT}(?P<h>(?:(?P<h_number>[0-9]{{1,2}})(?:st|nd|rd|th)|(?P<h_word>(?i:twenty-first|[a-z]{{4,12}}th|"
        rf"first|second|third)))[ -](?i:century)(?: (?P<h_era>BCE?|B\.C\.(?:E\.)?|CE|AD|A\.D\.)(?![A-Za-z]))?)",
        # 1950s, 1950's
        rf"{_LEFT}(?P<i>(?P<i_year>[12][0-9]{{2}}0)(?: ?['’])?s(?![A-Za-z0-9]))",
        # 44 BC, 70 AD
        rf"{_LEFT}(?P<j>(?P<j_year>[0-9]{{1,4}}){_GAP}{_ERA.replace('era', 'j_era')})",
        # AD 70
        rf"{_LEFT}(?P<k>(?:AD|A\.D\.|CE) (?P<k_year>[0-9]{{1,4}})(?![0-9]|[.,][0-9]))",
    )
)


@cache
def _forms() -> re.Pattern[str]:
    """All forms in one pattern, compiled when a date is first looked for: it is the dear part of the import."""
    return re.compile(_FORMS)


class Date(NamedTuple):
    """A stretch of days and the parts it was written with; BC years are negative, 1 BC being year 0."""

    start: int
    end: int
    year: int | None
    month: int | None
    day: int | None
    first: int
    last: int
    ranged: bool = False


def day_number(year: int, month: int, day: int) -> int:
    """Days on the proleptic Gregorian calendar, for any year, and with no complaint about 31 February."""
    before = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)[month - 1]
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    past = year - 1
    return 365 * past + past // 4 - past // 100 + past // 400 + before + (leap and month > 2) + day


def stretch(year: int | None, month: int | None = None, day: int | None = None) -> tuple[int, int]:
    """The first and last day that these parts allow; without a year, of a nominal year 0."""
    known = 0 if year is None else year
    if month is None:
        return day_number(known, 1, 1), day_number(known, 12, 31)
    if day is None:
        following = day_number(known + 1, 1, 1) if month == 12 else day_number(known, month + 1, 1)
        return day_number(known, month, 1), following - 1
    number = day_number(known, month, day)
    return number, number


def find_dates(text: str) -> Iterator[Date]:
    """Every explicitly written date, in order."""
    for match in _forms().finditer(text):
        date = _READERS[match.lastgroup or ""](match)
        if date is not None:
            yield date


def _made(match: re.Match[str], year: int | None, month: int | None = None, day: int | None = None) -> Date | None:
    if month is not None and not 1 <= month <= 12:
        return None
    if day is not None and not 1 <= day <= 31:
        return None
    return Date(match.start(), match.end(), year, month, day, *stretch(year, month, day))


def _month(name: str) -> int:
    return MONTH_NUMBERS[name.rstrip(".").lower()]


def _whole(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _ranged(date: Date | None, first_day: str | None, last_day: str | None) -> Date | None:
    """'29–31 May 1953' runs over several days."""
    if date is None or date.day is None or not (first_day or last_day):
        return date
    other = int(first_day or last_day or 0)
    low, high = (other, date.day) if first_day else (date.day, other)
    if not 1 <= low < high <= 31:
        return date
    ends = stretch(date.year, date.month, low)[0], stretch(date.year, date.month, high)[1]
    return date._replace(day=None, first=ends[0], last=ends[1], ranged=True)


def _day_first(match: re.Match[str]) -> Date | None:
    date = _made(match, _whole(match["a_year"]), _month(match["a_month"]), int(match["a_day"]))
    return _ranged(date, match["first"], None)


def _month_first(match: re.Match[str]) -> Date | None:
    date = _made(match, _whole(match["b_year"]), _month(match["b_month"]), int(match["b_day"]))
    return _ranged(date, None, match["b_last"])


def _numeric(match: re.Match[str]) -> Date | None:
    one, two, year = int(match["e_one"]), int(match["e_two"]), int(match["e_year"])
    if one > 12 >= two or one == two:
        return _made(match, year, two, one)
    if two > 12 >= one:
        return _made(match, year, one, two)
    # 05/06/1953 is May or June: only the year is sure.
    return _made(match, year) if one <= 12 else None


def _quarter(match: re.Match[str]) -> Date | None:
    number = int(match["f_quarter"] or ORDINALS[match["f_word"].lower()])
    year = int(match["f_year"])
    ends = stretch(year, number * 3 - 2)[0], stretch(year, number * 3)[1]
    return Date(match.start(), match.end(), year, None, None, *ends)


def _century(match: re.Match[str]) -> Date | None:
    number = int(match["h_number"]) if match["h_number"] else _CENTURIES.get(match["h_word"].lower())
    if not number or number > 40:
        return None
    # "The 19th century" is used for 1800–1900 and 1801–1900 alike.
    first, last = (number - 1) * 100, number * 100
    if (match["h_era"] or "").startswith("B"):
        first, last = 1 - last, 1 - first
    return Date(match.start(), match.end(), None, None, None, stretch(first)[0], stretch(last)[1])


def _decade(match: re.Match[str]) -> Date | None:
    year = int(match["i_year"])
    # "The 1900s" may be ten years or a hundred.
    last = year + (99 if year % 100 == 0 else 9)
    return Date(match.start(), match.end(), None, None, None, stretch(year)[0], stretch(last)[1])


def _era(match: re.Match[str]) -> Date | None:
    year = int(match["j_year"])
    return _made(match, 1 - year if match["j_era"].startswith("B") else year)


_READERS: dict[str, Callable[[re.Match[str]], Date | None]] = {
    "a": _day_first,
    "b": _month_first,
    "c": lambda m: _made(m, int(m["c_year"]), _month(m["c_month"])),
    "d": lambda m: _made(m, int(m["d_year"]), int(m["d_month"]), int(m["d_day"])),
    "e": _numeric,
    "f": _quarter,
    "g": lambda m: _made(m, int(m["g_year"])),
    "h": _century,
    "i": _decade,
    "j": _era,
    "k": lambda m: _made(m, int(m["k_year"])),
}


# What a text mentions of the calendar, whether or not it makes a whole date: "in May", "the 1950s", "1953".

# Run over lower-case text: a case-insensitive pattern is several times slower.
_MONTH_WORD = re.compile(r"\b(?=[jfmasond])(?:" + "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True)) + r")\b")
# "may", "march" and "august" are words too, and so are "mar" and "dec": they need a number or a preposition nearby.
_PLAIN_MONTHS = {name for name in MONTH_NUMBERS if len(name) > 4} - {"march", "august"} | {"june", "july"}
_NUMBER_BEHIND = re.compile(r"\.?,?\s{0,3}[0-9]")
_NUMBER_BEFORE = re.compile(r"[0-9](?:st|nd|rd|th)?,?\s{0,3}(?:of\s{1,3})?\Z")
_PREPOSITION_BEFORE = re.compile(
    r"\b(?:after|and|before|between|by|during|each|early|every|from|in|last|late|mid|next|of|since|this|through|till|to|until)"
    r"[\s-]{1,3}\Z",
    re.IGNORECASE,
)
_REACH = 12
_YEAR_WORD = re.compile(
    r"(?<![^\W_])(1[5-9][0-9]{2}|2[01][0-9]{2})(?P<decade>(?<=0)['’]?s\b)?(?![^\W_]|,[0-9]{3}(?![0-9]))"
)
_YEAR_FIRST = re.compile(r"(?<![0-9])[12][0-9]{3}[-/.]([01]?[0-9])(?:[-/.]([0-3]?[0-9]))?(?![0-9])")
_YEAR_LAST = re.compile(r"(?<![0-9])([0-3]?[0-9])[-/.]([0-3]?[0-9])[-/.][12][0-9]{3}(?![0-9])")
_ALL_MONTHS = frozenset(range(1, 13))


class CalendarMentions(NamedTuple):
    """Years 1500–2199, decades (1950 for "1950s"), months, and months that a date in digits may mean ("05/06/1953")."""

    years: frozenset[int]
    decades: frozenset[int]
    months: frozenset[int]
    possible_months: frozenset[int]


def find_calendar_mentions(text: str) -> CalendarMentions:
    """Every year, decade and month that a text names, in words or in digits.

    >>> mentions = find_calendar_mentions("Hillary reached the top on 1953-05-29.")
    >>> sorted(mentions.years), sorted(mentions.months)
    ([1953], [5])
    >>> find_calendar_mentions("They may march in 1950s style.").months
    frozenset()
    """
    found = list(_YEAR_WORD.finditer(text))
    lowered = text.lower()
    if len(lowered) != len(text):  # "İ" grows; the places would no longer fit
        lowered = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    named = {MONTH_NUMBERS[match.group()] for match in _MONTH_WORD.finditer(lowered) if _is_month(text, match)}
    possible: set[int] = set()
    for match in _YEAR_FIRST.finditer(text):
        (named if match[2] else possible).add(int(match[1]))
    for match in _YEAR_LAST.finditer(text):
        first, second = int(match[1]), int(match[2])
        if first > 12 or second > 12 or first == second:
            named.add(second if first > 12 else first)
        else:  # the day comes first in some countries, the month in others
            possible |= {first, second}
    return CalendarMentions(
        frozenset({int(match[1]) for match in found if not match["decade"]}),
        frozenset({int(match[1]) for match in found if match["decade"]}),
        _ALL_MONTHS & named,
        _ALL_MONTHS & possible,
    )


def _is_month(text: str, match: re.Match[str]) -> bool:
    word = match.group()
    if word in _PLAIN_MONTHS:
        return True
    if not text[match.start()].isupper():
        return False
    before = text[max(0, match.start() - _REACH) : match.start()]
    if _NUMBER_BEHIND.match(text, match.end()) or _NUMBER_BEFORE.search(before):
        return True
    return word in ("may", "march", "august") and bool(_PREPOSITION_BEFORE.search(before))
