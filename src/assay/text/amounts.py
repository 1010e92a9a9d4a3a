"""A quantity as a comparable value, and what comparing a claimed one with a stated one shows."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from assay.types import Span


class QuantityKind(StrEnum):
    """What a quantity measures."""

    NUMBER = "number"
    PERCENT = "percent"
    MONEY = "money"
    DATE = "date"
    DURATION = "duration"
    ORDINAL = "ordinal"
    MEASURE = "measure"


class Hedge(StrEnum):
    """How the words around a quantity loosen it."""

    NONE = "exactly"
    ABOUT = "about"
    NEARLY = "nearly"
    OVER = "more than"
    UNDER = "less than"
    AT_LEAST = "at least"
    AT_MOST = "at most"


class Match(StrEnum):
    """What a stated quantity says about a claimed one; INCOMPARABLE settles nothing."""

    EQUAL = "equal"
    ROUNDED = "rounded"
    DIFFERENT = "different"
    INCOMPARABLE = "incomparable"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value in its canonical unit with its place in the text.

    `low` and `high` differ for a range, and for a date, where they are its first and last day. `step` is the size of
    the last written digit in the canonical unit (100 for "8.8 km"; 0 for an exact fraction), `scale` the written
    unit's size: a share in words ("a third", "one in twenty") is a percentage with a scale of 100. A `period` is the
    seconds that a rate is given for ("$19 per month"). A `name` marks a number that belongs to a name: 11 in
    "Apollo 11", 4 in "Section 4".
    """

    kind: QuantityKind
    low: Fraction
    high: Fraction
    unit: str
    span: Span
    text: str
    hedge: Hedge = Hedge.NONE
    step: Fraction = Fraction(0)
    scale: Fraction = Fraction(1)
    ranged: bool = False
    year: int | None = None
    month: int | None = None
    day: int | None = None
    name: str = ""
    period: Fraction | None = None

    @property
    def hedged(self) -> bool:
        """Whether the number is given as approximate."""
        return self.hedge in (Hedge.ABOUT, Hedge.NEARLY)

    @property
    def bounded(self) -> bool:
        """Whether the number is a limit, as in 'more than 300'."""
        return self.hedge not in (Hedge.NONE, Hedge.ABOUT, Hedge.NEARLY)

    @property
    def round_step(self) -> Fraction:
        """The coarsest precision a round number may have been given with: 100 for 8,800; 1 for 8,849."""
        written = self.low / self.scale
        if self.step != self.scale or written.denominator != 1 or written == 0:
            return self.step
        size = 1
        while written.numerator % (size * 10) == 0:
            size *= 10
        return self.step * size


_HOURS = re.compile(r"[0-9]{1,2} ?h(?: ?[0-5][0-9])?")
# A round number is read as rounded from here up: "8,800 m" may stand for 8,849, but "120 people" are not 121.
ROUND_FROM = 100


def compare(claimed: Quantity, stated: Quantity, tolerance: float = 0.05) -> Match:
    """Whether the stated quantity bears the claimed one out.

    EQUAL: the same value, or a limit that the stated value meets. ROUNDED: the stated value rounded to the claimed
    number's own precision, or within `tolerance` of a hedged claim. INCOMPARABLE: other kinds of thing, or a source
    that is too coarse to tell ("about 300" neither proves nor disproves 298).
    """
    if claimed.kind is QuantityKind.DATE or stated.kind is QuantityKind.DATE:
        return _compare_dates(claimed, stated)
    if claimed.name or stated.name:
        return _compare_names(claimed, stated)
    ours, theirs = _alike(claimed, stated)
    if ours.kind is not theirs.kind or ours.unit != theirs.unit:
        return Match.INCOMPARABLE
    result = _compare_values(ours, theirs, Fraction(tolerance))
    # Read as another kind of thing, or for another period ("$19 per month", "$200 a year"), a value refutes nothing.
    converted = ours is not claimed or theirs is not stated
    return Match.INCOMPARABLE if converted and result is Match.DIFFERENT else result


