"""Years and months a text names, however it writes them.

>>> sorted(find_years("Hillary reached the top on 1953-05-29.").years)
[1953]
>>> sorted(find_months("Hillary reached the top on 1953-05-29.").named)
[5]
>>> find_months("They may march in 1950s style.").named
frozenset()
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_SPELLINGS = (
    "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|"
    "november nov|december dec"
)
MONTHS = {name: number for number, names in enumerate(_SPELLINGS.split("|"), 1) for name in names.split()}

# "may", "march" and "august" are words too, and so are "mar" and "dec": they need a number or a preposition nearby.
_PLAIN_MONTHS = frozenset(name for name in MONTHS if len(name) > 4) - {"march", "august"} | {"june", "july"}

# Run over lower-case text: a case-insensitive pattern is several times slower.
_MONTH = re.compile(r"\b(?=[jfmasond])(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b")
_DIGIT_DATE = re.compile(r"[0-9][-/.][0-9]")
_NUMBER_BEHIND = re.compile(r"\.?,?\s{0,3}[0-9]")
_NUMBER_BEFORE = re.compile(r"[0-9](?:st|nd|rd|th)?,?\s{0,3}(?:of\s{1,3})?\Z")
_PREPOSITION_BEFORE = re.compile(
    r"\b(?:after|and|before|between|by|during|each|early|every|from|in|last|late|mid|next|of|since|this|through|till|to|until)"
    r"[\s-]{1,3}\Z",
    re.IGNORECASE,
)
_REACH = 12

_YEAR = re.compile(r"(?<![^\W_])(1[5-9][0-9]{2}|2[01][0-9]{2})(?P<decade>(?<=0)['’]?s\b)?(?![^\W_]|,[0-9]{3}(?![0-9]))")
_YEAR_FIRST = re.compile(r"(?<![0-9])[12][0-9]{3}[-/.]([01]?[0-9])(?:[-/.]([0-3]?[0-9]))?(?![0-9])")
_YEAR_LAST = re.compile(r"(?<![0-9])([0-3]?[0-9])[-/.]([0-3]?[0-9])[-/.][12][0-9]{3}(?![0-9])")


@dataclass(frozen=True, slots=True)
class Years:
    """The years a text names, and its decades ("1950s" is 1950)."""

    years: frozenset[int]
    decades: frozenset[int]


@dataclass(frozen=True, slots=True)
class Months:
    """The months a text names, and those that a date in digits might mean ("05/06/1953")."""

    named: frozenset[int]
    possible: frozenset[int]


def find_years(text: str) -> Years:
    """The years 1500–2199 of a text."""
    years: set[int] = set()
    decades: set[int] = set()
    for match in _YEAR.finditer(text):
        (decades if match["decade"] else years).add(int(match[1]))
    return Years(frozenset(years), frozenset(decades))


def find_months(text: str) -> Months:
    """The months of a text, in words or in digits."""
    lowered = text.lower()
    if len(lowered) != len(text):  # "İ" grows; the places would no longer fit
        lowered = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    named = frozenset({MONTHS[match.group()] for match in _MONTH.finditer(lowered) if _is_month(text, match)})
    sure, possible = _numeric_months(text) if _DIGIT_DATE.search(text) else (frozenset(), frozenset())
    return Months(named | sure, possible)


def missing_years(claimed: Years, stated: Sequence[Years]) -> tuple[str, ...]:
    """The years and decades of a claim that none of its spans states; a year proves its decade."""
    years = frozenset().union(*(span.years for span in stated))
    decades = frozenset().union(*(span.decades for span in stated)) | {year - year % 10 for year in years}
    return (
        *(str(year) for year in sorted(claimed.years - years)),
        *(f"{decade}s" for decade in sorted(claimed.decades - decades)),
    )


def missing_months(claimed: Months, stated: Sequence[Months]) -> tuple[str, ...]:
    """The months of a claim that none of its spans states."""
    known = frozenset().union(*(span.named | span.possible for span in stated))
    return tuple(_NAMES[month] for month in sorted(claimed.named - known))


_NAMES = {number: name.capitalize() for name, number in reversed(MONTHS.items())}


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


def _numeric_months(text: str) -> tuple[frozenset[int], frozenset[int]]:
    """The months of dates in digits: those that are sure, and those that depend on the reader's country."""
    sure: set[int] = set()
    possible: set[int] = set()
    for match in _YEAR_FIRST.finditer(text):
        (sure if match[2] else possible).add(int(match[1]))
    for match in _YEAR_LAST.finditer(text):
        first, second = int(match[1]), int(match[2])
        if first > 12 or second > 12 or first == second:
            sure.add(second if first > 12 else first)
        else:
            possible |= {first, second}
    return _REAL & sure, _REAL & possible


_REAL = frozenset(range(1, 13))
