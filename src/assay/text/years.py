"""Bare years and spans of years, which only the words around them tell from counts; and dates that run on."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from assay.text.amounts import Quantity, QuantityKind
from assay.text.dates import Date, stretch
from assay.text.naming import is_part_of_word
from assay.text.numerals import Lexeme, touches
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
