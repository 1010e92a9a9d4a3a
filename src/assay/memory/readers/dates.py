"""Dates of documents: as stated, else inferred from metadata or a dated line near the top."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any

from assay.text.words import MONTH_NUMBERS

_ISO = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\s+([A-Za-z]{3,9})\.?,?\s+(\d{4})(?!\d)")
_MONTH_FIRST = re.compile(r"([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)")
_MONTH_ONLY = re.compile(r"([A-Za-z]{3,9})\.?,?\s+(\d{4})(?!\d)")
_DATED_LINE = re.compile(
    r"^[ \t>*_#-]{0,8}(?:date|dated|published(?: on)?|posted(?: on)?|(?:last )?(?:updated|modified|revised)(?: on)?"
    r"|as of|effective(?: date)?|release date)\b[ \t*_:]{1,8}([^\n]{4,60})",
    re.I | re.M,
)
_TOP = 3000
_EARLIEST = 1450  # a year before printing is a subject, not a publication date


def parse_date(value: Any) -> date | None:
    """The date a metadata field states, or None.

    >>> parse_date("2021-05-03T10:00:00Z")
    datetime.date(2021, 5, 3)
    >>> parse_date("3 May 2021"), parse_date("soon")
    (datetime.date(2021, 5, 3), None)
    """
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if not isinstance(value, str):
        return None
    value = value.strip()[:100]
    if found := _ISO.match(value):
        return _make(found[1], found[2], found[3])
    if found := _DAY_FIRST.search(value):
        return _make(found[3], found[2], found[1])
    if found := _MONTH_FIRST.search(value):
        return _make(found[3], found[1], found[2])
    if found := _MONTH_ONLY.search(value):
        return _make(found[2], found[1], "1")
    return None


def infer_date(text: str) -> date | None:
    """The date of a 'Published: …' or 'Last updated …' line near the top."""
    for line in _DATED_LINE.finditer(text[:_TOP]):
        if found := parse_date(line[1]):
            return found
    return None


def _make(year: str, month: str, day: str) -> date | None:
    number = int(month) if month.isdigit() else MONTH_NUMBERS.get(month.lower(), 0)
    if int(year) < _EARLIEST:
        return None
    try:
        return date(int(year), number, int(day))
    except ValueError:
        return None