def _compare_values(claimed: Quantity, stated: Quantity, tolerance: Fraction) -> Match:
    if claimed.unit == "clock":
        return _compare_clocks(claimed, stated)
    if claimed.bounded or stated.bounded or claimed.ranged or stated.ranged:
        stated = _snapped(stated, claimed)
        bounds = claimed.bounded or stated.bounded
        return _compare_bounds(claimed, stated) if bounds else _compare_ranges(claimed, stated)
    return _compare_points(claimed, stated, tolerance)


def _alike(one: Quantity, other: Quantity) -> tuple[Quantity, Quantity]:
    """Both as one kind of thing where that can be: 0.33 as 33 %, '15h' as 15:00, rates of two periods by the second."""
    if {one.kind, other.kind} == {QuantityKind.NUMBER, QuantityKind.PERCENT}:
        return _as_percent(one), _as_percent(other)
    if one.unit != other.unit and "clock" in (one.unit, other.unit):
        return _as_clock(one), _as_clock(other)
    if one.period and other.period and one.period != other.period:
        return _scaled(one, 1 / one.period), _scaled(other, 1 / other.period)
    return one, other


def _scaled(quantity: Quantity, factor: Fraction) -> Quantity:
    low, high, step, scale = (part * factor for part in (quantity.low, quantity.high, quantity.step, quantity.scale))
    return replace(quantity, low=low, high=high, step=step, scale=scale)


def _as_percent(quantity: Quantity) -> Quantity:
    """0.33 is 33 %."""
    decimal = quantity.kind is QuantityKind.NUMBER and not quantity.unit and quantity.step < 1
    if not decimal or not 0 < quantity.low <= quantity.high <= 1:
        return quantity
    return replace(_scaled(quantity, Fraction(100)), kind=QuantityKind.PERCENT, unit="%")


def _as_clock(quantity: Quantity) -> Quantity:
    """'15h' and '15h30' may be times of day."""
    if not _HOURS.fullmatch(quantity.text):
        return quantity
    return replace(_scaled(quantity, Fraction(1, 60)), kind=QuantityKind.NUMBER, unit="clock", step=Fraction(1))


def _snapped(stated: Quantity, claimed: Quantity) -> Quantity:
    """The stated quantity with the claimed ends where only rounding in another unit parts them: 33 % and a third."""
    slack = min(claimed.step, stated.step) / 2 if claimed.scale != stated.scale else 0
    low = claimed.low if abs(claimed.low - stated.low) <= slack else stated.low
    high = claimed.high if abs(claimed.high - stated.high) <= slack else stated.high
    return replace(stated, low=low, high=high) if low <= high else stated


def _compare_names(claimed: Quantity, stated: Quantity) -> Match:
    same_value = (claimed.low, claimed.high, claimed.unit) == (stated.low, stated.high, stated.unit)
    if "." in claimed.text + stated.text:
        same_value = claimed.text == stated.text  # version 2.10 is not version 2.1
    if claimed.kind is not stated.kind or (claimed.name and stated.name and claimed.name != stated.name):
        return Match.INCOMPARABLE
    if same_value:
        return Match.EQUAL
    return Match.DIFFERENT if claimed.name == stated.name else Match.INCOMPARABLE


def _compare_clocks(claimed: Quantity, stated: Quantity) -> Match:
    """Minutes after midnight; a claimed time without am or pm may be either, a stated one leaves it open."""
    gap = abs(claimed.low - stated.low)
    opposed = {claimed.hedge, stated.hedge} == {Hedge.UNDER, Hedge.OVER}
    if gap in (0, claimed.step) and not opposed:
        return Match.EQUAL
    return Match.INCOMPARABLE if gap == stated.step or claimed.bounded or stated.bounded else Match.DIFFERENT


