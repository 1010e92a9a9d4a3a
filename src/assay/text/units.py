"""Units of measure, money and time: every spelling with its canonical unit and exact conversion.

>>> units = spelled("km")
>>> units.canonical, units.factor
('m', Fraction(1000, 1))
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from assay.text.numerals import Lexeme, touches
from assay.text.tokens import STOP_WORDS
from assay.text.words import words


class Unit(NamedTuple):
    """A canonical unit and how to get there: canonical = (value + shift) × factor."""

    canonical: str
    factor: Fraction = Fraction(1)
    shift: Fraction = Fraction(0)
    kind: str = "measure"  # "measure" | "duration" | "money" | "percent"


def _of(canonical: str, factor: str | Fraction = "1", shift: str = "0", kind: str = "measure") -> Unit:
    return Unit(canonical, Fraction(factor), Fraction(shift), kind)


_PREFIXES = {
    (short, long): Fraction(10) ** power
    for short, long, power in zip(
        "k M G T P m µ μ n c h".split(),
        "kilo mega giga tera peta milli micro micro nano centi hecto".split(),
        (3, 6, 9, 12, 15, -3, -6, -6, -9, -2, 2),
        strict=True,
    )
}
# symbol, names, canonical unit, size in it: these take every prefix.
_SCALED = (
    ("m", "metre meter", "m", "1"),
    ("g", "gram gramme", "kg", "1/1000"),
    ("W", "watt", "W", "1"),
    ("Wh", "watthour", "J", "3600"),
    ("J", "joule", "J", "1"),
    ("eV", "electronvolt", "eV", "1"),
    ("Hz", "hertz", "Hz", "1"),
    ("V", "volt", "V", "1"),
    ("Pa", "pascal", "Pa", "1"),
    ("L", "litre liter", "m³", "1/1000"),
    ("l", "", "m³", "1/1000"),
    ("bps", "", "bit/s", "1"),
    ("b", "bit", "byte", "1/8"),
    ("B", "byte", "byte", "1"),
    ("A", "ampere amp", "A", "1"),
    ("N", "newton", "N", "1"),
    ("Sv", "sievert", "Sv", "1"),
    ("t", "tonne", "kg", "1000"),
)
# Too easily something else when they stand alone: "45 N" is a latitude, "4 A" a label, "3B" three billion.
_NOT_ALONE = frozenset(("A", "N", "b", "B", "hm", "Mm", "nm.", "PL", "mt", "cA", "hA", "nt", "ct", "ht"))

YEAR = Fraction("31556952")


def _table(rows: str) -> dict[str, Unit]:
    """Units from entries of: spellings = canonical unit, size in it (also in years), shift before that, kind."""
    found: dict[str, Unit] = {}
    for row in re.split(r"[;\n]", rows.strip()):
        spellings, _, described = row.partition(" = ")
        given = described.split()
        canonical, size, shift, kind = given + ["", "1", "0", "measure"][len(given) :]
        unit = _of(canonical, YEAR * Fraction(size.removesuffix("y")) if size.endswith("y") else size, shift, kind)
        found |= dict.fromkeys(spellings.split(), unit)
    return found


_SYMBOLS = _table("""
    ft = m 0.3048; yd = m 0.9144; mi = m 1609.344; nmi = m 1852; AU = m 149597870700; lb lbs = kg 0.45359237
    oz = kg 0.028349523125; ha = m² 10000; sqm = m²; sqft = m² 0.09290304; cc = m³ 1/1000000; mph = m/s 0.44704
    kph kmh = m/s 5/18; kn = m/s 463/900; hp = W 745.69987158227022; kcal = J 4184; cal = J 4.184
    BTU = J 1055.05585262; psi = Pa 6894.757293168; atm = Pa 101325; mbar hPa = Pa 100; mmHg = Pa 133.322387415
    KB = byte 1000; KiB = byte 1024; MiB = byte 1048576; GiB = byte 1073741824; TiB = byte 1099511627776
    Kbps = bit/s 1000; rpm = rpm; dB = dB; ppm = ppm; ppb = ppm 1/1000; K = °C 1 -273.15; s = s 1 0 duration
    ms = s 1/1000 0 duration; µs μs = s 1/1000000 0 duration; ns = s 1/1000000000 0 duration; h = s 3600 0 duration
    d = s 86400 0 duration
