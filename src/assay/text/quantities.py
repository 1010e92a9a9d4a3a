"""Finds the quantities of a text: numbers, percentages, money, measures, durations, ordinals and dates.

>>> [(q.kind.value, q.text) for q in find_quantities("Everest (8,849 m) was climbed on 29 May 1953.")]
[('measure', '8,849 m'), ('date', '29 May 1953')]
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from assay.text import quantity_context as context
from assay.text.amounts import Hedge, Match, Quantity, QuantityKind, compare
from assay.text.dates import Date, find_dates
from assay.text.numerals import (
    NUMBER_WORDS,
    ORDINALS,
    Numeral,
    after_article,
    cut_lexemes,
    read_extra,
    read_numeral,
    touches,
)
from assay.text.times import DAY, join_dates, read_clock, read_years
from assay.text.units import YEAR, Unit, currency_before, read_period, read_unit
from assay.text.words import words
from assay.types import Span

__all__ = ["Hedge", "Match", "Quantity", "QuantityKind", "compare", "find_quantities"]

_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
# Links, phone numbers, IP addresses and keys have digits but no amounts.
_CODES = re.compile(
    r"(?:https?://|www\.|doi:)\S+"
    r"|\+\d(?:[ ().–-]{0,2}\d){8,14}|\(\d{2,5}\) ?\d{3,4}[ .–-]\d{3,4}"
    r"|(?<![\d.,])(?=(?: ?\d){9})0\d{1,4}(?: \d{2,4}){2,4}(?!\d)"
    rf"|(?<![\w.])(?:{_OCTET}\.){{3}}{_OCTET}(?!\.?\w)(?:[:/]\d+)?"
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?!\d++(?:e\d++)?\b)(?=[a-f]*+\d)[0-9a-f]{7,40}\b"
)
_STARTERS = NUMBER_WORDS | {"a", "an", "half", "quarter", "noon", "midday", "midnight"}
# After these "a week" is a duration; elsewhere it mostly means each week.
_SPAN_BEFORE = words("within for after than about nearly almost least most takes took lasts lasted")
_AGES = words("decade century millennium fortnight")
_KEPT_CHARACTERS = 4000  # of a text whose quantities are kept
_CONVERTED = Fraction(5, 100)  # what rounding may add to a value on its way into another unit
_DASHES = frozenset("-–—‐‑−~")
_KINDS = {
    "measure": QuantityKind.MEASURE,
    "duration": QuantityKind.DURATION,
    "money": QuantityKind.MONEY,
    "percent": QuantityKind.PERCENT,
}
_AFTER_MONEY = {"m": 10**6, "b": 10**9}
_ORDINAL_ENDINGS = frozenset(("st", "nd", "rd", "th"))
_CHANGES = words("""
    rose fell increased grew dropped changed went declined expanded decreased climbed jumped rise fall increase
    growth decline drop up down raised reduced cut moved extended rising falling growing