def _limits(quantity: Quantity) -> tuple[Fraction | None, Fraction | None]:
    """The lowest and highest value the words allow; None where there is no limit."""
    if quantity.hedge in (Hedge.OVER, Hedge.AT_LEAST):
        return quantity.low, None
    if quantity.hedge in (Hedge.UNDER, Hedge.AT_MOST):
        return None, quantity.high
    return quantity.low, quantity.high


def _compare_bounds(claimed: Quantity, stated: Quantity) -> Match:
    if claimed.hedge is stated.hedge and claimed.low == stated.low and claimed.high == stated.high:
        return Match.EQUAL
    low, high = _limits(claimed)
    stated_low, stated_high = _limits(stated)
    strict = claimed.hedge in (Hedge.OVER, Hedge.UNDER) and stated.hedge not in (Hedge.OVER, Hedge.UNDER)
    above = low is None or (stated_low is not None and (stated_low > low or (stated_low == low and not strict)))
    below = high is None or (stated_high is not None and (stated_high < high or (stated_high == high and not strict)))
    if claimed.bounded and above and below:
        # "Up to 14 days" does not bear out "up to 30 days".
        limits = claimed.hedge is stated.hedge and claimed.hedge in (Hedge.AT_LEAST, Hedge.AT_MOST)
        return Match.INCOMPARABLE if limits else Match.EQUAL
    if not claimed.bounded and claimed.low == claimed.high == stated.low == stated.high:
        return Match.ROUNDED
    # "More than 300" is not refuted by "about 305" nor by 300 itself, which may be rounded, but "up to 300" refutes it.
    touch = claimed.bounded and stated.bounded and bool({claimed.hedge, stated.hedge} & {Hedge.OVER, Hedge.UNDER})
    apart = _is_beyond(low, stated_high, touch) or _is_beyond(stated_low, high, touch)
    return Match.DIFFERENT if apart and not stated.hedged else Match.INCOMPARABLE


def _is_beyond(low: Fraction | None, high: Fraction | None, touch: bool) -> bool:
    """Whether what begins at `low` has nothing in common with what ends at `high`."""
    return low is not None and high is not None and (low > high or (touch and low == high))


def _compare_ranges(claimed: Quantity, stated: Quantity) -> Match:
    if claimed.low == stated.low and claimed.high == stated.high:
        return Match.EQUAL
    if claimed.low <= stated.low and stated.high <= claimed.high:
        return Match.ROUNDED
    apart = claimed.high < stated.low or stated.high < claimed.low
    disjoint_or_shifted = apart or (claimed.ranged and stated.ranged)
    return Match.DIFFERENT if disjoint_or_shifted and not stated.hedged else Match.INCOMPARABLE


def _compare_points(claimed: Quantity, stated: Quantity, tolerance: Fraction) -> Match:
    gap = abs(claimed.low - stated.low)
    near = gap <= tolerance * abs(stated.low)
    if gap == 0:
        return Match.ROUNDED if stated.hedged and not claimed.hedged else Match.EQUAL
    if claimed.kind is QuantityKind.ORDINAL:
        return Match.DIFFERENT
    if gap <= claimed.step / 2 or (claimed.hedged and near) or _is_truncated(claimed, stated):
        return Match.ROUNDED
    if near and gap <= claimed.round_step / 2 and (_is_round(claimed) or claimed.scale != stated.scale):
        return Match.ROUNDED
    return Match.INCOMPARABLE if _is_coarser(stated, claimed, gap, tolerance) else Match.DIFFERENT


def _is_round(quantity: Quantity) -> bool:
    """Whether the zeros at the end look like rounding: '8,800' does, '120' and '300' do not."""
    rounding = quantity.round_step
    return rounding >= ROUND_FROM * quantity.step and abs(quantity.low) >= 10 * rounding


