"""A quantity as a comparable value, and what comparing a claimed one with a stated one shows."""

from __future__ import annotations

from dataclasses import dataclass
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
    unit's size. A `name` marks a number that belongs to a name: 11 in "Apollo 11", 4 in "Section 4".
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
    if {claimed.kind, stated.kind} == {QuantityKind.NUMBER, QuantityKind.PERCENT}:
        claimed, stated = _as_percent(claimed), _as_percent(stated)
    if claimed.kind is not stated.kind or claimed.unit != stated.unit:
        return Match.INCOMPARABLE
    if claimed.unit == "clock":
        return _compare_clocks(claimed, stated)
    if claimed.bounded or stated.bounded:
        return _compare_bounds(claimed, stated)
    if claimed.ranged or stated.ranged:
        return _compare_ranges(claimed, stated)
    return _compare_points(claimed, stated, Fraction(tolerance))


def _compare_names(claimed: Quantity, stated: Quantity) -> Match:
    same_value = (claimed.low, claimed.high, claimed.unit) == (stated.low, stated.high, stated.unit)
    if claimed.kind is not stated.kind or (claimed.name and stated.name and claimed.name != stated.name):
        return Match.INCOMPARABLE
    if same_value:
        return Match.EQUAL
    return Match.DIFFERENT if claimed.name == stated.name else Match.INCOMPARABLE


def _as_percent(quantity: Quantity) -> Quantity:
    """'Half' and 'two thirds' are shares: 50 % and 66.67 %."""
    if quantity.kind is not QuantityKind.NUMBER or quantity.step != 0 or not 0 < quantity.low <= 1:
        return quantity
    return Quantity(
        QuantityKind.PERCENT,
        quantity.low * 100,
        quantity.high * 100,
        "%",
        quantity.span,
        quantity.text,
        quantity.hedge,
        Fraction(1),
        Fraction(100),
    )


def _compare_clocks(claimed: Quantity, stated: Quantity) -> Match:
    """Minutes after midnight; a time without am or pm may be either."""
    gap = abs(claimed.low - stated.low)
    sure = "m" in claimed.text.lower() and "m" in stated.text.lower()
    return Match.EQUAL if gap == 0 or (gap == 720 and not sure) else Match.DIFFERENT


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
        return Match.EQUAL
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
    if gap <= claimed.step / 2 or (claimed.hedged and near):
        return Match.ROUNDED
    if near and gap <= claimed.round_step / 2 and (_is_round(claimed) or claimed.scale != stated.scale):
        return Match.ROUNDED
    return Match.INCOMPARABLE if _is_coarser(stated, claimed, gap, near) else Match.DIFFERENT


def _is_round(quantity: Quantity) -> bool:
    """Whether the zeros at the end look like rounding: '8,800' does, '120' and '300' do not."""
    rounding = quantity.round_step
    return rounding >= ROUND_FROM * quantity.step and abs(quantity.low) >= 10 * rounding


def _is_coarser(stated: Quantity, claimed: Quantity, gap: Fraction, near: bool) -> bool:
    """Whether the stated number could be a rounding of the claimed one."""
    if stated.hedged and near:
        return True
    rounding = stated.round_step if _is_round(stated) else stated.step
    return claimed.round_step < rounding and gap <= rounding / 2


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
