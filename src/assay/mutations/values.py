"""Values changed so that they no longer agree with what was said: numbers, units and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from assay.mutations.edits import Mutation, MutationInput
from assay.text.amounts import Match, Quantity, QuantityKind, compare
from assay.text.quantities import find_quantities
from assay.text.words import words

_DIGITS = re.compile(r"(?<![\w.,:/–-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|(?<![\w.,:/–-])\d+(?:\.\d+)?(?![\d:/])")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_DAY = re.compile(r"(?<!\d)(?:[1-9]|[12]\d|3[01])(?=(?:st|nd|rd|th)?\b)(?!\d)")
_COUNTS = tuple("two three four five six seven eight nine ten eleven twelve".split())
_ORDINALS = tuple("first second third fourth fifth sixth seventh eighth ninth tenth".split())
_MONTHS = tuple(
    "January February March April May June July August September October November December".split(),
)
_FACTORS = (Decimal("0.3"), Decimal("0.5"), Decimal("0.7"), Decimal("1.4"), Decimal("2"), Decimal("3"))
_STEPS = (-31, -17, -9, -4, -2, 2, 4, 9, 17, 31)
_FEW = 13  # a count below this is changed by a step, not by a factor

# Units of one dimension: exchanging two of them changes the value by half or more.
_UNITS = tuple(
    tuple(group.split())
    for group in (
        "mm cm m km",
        "millimetres centimetres metres kilometres miles",
        "millimeters centimeters meters kilometers",
        "inches feet yards miles",
        "mg g kg",
        "milligrams grams kilograms tonnes",
        "ounces pounds tons",
        "seconds minutes hours days weeks months years decades centuries",
        "second minute hour day week month year decade century",
        "acres hectares",
        "thousand million billion trillion",
        "dollars euros yen rupees",
        "watts kilowatts megawatts gigawatts",
        "litres gallons",
        "bytes kilobytes megabytes gigabytes terabytes",
        "km² hectares",
    )
)
_SIGNS = {"$": "€", "€": "$", "£": "$", "¥": "£"}
_UNIT_WORDS = {unit: group for group in _UNITS for unit in group}
_NOT_UNITS = words("second minute day")  # "the second man", "minute traces", "the day after"
# Feet and metres are both lengths of the same place: "8,849 m" becomes "8,849 feet" too.
_CROSS = {"m": ("feet",), "metres": ("feet",), "meters": ("feet",), "feet": ("metres",), "km": ("miles",)}


def change_number(given: MutationInput) -> Mutation | None:
    """Another number where one stood; dates, clock times and names ("Apollo 11") are left alone."""
    places = [q for q in find_quantities(given.text) if q.kind is not QuantityKind.DATE and not q.name]
    places = [q for q in places if q.unit != "clock" and not q.ranged]
    for quantity in given.rng.sample(places, len(places)):
        made = _first_change(given, "number", quantity, _other_numbers(given, quantity))
        if made:
            return made
    return None


def change_unit(given: MutationInput) -> Mutation | None:
    """The number kept and its unit exchanged for another of the same dimension."""
    places = [q for q in find_quantities(given.text) if q.kind is not QuantityKind.DATE and not q.name]
    for quantity in given.rng.sample(places, len(places)):
        made = _first_change(given, "unit", quantity, _other_units(given, quantity))
        if made:
            return made
    return None


def change_date(given: MutationInput) -> Mutation | None:
    """Another year, month or day in a date."""
    places = [q for q in find_quantities(given.text) if q.kind is QuantityKind.DATE]
    for quantity in given.rng.sample(places, len(places)):
        made = _first_change(given, "date", quantity, _other_dates(given, quantity))
        if made:
            return made
    return None


Edit = tuple[int, int, str]


def _first_change(given: MutationInput, kind: str, old: Quantity, edits: Iterator[Edit]) -> Mutation | None:
    """The first edit after which the sentence states another value in that place."""
    for start, end, new in edits:
        made = given.replaced(kind, start, end, new)
        if _differs(old, find_quantities(made.text), len(made.text) - len(given.text)):
            return made
    return None


def _differs(old: Quantity, found: Sequence[Quantity], growth: int) -> bool:
    """Whether the quantity that now stands there cannot be what was said before."""
    reach = range(old.span.start - 3, old.span.end + max(0, growth) + 3)
    now = [q for q in found if q.span.start in reach and q.span.end in reach and q.kind is old.kind]
    if len(now) != 1:
        return False
    if old.kind is QuantityKind.MONEY and now[0].unit != old.unit:
        return True
    claimed = compare(now[0], old)
    if old.bounded:  # "more than 400" does not follow from "more than 300", though nothing speaks against it
        return claimed in (Match.DIFFERENT, Match.INCOMPARABLE)
    return claimed is Match.DIFFERENT and compare(old, now[0]) is Match.DIFFERENT


def _other_numbers(given: MutationInput, quantity: Quantity) -> Iterator[Edit]:
    stretch = quantity.span.of(given.text)
    for match in _DIGITS.finditer(stretch):
        start, end = quantity.span.start + match.start(), quantity.span.start + match.end()
        if quantity.kind is QuantityKind.ORDINAL:
            value = int(match.group().replace(",", ""))
            ending = re.match(r"(?:st|nd|rd|th)", given.text[end:])
            for step in given.rng.sample((1, 2, 3, 4), 4):
                yield start, end + (ending.end() if ending else 0), _ordinal(value + step)
            continue
        for new in _near(given, match.group()):
            yield start, end, new
    for listed in (_COUNTS, _ORDINALS):
        for match in re.finditer(rf"\b(?:{'|'.join(listed)})\b", stretch, re.IGNORECASE):
            start, end = quantity.span.start + match.start(), quantity.span.start + match.end()
            known = {word for word in listed if word in given.text.lower()}
            for new in given.rng.sample(listed, len(listed)):
                if new not in known:
                    yield start, end, new


def _ordinal(value: int) -> str:
    tail = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{tail}"


def _near(given: MutationInput, written: str) -> Iterator[str]:
    """Numbers of the same look and size, and not far from the old one."""
    plain = Decimal(written.replace(",", ""))
    places = len(written.split(".")[1]) if "." in written else 0
    if plain < _FEW and not places:
        for step in given.rng.sample((1, 2, 3, 4, 5), 5):
            yield str(int(plain) + step)
        return
    for factor in given.rng.sample(_FACTORS, len(_FACTORS)):
        value = plain * factor
        if places:
            yield f"{value:,.{places}f}" if "," in written else f"{value:.{places}f}"
        else:
            whole = int(value) + (int(value) == value and value % 10 == 0) * given.rng.choice((0, 0, 1, 3))
            yield f"{whole:,}" if "," in written else str(whole)


def _other_units(given: MutationInput, quantity: Quantity) -> Iterator[Edit]:
    stretch = quantity.span.of(given.text)
    for match in re.finditer(r"[^\W\d_]+²?", stretch):
        word = match.group()
        group = _UNIT_WORDS.get(word, ())
        if word in _NOT_UNITS and quantity.kind is QuantityKind.ORDINAL:
            continue
        near = [unit for unit in group if unit != word]
        start, end = quantity.span.start + match.start(), quantity.span.start + match.end()
        for new in given.rng.sample(near, len(near)) + list(_CROSS.get(word, ())):
            yield start, end, new
    for place, sign in enumerate(stretch):
        if sign in _SIGNS:
            at = quantity.span.start + place
            yield at, at + 1, _SIGNS[sign]


def _other_dates(given: MutationInput, quantity: Quantity) -> Iterator[Edit]:
    stretch, offset = quantity.span.of(given.text), quantity.span.start
    edits: list[Edit] = []
    for match in _YEAR.finditer(stretch):
        for step in given.rng.sample(_STEPS, len(_STEPS)):
            year = int(match.group()) + step
            if year < 2100:
                edits.append((offset + match.start(), offset + match.end(), str(year)))
    for match in re.finditer(rf"\b(?:{'|'.join(_MONTHS)})\b", stretch):
        for month in given.rng.sample(_MONTHS, len(_MONTHS)):
            if month not in given.text:
                edits.append((offset + match.start(), offset + match.end(), month))
    if quantity.day is not None:
        for match in _DAY.finditer(stretch):
            day = int(match.group())
            new = (day + given.rng.choice((3, 5, 8, 11)) - 1) % 28 + 1
            tail = re.match(r"(?:st|nd|rd|th)", given.text[offset + match.end() :])
            written = _ordinal(new) if tail else str(new)
            edits.append((offset + match.start(), offset + match.end() + (tail.end() if tail else 0), written))
    yield from given.rng.sample(edits, len(edits))