def _is_coarser(stated: Quantity, claimed: Quantity, gap: Fraction, tolerance: Fraction) -> bool:
    """Whether the stated number could be a rounding of the claimed one; 'a third' neither proves nor refutes 34 %."""
    if stated.hedged and gap <= tolerance * abs(stated.low):
        return True
    if _is_share(claimed) or _is_share(stated):
        return gap <= 2 * tolerance * abs(stated.low)
    rounding = stated.round_step if _is_round(stated) else stated.step
    return claimed.round_step < rounding and gap <= rounding / 2


def _is_truncated(one: Quantity, other: Quantity) -> bool:
    """Whether a percentage is a share cut short: 66 % for two thirds."""
    share, percentage = (one, other) if _is_share(one) else (other, one)
    return _is_share(share) and 0 <= share.low - percentage.low < percentage.step


def _is_share(quantity: Quantity) -> bool:
    return quantity.kind is QuantityKind.PERCENT and quantity.scale == 100


def _as_year(quantity: Quantity) -> int | None:
    """A bare number that may be read as a year."""
    whole = quantity.low.denominator == 1 and quantity.low == quantity.high and quantity.unit == ""
    if quantity.kind is not QuantityKind.NUMBER or not whole or not quantity.text.isdecimal():
        return None
    return int(quantity.low) if len(quantity.text) == 4 and 1000 <= quantity.low <= 2199 else None


def _compare_dates(claimed: Quantity, stated: Quantity) -> Match:
    if claimed.kind is not stated.kind:
        bare, date = (claimed, stated) if stated.kind is QuantityKind.DATE else (stated, claimed)
        year = _as_year(bare)
        known = date.year is not None and date.month is None
        if year is None or (bare is stated and not known):
            return Match.INCOMPARABLE
        return Match.EQUAL if year == date.year else Match.INCOMPARABLE
    if _yearless(claimed) or _yearless(stated):
        return _compare_parts(claimed, stated)
    if claimed.hedge in (Hedge.UNDER, Hedge.AT_MOST, Hedge.OVER, Hedge.AT_LEAST):
        before = claimed.hedge in (Hedge.UNDER, Hedge.AT_MOST)
        met = stated.high < claimed.low if before else stated.low > claimed.high
        failed = stated.low > claimed.high if before else stated.high < claimed.low
        if met or (claimed.hedge is stated.hedge and (claimed.low, claimed.high) == (stated.low, stated.high)):
            return Match.EQUAL
        return Match.DIFFERENT if failed and not stated.bounded else Match.INCOMPARABLE
    if claimed.low <= stated.low and stated.high <= claimed.high:
        return Match.EQUAL
    if stated.ranged and not claimed.ranged and _holds_an_end(claimed, stated):
        return Match.EQUAL
    if (claimed.high < stated.low or stated.high < claimed.low) and not (stated.bounded or stated.hedged):
        if claimed.hedged and claimed.year and stated.year and abs(claimed.year - stated.year) <= 1:
            return Match.ROUNDED
        return Match.INCOMPARABLE if claimed.hedged else Match.DIFFERENT
    return Match.INCOMPARABLE


def _holds_an_end(claimed: Quantity, stated: Quantity) -> bool:
    return claimed.low <= stated.low <= claimed.high or claimed.low <= stated.high <= claimed.high


def _yearless(quantity: Quantity) -> bool:
    return quantity.year is None and quantity.month is not None


def _compare_parts(claimed: Quantity, stated: Quantity) -> Match:
    """'29 May' against '29 May 1953': only the parts that both give; a part the source lacks is not settled."""
    pairs = ((claimed.year, stated.year), (claimed.month, stated.month), (claimed.day, stated.day))
    if any(ours is not None and theirs is not None and ours != theirs for ours, theirs in pairs):
        return Match.DIFFERENT
    if all(theirs is not None for ours, theirs in pairs if ours is not None):
        return Match.EQUAL
    return Match.INCOMPARABLE