""")
# A ton is 907, 1,000 or 1,016 kg and a gallon 3.8 or 4.5 litres: each is compared only with itself.
_WORDS = _table("""
    foot feet = m 0.3048; inch inches = m 0.0254; yard yards = m 0.9144; mile miles = m 1609.344; km kms = m 1000
    lightyear lightyears = m 9460730472580800; parsec parsecs = m 30856775814913673; kilo kilos kg kgs = kg
    pound pounds = kg 0.45359237; ounce ounces = kg 0.028349523125; stone stones = kg 6.35029318
    carat carats = kg 0.0002; ton tons = ton; gallon gallons gal = gallon; pint pints = pint
    barrel barrels bbl = barrel; acre acres = m² 4046.8564224; hectare hectares = m² 10000; knot knots = m/s 463/900
    horsepower bhp = W 745.69987158227022; calorie calories kilocalorie kilocalories = calorie; bar bars = Pa 100000
    decibel decibels = dB; kelvin kelvins = °C 1 -273.15; celsius centigrade = °C; fahrenheit = °C 5/9 -32
    second seconds sec secs = s 1 0 duration; minute minutes min mins = s 60 0 duration
    hour hours hr hrs = s 3600 0 duration; day days = s 86400 0 duration; week weeks wk wks = s 604800 0 duration
    fortnight fortnights = s 1209600 0 duration; month months mo mos = s 1/12y 0 duration
    year years yr yrs = s 1y 0 duration; decade decades = s 10y 0 duration; century centuries = s 100y 0 duration
    millennium millennia = s 1000y 0 duration; percent pct percentage = % 1 0 percent
    dollar dollars = USD 1 0 money; cent cents = USD 1/100 0 money; euro euros = EUR 1 0 money
    pence penny = GBP 1/100 0 money; yen = JPY 1 0 money; rupee rupees = INR 1 0 money
    yuan renminbi = CNY 1 0 money; franc francs = franc 1 0 money; peso pesos = peso 1 0 money
    ruble rubles rouble roubles = RUB 1 0 money; krona kronor krone kroner = krona 1 0 money
""")
CODES = words("""
    USD EUR GBP JPY INR CNY CHF AUD CAD SEK NOK DKK NZD HKD SGD BRL MXN ZAR KRW RUB TRY PLN ILS THB BTC ETH
