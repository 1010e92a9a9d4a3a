"""Finds the sentence of a source that gives another value for the very thing a claim puts a number on.

This refutes a claim with no model behind it, so whatever may be about something else, or said of another occasion, or
planned, denied or merely rounded, counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.lexical.number_context import (
    NumericClaim,
    NumericSentence,
    counted,
    follows_subject,
    is_count,
    is_modified,
    is_unsure,
    mixes_year_and_count,
    word_before,
)
from assay.text.quantities import Match, Quantity, QuantityKind, compare
from assay.text.words import words
from assay.types import Span

# Share of a claim's content words that the sentence with the other value must hold.
SAME_THING_OVERLAP = 0.9
_CHANGES = words("more less fewer higher lower longer shorter extra additional cheaper off")
_HEDGES = words("""
    about around approximately roughly nearly almost just only over some more less than at least most
""")
_OPEN_ENDED = words("a an since by until till")


def find_difference(
    assertion: NumericClaim, claimed: Quantity, source: str, statements: tuple[NumericSentence, ...], tolerance: float
) -> tuple[Quantity, Span] | None:
    """The sentence that gives another value for the same thing, if exactly one value qualifies."""
    if assertion.unsure or claimed.name or not assertion.names or _is_loose(assertion.text, claimed):
        return None
    for statement in statements:
        if not assertion.about(statement) or assertion.overlap(statement) < SAME_THING_OVERLAP:
            continue
        if is_unsure(statement.tokens) or not _same_occasion(assertion, claimed, statement):
            continue
        if is_modified(assertion.names, assertion.content, source, statement.tokens):
            continue
        rivals = list(_rivals(assertion, claimed, source, statement, tolerance))
        if len(rivals) == 1 and rivals[0] is not None:
            return rivals[0], statement.span
    return None


def _is_loose(text: str, quantity: Quantity) -> bool:
    """Whether another value can hold beside this one: 'a 2009 film', '506,615 in 2011', 'the past 30 years'."""
    before = text[max(0, quantity.span.start - 16) : quantity.span.start].lower().split()
    if not before:
        return False
    if quantity.kind is QuantityKind.DATE:
        dated_count = before[-1] == "in" and before[-2:-1] and before[-2][-1:].isdigit()
        return before[-1] in _OPEN_ENDED or before[-2:] == ["as", "of"] or bool(dated_count)
    return quantity.kind is QuantityKind.DURATION and before[-1] in ("past", "last", "next", "previous", "first")


def _same_occasion(assertion: NumericClaim, claimed: Quantity, statement: NumericSentence) -> bool:
    """Whether everything else the claim counts or dates is borne out by the statement too.

    'Won 3 medals in 2012' is not refuted by 'won 5 medals in 2016'.
    """
    for other in assertion.quantities:
        if other is claimed or _is_restated(other, claimed):
            continue
        if not any(compare(other, stated) in (Match.EQUAL, Match.ROUNDED) for stated in statement.quantities):
            return False
    return True


def _is_restated(one: Quantity, two: Quantity) -> bool:
    """Whether two quantities are one and the same in two units: "70 miles per hour (113 km/h)"."""
    same_unit = one.kind is two.kind and bool(one.unit) and one.unit == two.unit and one.scale != two.scale
    return same_unit and abs(one.low - two.low) * 20 <= abs(two.low)


def _rivals(
    assertion: NumericClaim, claimed: Quantity, source: str, statement: NumericSentence, tolerance: float
) -> Iterator[Quantity | None]:
    """The quantities of the statement that stand where the claimed one should; None for one that does not differ."""
    ours = counted(assertion.text, assertion.tokens, claimed)
    taken = [q for q in assertion.quantities if q is not claimed]
    alike: list[tuple[Quantity, Match]] = []
    for stated in statement.quantities:
        result = compare(claimed, stated, tolerance)
        noun = counted(source, statement.tokens, stated) if is_count(claimed) else ours
        same_kind = stated.kind is claimed.kind and stated.unit == claimed.unit and not stated.name
        if mixes_year_and_count(assertion.tokens, claimed, statement.tokens, stated):
            continue
        if noun in ("", ours, f"of {ours}") and (
            result in (Match.EQUAL, Match.ROUNDED) or (same_kind and result is Match.INCOMPARABLE)
        ):
            return
        if not same_kind or noun != ours or any(compare(other, stated) is Match.EQUAL for other in taken):
            continue
        if _same_role(assertion, claimed, source, statement, stated):
            alike.append((stated, result))
    own = [stated for stated, _ in alike if stated.scale == claimed.scale]
    alike = [rival for rival in alike if not any(_is_restated(rival[0], stated) for stated in own)]
    # A date, a bare number and one of several must stand behind the same word: "died", not "born".
    if claimed.kind is QuantityKind.DATE or len(alike) > 1 or (is_count(claimed) and not ours):
        alike = [rival for rival in alike if word_before(assertion, claimed) == word_before(statement, rival[0]) != ""]
    for stated, result in alike:
        clear = result is Match.DIFFERENT and not _is_loose(source, stated) and not _is_near_miss(claimed, stated)
        yield stated if clear else None


def _same_role(
    assertion: NumericClaim, claimed: Quantity, source: str, statement: NumericSentence, stated: Quantity
) -> bool:
    """Whether the subject comes before both quantities, and both are levels or both are changes.

    "Hotels had 7 million guests, and flats the rest" gives no number for the flats, "£55 more" no price.
    """
    ours, theirs = _role(assertion.text, claimed), _role(source, stated)
    clash = ours != theirs and ("by" in (ours, theirs) or bool(ours and theirs))
    return follows_subject(assertion, claimed, statement, stated) and (is_count(claimed) or not clash)


def _role(text: str, quantity: Quantity) -> str:
    """What a number does in 'fell by about 5 %', 'fell to 5 %' and '5 % more'; '5 % by volume' is no change."""
    before = text[max(0, quantity.span.start - 32) : quantity.span.start].lower().replace("up to", "about").split()
    while before and before[-1] in _HEDGES:
        before.pop()
    after = text[quantity.span.end : quantity.span.end + 12].lower().split()[:1]
    if after and after[0].strip(".,;") in _CHANGES:
        return "by"
    return before[-1] if before and before[-1] in ("by", "from", "to") else ""


def _is_near_miss(claimed: Quantity, stated: Quantity) -> bool:
    """'300' for 298: a round number that was not called round is neither proof nor refutation."""
    if claimed.kind in (QuantityKind.DATE, QuantityKind.ORDINAL) or claimed.ranged or stated.ranged:
        return False
    gap = abs(claimed.low - stated.low)
    rounder = max((claimed, stated), key=lambda quantity: quantity.round_step)
    return rounder.round_step >= 10 * rounder.step > 0 and gap * 20 <= min(rounder.round_step, abs(stated.low))