""")


def find_quantities(text: str) -> list[Quantity]:
    """Every quantity the text states, in order, none overlapping another."""
    return list(_find_known(text) if len(text) <= _KEPT_CHARACTERS else _find(text))


def _find(text: str) -> tuple[Quantity, ...]:
    return tuple(join_dates(text, _QuantityReader(text).read()))


# The same claims and passages are read for the model, for its reasons and for conflicts between sources.
_find_known = lru_cache(maxsize=512)(_find)


class _QuantityReader:
    """One pass over the lexemes of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lexemes = cut_lexemes(text)
        self.dates = list(find_dates(text))
        self.codes = [match.span() for match in _CODES.finditer(text)]
        self.found: list[Quantity] = []
        self.rate_end = 0  # where "per second" ends, which is no ordinal

    def read(self) -> list[Quantity]:
        index = date = code = 0
        starts = {found.start for found in self.dates}
        for place, lexeme in enumerate(self.lexemes):
            # Most words are none a quantity can begin with.
            if place < index or not (lexeme.kind in "nf" or lexeme.low in _STARTERS or lexeme.start in starts):
                continue
            while code < len(self.codes) and self.codes[code][1] <= lexeme.start:
                code += 1
            if code < len(self.codes) and self.codes[code][0] <= lexeme.start:
                continue
            while date < len(self.dates) and self.dates[date].start < lexeme.start:
                date += 1
            if context.is_reference(self.lexemes, place):
                continue
            if date < len(self.dates) and self.dates[date].start == lexeme.start:
                index = self._take_date(place, self.dates[date])
            elif lexeme.start not in starts:
                index = self._take(place)
        return self.found

    def _take_date(self, index: int, date: Date) -> int:
        end = index
        while end < len(self.lexemes) and self.lexemes[end].start < date.end:
            end += 1
        self._add_date(index, date)
        return end

    def _add_date(self, index: int, date: Date) -> None:
        hedge = context.hedge_of_date(self.lexemes, index)
        span = Span(date.start, date.end)
        self.found.append(
            Quantity(
                QuantityKind.DATE,
                Fraction(date.first),
                Fraction(date.last),
                "",
                span,
                span.of(self.text),
                hedge,
                ranged=date.ranged,
                year=date.year,
                month=date.month,
                day=date.day,
            )
        )

    def _take(self, index: int) -> int:
        """Reads the quantity at this lexeme, if there is one, and says where to go on."""
        lexemes = self.lexemes
        digits = lexemes[index].kind == "n"
        if digits and context.is_anchor(lexemes, index, self.text):
            return index + 1
        clock = read_clock(lexemes, index)
        if clock is not None:
            step = Fraction(DAY // 2 if clock.either_half else 1)
            self._add(index, clock.end, QuantityKind.NUMBER, Fraction(clock.minutes), step, "clock")
            return clock.end
        years = read_years(lexemes, index) if digits else None
        if years is not None:
            date, end = years
            self._add_date(index, date)
            return end
        numeral = self._numeral(index) or self._read_one(index)
        if numeral is None or (numeral.style == "digits" and context.is_code(lexemes, index)):
            return index + 1
        if digits and context.is_part_of_word(lexemes, index, numeral.end):
            return self._take_name(index, numeral)
        if numeral.ordinal and index < self.rate_end:
            return index + 1
        if numeral.ordinal or self._has_ordinal_ending(numeral.end):
            end = numeral.end + (not numeral.ordinal)
            self._add(index, end, QuantityKind.ORDINAL, numeral.value, Fraction(1))
            return end
        return self._take_amount(index, numeral)

    def _numeral(self, index: int) -> Numeral | None:
        lexemes = self.lexemes
        numeral = read_numeral(lexemes, index)
        if numeral is None:
            return None
        comma = lexemes[index].kind == "n" and "," in lexemes[index].text
        if comma and read_numeral(lexemes, index, decimal_comma=False) is None:
            # "1,5 km" is one and a half, but "1,5" alone is a list.
            if numeral.magnitude or read_unit(lexemes, numeral.end):
                return numeral
            return None
        named = lexemes[index].kind == "w" and lexemes[index].text[0].isupper() and index > 0
        if named and lexemes[index - 1].kind == "w" and lexemes[index - 1].text[0].isupper():
            return None  # "Air Force One", "the Big Three"
        share = context.read_share(lexemes, index, numeral) if self._unit_at(numeral)[0] is None else None
        if share is not None and not (lexemes[index].kind == "n" and context.name_before(lexemes, index)):
            return share
        if lexemes[index].low == "one" and numeral.end == index + 1 and not self._counts_one(index):
            return None
        return numeral

    def _read_one(self, index: int) -> Numeral | None:
        """'An hour and a half', 'a decade' and 'within a week' count one; 'a year' mostly means each."""
        found = read_unit(self.lexemes, index + 1) if self.lexemes[index].low in ("a", "an", "one") else None
        if found is None or self.lexemes[index + 1].low == "second":
            return None
        before = self.lexemes[index - 1].low if index else ":"
        ages = self.lexemes[index + 1].low in _AGES or read_extra(self.lexemes, found[1]) is not None
        alone = before == ":" and found[1] == len(self.lexemes)
        spans = found[0].kind == "duration" and (alone or before in _SPAN_BEFORE)
        return Numeral(Fraction(1), Fraction(1), index + 1, "words") if ages or spans else None

    def _counts_one(self, index: int) -> bool:
        """'One daughter' counts; 'one of the largest', 'no one' and 'the one' do not."""
        before = self.lexemes[index - 1].low if index else ""
        after = self.lexemes[index + 1] if index + 1 < len(self.lexemes) else None
        if (
            after is None
            or after.kind != "w"
            or before in ("no", "any", "every", "some", "each", "this", "that", "the")
        ):
            return False
        return len(after.low) > 3 and after.low not in (
            "another",
            "that",
            "would",
            "could",
            "might",
            "must",
            "with",
            "should",
        )

    def _has_ordinal_ending(self, at: int) -> bool:
        return touches(self.lexemes, at) and self.lexemes[at].low in _ORDINAL_ENDINGS

    def _take_name(self, index: int, numeral: Numeral) -> int:
        """'GPT-4' and 'COVID-19': the number belongs to a name; in 'K2' and 'E12' it is not a number at all."""
        hyphened = touches(self.lexemes, index) and self.lexemes[index - 1].kind == "p"
        name = context.name_before(self.lexemes, index, glued=True) if hyphened else ""
        if name:
            self._add(index, index + 1, QuantityKind.NUMBER, numeral.value, numeral.step, name=name)
        return index + 1

    def _take_amount(self, index: int, numeral: Numeral) -> int:
        lexemes = self.lexemes
        start, value, step = index, numeral.value, numeral.step
        currency = currency_before(lexemes, index)
        if currency and self._is_taken(currency[1]):
            currency = None  # the sign of "5₩7" went with the 5
        if currency:
            start = currency[1]
        signed = self._sign_before(start)
        if signed is not None and not self._is_taken(signed):
            start, value = signed, -value
        unit, end = self._unit_at(numeral)
        if currency is not None:
            unit = Unit(currency[0], kind="money") if unit is None or unit.kind != "money" else unit
            factor = _AFTER_MONEY.get(lexemes[numeral.end].text) if numeral.end < len(lexemes) else None
            if factor and lexemes[numeral.end].start - lexemes[numeral.end - 1].end <= 1:
                value, step, end = value * factor, step * factor, numeral.end + 1  # "$5m"
            elif unit.kind == "money" and unit.canonical == currency[0]:
                end = numeral.end
        if numeral.style == "fraction" and lexemes[index].kind == "w":
            if unit is None:
                return index + 1  # "half-hearted", "a third party"
            step = value / 10  # "half an hour"
        if unit is None and start == index and signed is None and numeral.style == "digits" and not numeral.magnitude:
            name = context.name_before(lexemes, index) or self._name_runs_on(index)
            if name and lexemes[index].text.replace(".", "").isdecimal():
                self._add(index, numeral.end, QuantityKind.NUMBER, value, step, name=name)
                return numeral.end
        if unit is None and lexemes[max(0, index - 1)].low in ("aged", "age") and value < 130:
            unit = Unit("s", YEAR, Fraction(0), "duration")
        value, step, end, unit = self._add_parts(value, step, end, unit)
        ranged = self._range_after(start, value, step, end, unit)
        if ranged is not None:
            return ranged
        self._add_measured(start, end, value, value, step, unit)
        return end

    def _name_runs_on(self, index: int) -> str:
        """The name of the 4 in 'Sections 3 and 4'."""
        last = self.found[-1] if self.found else None
        between = self.text[last.span.end : self.lexemes[index].start].strip().lower() if last else ""
        return last.name if last and between in ("and", "or", "to", ",", "&", "-", "–") else ""

    def _is_taken(self, at: int) -> bool:
        """Whether a lexeme belongs to the quantity before."""
        return bool(self.found) and self.lexemes[at].start < self.found[-1].span.end

    def _unit_at(self, numeral: Numeral) -> tuple[Unit | None, int]:
        """The unit after a numeral: '5 km', '5km', '5-km', 'half an hour', 'a quarter of a mile'."""
        lexemes, at = self.lexemes, numeral.end
        if numeral.style == "share":
            return context.SHARE, at
        hyphen = (
            at + 1 < len(lexemes) and lexemes[at].text in "-‐‑" and touches(lexemes, at) and touches(lexemes, at + 1)
        )
        if numeral.style == "fraction" and lexemes[at - 1].kind == "w":
            part = after_article(lexemes, at)
            if part == at and lexemes[at - 1].low in ORDINALS:
                return None, at  # "a third year"
            hyphen, at = hyphen and part == at, part
        found = read_unit(lexemes, at + 1 if hyphen else at)
        return found if found is not None else (None, numeral.end)

    def _sign_before(self, start: int) -> int | None:
        """The place of a minus sign that belongs to the number, not to a word or a range before it."""
        if start == 0:
            return None
        sign = self.lexemes[start - 1]
        if sign.low == "minus":
            return start - 1
        if sign.text not in ("-", "−") or sign.end != self.lexemes[start].start:
            return None
        alone = start == 1 or not touches(self.lexemes, start - 1) or self.lexemes[start - 2].text in "([="
        return start - 1 if alone else None

    def _add_parts(
        self, value: Fraction, step: Fraction, end: int, unit: Unit | None
    ) -> tuple[Fraction, Fraction, int, Unit | None]:
        """'3 hours 20 minutes', '2h30', '5 ft 10 in', 'an hour and a half': smaller parts of the same unit."""
        lexemes = self.lexemes
        extra = read_extra(lexemes, end) if unit is not None and step == 1 else None
        if extra is not None:
            return value + extra[0], Fraction(1, 10), extra[1], unit
        if unit is None or unit.canonical not in ("s", "m", "kg") or unit.shift:
            return value, step, end, unit
        for _ in range(3):
            at = end
            if at < len(lexemes) and lexemes[at].low in ("and", ",") and lexemes[at].kind in "wp":
                at += 1
            part = (
                read_numeral(lexemes, at)
                if at < len(lexemes) and lexemes[at].start - lexemes[at - 1].end <= 1
                else None
            )
            if part is None or part.ordinal or part.step > 1:
                break
            found = read_unit(lexemes, part.end)
            if found is None and unit.canonical == "m" and part.end < len(lexemes) and lexemes[part.end].low == "in":
                found = Unit("m", Fraction("0.0254")), part.end + 1
            if found is None and unit.factor == 3600 and at == end and touches(lexemes, at) and part.value < 60:
                found = Unit("s", Fraction(60), Fraction(0), "duration"), part.end
            if found is None or found[0].canonical != unit.canonical or found[0].factor >= unit.factor:
                break
            smaller = found[0].factor / unit.factor
            if part.value * smaller >= 1 or step != 1:
                break
            value, step = (value + part.value * smaller) * unit.factor / found[0].factor, part.step
            unit, end = found[0], found[1]
        return value, step, end, unit

    def _range_after(self, start: int, value: Fraction, step: Fraction, end: int, unit: Unit | None) -> int | None:
        """'10–20', 'between 10 and 20', 'from 10 to 20 km': adds one quantity and returns where it ends."""
        lexemes = self.lexemes
        if end + 1 >= len(lexemes):
            return None
        joint = lexemes[end]
        before = lexemes[start - 1].low if start else ""
        if joint.low == "and":
            if before != "between":
                return None
        elif joint.low == "to":
            if before == "from" and any(w.low in _CHANGES for w in lexemes[max(0, start - 6) : start]):
                return None
        elif joint.text not in _DASHES or not (touches(lexemes, end) or not touches(lexemes, end + 1)):
            return None
        at = end + 1
        if lexemes[at].text in ("$", "€", "£", "¥", "₹") and at + 1 < len(lexemes):
            at += 1
        if lexemes[at].kind not in "nf" and lexemes[at].low not in _STARTERS:
            return None
        upper = self._numeral(at)
        if upper is None or upper.ordinal or self._has_ordinal_ending(upper.end):
            return None
        other, last = self._unit_at(upper)
        if other is None and unit is not None and unit.kind == "money":
            other = unit
        low = value
        if unit is None and other is not None:
            unit = other
            if upper.magnitude and upper.value >= 1000 > value:
                low, step = self._scaled_like(value, step, upper)
        elif (unit is not None and other is not None and unit.kind == "money" and upper.magnitude and value < 1000) or (
            unit is None and upper.magnitude and upper.value >= 1000 > value
        ):
            low, step = self._scaled_like(value, step, upper)
        if unit != other or not low < upper.value:
            return None
        if context.is_part_of_word(lexemes, at, upper.end) and joint.text not in _DASHES:
            return None
        self._add_measured(start, last, low, upper.value, max(step, upper.step), unit)
        return last

    @staticmethod
    def _scaled_like(value: Fraction, step: Fraction, upper: Numeral) -> tuple[Fraction, Fraction]:
        """In '10–20 million' the 10 counts millions too."""
        size = max(power for power in (1000, 10**6, 10**9, 10**12) if upper.value >= power)
        return value * size, step * size

    def _add_measured(
        self, start: int, end: int, low: Fraction, high: Fraction, step: Fraction, unit: Unit | None
    ) -> None:
        known = unit or Unit("")
        period, self.rate_end = read_period(self.lexemes, end, counted=unit is None) or (None, 0)
        self._add(
            start,
            end,
            _KINDS[known.kind] if unit else QuantityKind.NUMBER,
            (low + known.shift) * known.factor,
            step * known.factor,
            known.canonical,
            high=(high + known.shift) * known.factor,
            scale=known.factor,
            period=period,
        )

    def _add(
        self,
        start: int,
        end: int,
        kind: QuantityKind,
        low: Fraction,
        step: Fraction,
        unit: str = "",
        *,
        high: Fraction | None = None,
        scale: Fraction = Fraction(1),
        name: str = "",
        period: Fraction | None = None,
    ) -> None:
        hedge = Hedge.NONE if name or kind is QuantityKind.ORDINAL else context.hedge_before(self.lexemes, start)
        if unit == "clock":
            hedge = context.hedge_of_date(self.lexemes, start)
        if hedge is Hedge.NONE and not name:
            hedge = context.hedge_after(self.lexemes, end)
        span = Span(self.lexemes[start].start, self.lexemes[end - 1].end)
        top = low if high is None else high
        quantity = Quantity(
            kind, low, top, unit, span, span.of(self.text), hedge, step, scale, low != top, name=name, period=period
        )
        if hedge is Hedge.NONE and self._says_again(quantity):
            quantity = replace(quantity, hedge=self.found[-1].hedge)
        self.found.append(quantity)

    def _says_again(self, quantity: Quantity) -> bool:
        """Whether brackets give the last quantity in another unit: "up to 70 mph (113 km/h)" is one bound for both."""
        if not self.found:
            return False
        last = self.found[-1]
        between = self.text[last.span.end : quantity.span.start].strip()
        alike = abs(quantity.low - last.low) <= _CONVERTED * abs(last.low)
        return between in ("(", "[") and bool(quantity.unit) and last.unit == quantity.unit and alike