""")
SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₩": "KRW", "₪": "ILS", "฿": "THB"}
DOLLARS = dict(pair.split("/") for pair in "us/USD a/AUD au/AUD c/CAD ca/CAD hk/HKD nz/NZD r/BRL s/SGD".split())
_PERIODS = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month"}
_PERIODS |= dict.fromkeys(("yearly", "annually", "annum"), "year")
# "A year later" tells when; "$5 a year" tells how much.
_WHEN = words("before after")
# Before "30s" these make it a decade or an age.
_DECADE_BEFORE = words("the his her their its my our your mid early late low high upper lower ' ’ ‘ - –")
_RUPEES = frozenset(("rs", "inr"))
_POWERS = {"²": 2, "³": 3, "2": 2, "3": 3}
_AREAS = {2: "m²", 3: "m³"}


def _add_scaled() -> None:
    for symbol, names, canonical, size in _SCALED:
        if symbol not in _NOT_ALONE:
            _SYMBOLS.setdefault(symbol, _of(canonical, size))
        for name in names.split():
            _WORDS.update(dict.fromkeys((name, name + "s"), _of(canonical, size)))
        for (short, long), factor in _PREFIXES.items():
            unit = Unit(canonical, Fraction(size) * factor)
            if short + symbol not in _NOT_ALONE:
                _SYMBOLS.setdefault(short + symbol, unit)
            for name in names.split():
                _WORDS.update(dict.fromkeys((long + name, long + name + "s"), unit))


_add_scaled()


def spelled(text: str) -> Unit | None:
    """The unit with this symbol (case matters) or name (case does not)."""
    return _SYMBOLS.get(text) or _WORDS.get(text.lower())


def currency_before(lexemes: list[Lexeme], index: int) -> tuple[str, int] | None:
    """The currency written before the number at `index`, and where it begins: '$', 'US$', 'USD', 'Rs.'."""
    if index == 0:
        return None
    sign = lexemes[index - 1]
    if sign.text in SIGNS and lexemes[index].start - sign.end <= 1:
        prefix = DOLLARS.get(lexemes[index - 2].low) if index > 1 and touches(lexemes, index - 1) else None
        if sign.text == "$" and prefix and lexemes[index - 2].text.isupper():
            return prefix, index - 2
        return SIGNS[sign.text], index - 1
    if sign.text in CODES:
        return sign.text, index - 1
    dotted = sign.text == "." and index > 1
    word = index - 2 if dotted else index - 1
    return ("INR", word) if lexemes[word].low in _RUPEES else None


def read_unit(lexemes: list[Lexeme], at: int) -> tuple[Unit, int] | None:
    """The unit that starts at this lexeme, with what may follow it ('km/h', 'miles per hour'), and where it ends."""
    if at >= len(lexemes) or lexemes[at].start - lexemes[at - 1].end > 2:
        return None
    found = _percent(lexemes, at) or _money(lexemes, at) or _degrees(lexemes, at) or _simple(lexemes, at)
    if found is None:
        return None
    unit, end = found
    below = _read_divisor(lexemes, end) if unit.kind in ("measure", "money") else None
    if below is not None and (below[0].kind == "measure" or unit.canonical == "m"):
        named = f"{unit.canonical}/{below[0].canonical}"
        return Unit(named, unit.factor / below[0].factor, Fraction(0), unit.kind), below[1]
    return unit, end


def _read_divisor(lexemes: list[Lexeme], at: int) -> tuple[Unit, int] | None:
    """The unit after 'per', '/', 'each' or 'a': the hour of 'km/h', 'miles an hour' and '20 dollars per hour'."""
    if at + 1 >= len(lexemes):
        return None
    over, article = lexemes[at].low, lexemes[at].low in ("a", "an")
    if over not in ("per", "each", "every") and not article and not (over == "/" and touches(lexemes, at)):
        return None
    found = _simple(lexemes, at + 1)
    if found is None or found[0].kind not in ("measure", "duration"):
        return None
    after = lexemes[found[1]] if found[1] < len(lexemes) else None
    each = after is None or after.kind != "w" or (after.low in STOP_WORDS and after.low not in _WHEN)
    return found if not article or (each and found[0].kind == "duration") else None


def read_period(lexemes: list[Lexeme], at: int, *, counted: bool = False) -> tuple[Fraction, int] | None:
    """The seconds of the period that a rate is given for, and where it ends: '$19 per month', '5 frames a second'.

    What is `counted`, or paid for ("$19 per user per month"), may stand between.
    """
    for place in range(at, min(at + 3, len(lexemes))):
        found = _read_divisor(lexemes, place)
        if found is not None and found[0].kind == "duration":
            return found[0].factor, found[1]
        word = lexemes[place].low
        if word in _PERIODS and place == at + (lexemes[at].low == "per"):
            return _WORDS[_PERIODS[word]].factor, place + 1
        if not (word in ("per", "/") or (lexemes[place].kind == "w" and (counted or place > at))):
            return None
    return None


def _low(lexemes: list[Lexeme], at: int) -> str:
    return lexemes[at].low if at < len(lexemes) else ""


def _percent(lexemes: list[Lexeme], at: int) -> tuple[Unit, int] | None:
    word = lexemes[at].low
    if word in ("%", "٪"):
        end = at + 1
    elif word in ("percent", "pct", "percentage"):
        end = at + 1 if word != "percentage" else at
    elif word == "per" and _low(lexemes, at + 1) == "cent":
        end = at + 2
    elif word == "pp":
        return Unit("pp", kind="percent"), at + 1
    else:
        return None
    if _low(lexemes, end) in ("percentage", "point", "points"):
        follows = end + 1 if lexemes[end].low == "percentage" else end
        if _low(lexemes, follows) in ("point", "points"):
            return Unit("pp", kind="percent"), follows + 1
    return (Unit("%", kind="percent"), end) if end > at else None


def _money(lexemes: list[Lexeme], at: int) -> tuple[Unit, int] | None:
    word = lexemes[at]
    if word.text in SIGNS and word.text != "$":
        return Unit(SIGNS[word.text], kind="money"), at + 1
    if word.text in CODES:
        return Unit(word.text, kind="money"), at + 1
    if word.low in ("pound", "pounds") and _low(lexemes, at + 1) == "sterling":
        return Unit("GBP", kind="money"), at + 2
    named = {"us": "USD", "american": "USD", "canadian": "CAD", "australian": "AUD", "swiss": "CHF", "hong": "HKD"}
    if word.low in named and _low(lexemes, at + 1) in ("dollar", "dollars", "francs", "franc"):
        return Unit(named[word.low], kind="money"), at + 2
    return None


def _degrees(lexemes: list[Lexeme], at: int) -> tuple[Unit, int] | None:
    word = lexemes[at]
    scales = {"c": "celsius", "f": "fahrenheit", "k": "kelvin", "celsius": "celsius", "fahrenheit": "fahrenheit"}
    if word.text in ("°", "º") or word.low in ("degree", "degrees", "deg"):
        scale = scales.get(_low(lexemes, at + 1))
        if scale and (word.kind == "w" or lexemes[at + 1].start - word.end <= 1):
            return _WORDS[scale], at + 2
        return Unit("°"), at + 1
    if word.text in ("℃", "℉"):
        return _WORDS["celsius" if word.text == "℃" else "fahrenheit"], at + 1
    if word.text in ("C", "F") and touches(lexemes, at):
        return _WORDS[scales[word.low]], at + 1
    return None


def _simple(lexemes: list[Lexeme], at: int) -> tuple[Unit, int] | None:
    word = lexemes[at]
    if word.kind != "w":
        return None
    if word.low in ("square", "sq", "cubic", "cu"):
        after = at + 1 + (_low(lexemes, at + 1) == ".")
        length = spelled(lexemes[after].text) if after < len(lexemes) else None
        if length is None or length.canonical != "m":
            return None
        return _power(length, 2 if word.low.startswith("sq") else 3), after + 1
    if word.low == "light" and at + 2 < len(lexemes) and lexemes[at + 2].low in ("year", "years"):
        return _WORDS["lightyear"], at + 3
    if word.low == "light" and _low(lexemes, at + 1) in ("year", "years"):
        return _WORDS["lightyear"], at + 2
    if word.low == "nautical" and _low(lexemes, at + 1) in ("mile", "miles"):
        return _SYMBOLS["nmi"], at + 2
    if word.text[-1] in "²³" and len(word.text) > 1:
        base = spelled(word.text[:-1])
        return (_power(base, _POWERS[word.text[-1]]), at + 1) if base and base.canonical == "m" else None
    unit = spelled(word.text)
    if unit is None or (word.text == "s" and _is_decade(lexemes, at)):
        return None
    if word.text == "d" and (not touches(lexemes, at) or lexemes[at - 1].text in ("2", "3")):
        return None  # "90d" are days, "3d" has three dimensions
    if unit.canonical == "m" and touches(lexemes, at + 1) and lexemes[at + 1].text in _POWERS:
        return _power(unit, _POWERS[lexemes[at + 1].text]), at + 2
    return unit, at + 1


def _power(length: Unit, power: int) -> Unit:
    return Unit(_AREAS[power], length.factor**power)


def _is_decade(lexemes: list[Lexeme], at: int) -> bool:
    """Whether the "s" makes '30s' a decade or an age: 'the 30s', 'in their 20s and 30s', but not 'after 30s'."""
    for place in (at, at - 3):
        if not touches(lexemes, place) or lexemes[place - 1].text[-1] != "0":
            return False
        if place < 2 or lexemes[place - 2].low in _DECADE_BEFORE:
            return place > 1
        if lexemes[place - 2].low not in ("and", "or", "to") or lexemes[place - 3].low != "s":
            return False
    return False
