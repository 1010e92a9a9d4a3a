"""Numbers that follow from the ones a source states: sums, differences, shares, averages and ratios."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations, permutations

from assay.text.quantities import Quantity, QuantityKind

# Past this many numbers some pair yields almost anything.
MAX_NUMBERS = 40
# How many random hits are put up with: "67" has two digits, so among 100 random results one would be 67 by chance.
CHANCE = 0.25

_CUES = {
    "sum": r"total|totals|totalled|totaled|sum|combined|together|altogether|overall|in all|both|plus|cumulative\w*",
    "difference": r"difference|more than|less than|fewer than|more|fewer|less|higher|lower|increase\w*|decrease\w*|"
    r"rose|fell|grew|growth|drop\w*|declin\w*|gain\w*|loss|lost|gap|margin|remaining|left|older|younger|longer|shorter|"
    r"taller|later|after|before|lasted|between|reduc\w*|change\w*|profit|net|aged?",
    "average": r"average\w*|mean|per|each",
    "ratio": r"ratio|times|twice|double\w*|triple\w*|fold|per|each",
}
_CUE_PATTERNS = {name: re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for name, words in _CUES.items()}


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a claimed number follows from stated ones."""

    operation: str
    inputs: tuple[Quantity, ...]
    explanation: str


def find_derivation(
    claimed: Quantity, stated: Sequence[Quantity], *, claim: str = "", table: bool = False
) -> Derivation | None:
    """The calculation that yields the claimed number, where the claim's words ask for one or the numbers are a table's.

    Small numbers come out of many pairs by accident, so a search that would hit by chance is not made.
    """
    if claimed.kind is QuantityKind.DATE or not _is_amount(claimed):
        return None
    operations = {name for name, pattern in _CUE_PATTERNS.items() if pattern.search(claim)}
    if table:
        operations |= {"sum"}
    if claimed.unit == "%":
        operations |= {"share"}
    usable = [q for q in stated if _is_amount(q)]
    if not operations or not 1 < len(usable) <= MAX_NUMBERS:
        return None
    budget = CHANCE * 10 ** _digits(claimed)
    for name in ("sum", "difference", "average", "share", "ratio"):
        if name in operations:
            found = _search(name, claimed, usable, budget)
            if found is not None:
                return found
    return None


def _is_amount(quantity: Quantity) -> bool:
    fixed = quantity.name or quantity.ranged or quantity.unit == "clock"
    return not fixed and quantity.kind is not QuantityKind.ORDINAL


def _digits(quantity: Quantity) -> int:
    """How many digits the number is given to: 3 for 300 and for 12.5, 1 for a share in words."""
    if quantity.unit == "%" and quantity.scale == 100:
        return 1
    return len(str(abs(int(quantity.low / (quantity.step or quantity.scale))))) or 1


def _search(operation: str, claimed: Quantity, stated: list[Quantity], budget: float) -> Derivation | None:
    """The first result that is the claimed number; parts of the list are tried only while a chance hit is unlikely."""
    tried = list(_candidates(operation, claimed, stated))
    searched = sum(not whole for _, whole, _, _ in tried)
    for value, whole, inputs, sign in tried:
        if not whole and searched > budget:
            continue
        if abs(value - claimed.low) <= claimed.step / 2 and claimed.low not in (q.low for q in inputs):
            return Derivation(operation, inputs, _explain(claimed, inputs, sign, exact=value == claimed.low))
    return None


def _candidates(
    operation: str, claimed: Quantity, stated: list[Quantity]
) -> Iterator[tuple[Fraction, bool, tuple[Quantity, ...], str]]:
    """Results to try: value, whether it takes the whole list (no search, so no chance hit), its inputs, its sign."""
    alike = [q for q in stated if q.kind is claimed.kind and q.unit == claimed.unit]
    if operation == "sum":
        yield from _runs(alike, "+")
        yield from ((a.low + b.low, len(alike) == 2, (a, b), "+") for a, b in combinations(alike, 2))
    elif operation == "average":
        yield from _runs(alike, "avg")
        if claimed.kind is QuantityKind.NUMBER:
            yield from ((a.low / b.low, False, (a, b), "/") for a, b in permutations(alike, 2) if b.low)
    elif operation == "difference":
        yield from ((a.low - b.low, len(alike) == 2, (a, b), "-") for a, b in permutations(alike, 2) if a.low > b.low)
        yield from _years_between(claimed, stated)
    elif operation == "share":
        for a, b in permutations(stated, 2):
            if _same(a, b) and b.low > 0 and a.kind is not QuantityKind.DATE and a.low >= 0:
                yield a.low / b.low * 100, len(stated) == 2, (a, b), "/"
                yield abs(a.low - b.low) / b.low * 100, False, (a, b), "change"
    elif operation == "ratio" and claimed.kind is QuantityKind.NUMBER:
        for a, b in permutations(stated, 2):
            if _same(a, b) and b.low and a.kind is not QuantityKind.DATE:
                yield a.low / b.low, len(stated) == 2, (a, b), "/"


def _same(a: Quantity, b: Quantity) -> bool:
    return a.kind is b.kind and a.unit == b.unit


def _runs(alike: list[Quantity], sign: str) -> Iterator[tuple[Fraction, bool, tuple[Quantity, ...], str]]:
    """Neighbouring numbers taken together; the whole column first, since that is what totals are made of."""
    sums = [Fraction(0), *accumulate(q.low for q in alike)]
    count = len(alike)
    for size in range(count, 1, -1):
        for start in range(count - size + 1):
            total = sums[start + size] - sums[start]
            value = total / size if sign == "avg" else total
            yield value, size == count, tuple(alike[start : start + size]), sign


def _years_between(
    claimed: Quantity, stated: list[Quantity]
) -> Iterator[tuple[Fraction, bool, tuple[Quantity, ...], str]]:
    """'He ruled for 13 years' from 1940 and 1953; 'aged 47' from two full dates."""
    if claimed.kind is not QuantityKind.DURATION:
        return
    dates = [q for q in stated if q.kind is QuantityKind.DATE and q.year is not None]
    for a, b in permutations(dates, 2):
        if a.low <= b.low:
            continue
        if a.day and b.day:
            days = a.low - b.low
            yield days * 86400, len(dates) == 2, (a, b), "-"
            yield (days * 86400 // claimed.scale) * claimed.scale, len(dates) == 2, (a, b), "-"
        elif a.year is not None and b.year is not None:
            yield (a.year - b.year) * Fraction(31556952), len(dates) == 2, (a, b), "-"


def _explain(claimed: Quantity, inputs: tuple[Quantity, ...], sign: str, *, exact: bool) -> str:
    equals = "=" if exact else "≈"
    words = [q.text for q in inputs]
    if sign == "avg":
        return f"{claimed.text} {equals} ({' + '.join(words)}) / {len(words)}"
    if sign == "change":
        return f"{claimed.text} {equals} the change from {words[1]} to {words[0]}"
    shown = {"+": " + ", "-": " − ", "/": " / "}[sign]
    return f"{claimed.text} {equals} {shown.join(words)}"
