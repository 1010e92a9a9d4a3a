"""What a document says of one thing, said of another: numbers, dates, places and phrases of parallel statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from assay.mutations.clauses import PlainClause, read_clauses
from assay.mutations.source import GeneratedClaim, SourceStatement, SourceText, content_stems
from assay.text.amounts import Match, Quantity, QuantityKind, compare
from assay.text.numerals import ONES
from assay.text.quantities import find_quantities
from assay.text.tokens import stem
from assay.text.words import words

_NEAR = 10  # statements between two that may be parallel
_LONGEST_PHRASE = 9
_LABELLED = re.compile(r"([^\W_][^:.;!?\n]{0,40}): (\S[^:]{1,120})")
_REMARKS = words("note notes example examples credit source sources contact fix workaround remark warning")
_POINTING = re.compile(
    r"\b(?:it|its|they|their|them|he|his|she|her|this|these|those|which|who|whose|both|same|each|other|another|former"
    r"|latter|respectively|also|too|either|neither|all)\b",
    re.IGNORECASE,
)
# Words that say of two things in one sentence that what holds for one holds for the other.
_LINKING = re.compile(r"\b(?:all|everything|same|both|also|like|plus|too|includ\w+|well|equal\w*|each|either)\b", re.I)
_JOINED = re.compile(r"\b(?:and|while|whereas|but|against|versus|compared)\b|;|,")
_SPANNED = re.compile(r"\b(?:from|between|either)\b[^,.;]*$", re.IGNORECASE)
_PHRASE_END = re.compile(r"[,.;]|\b(?:and|or|while|but)\b")
# A number that belongs to another one, or counts something else: "29 per 1,000", "14 of 19", "month 12", "8.x".
_BOUND_BEFORE = re.compile(r"(?:\d of|per|month|week|number|factor of|version) $", re.IGNORECASE)
_BOUND_AFTER = re.compile(r"^(?: of \d|\.\w)")
_COUNTS = ["a", "an", *(word for word, value in ONES.items() if 1 <= value <= 12)]
_PLACE = re.compile(r"(?:in|at|on|near|to|from) (?:the )?[A-Z]")
_NAMES = {
    QuantityKind.DATE: "date",
    QuantityKind.MONEY: "amount",
    QuantityKind.PERCENT: "share",
    QuantityKind.DURATION: "duration",
    QuantityKind.MEASURE: "measure",
}


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A clause and the statement it stands in."""

    clause: PlainClause
    statement: SourceStatement
    number: int


def swap_attributes(source: SourceText) -> Iterator[GeneratedClaim]:
    """Every value or phrase that can be moved from one entity of the document to another one beside it."""
    candidates = [
        _Candidate(clause, statement, number)
        for number, statement in enumerate(source.statements)
        if statement.kind in ("prose", "bullet")
        for clause in read_clauses(statement.text)
        if not _POINTING.search(clause.subject)
    ]
    for one, other in combinations(candidates, 2):
        if other.number - one.number > _NEAR or one.statement.heading != other.statement.heading:
            continue
        if not _apart(one.clause.subject, other.clause.subject) or _linked(source, one.clause, other.clause):
            continue
        yield from _moved(source, one, other)
        yield from _moved(source, other, one)
    for statement in source.sentences:
        yield from _exchanged(statement)
    for above, below in pairwise(source.statements):
        yield from _relabelled(above, below)


def _apart(one: str, other: str) -> bool:
    """Whether two subjects are two things: "the Pro plan" and "the plan" may be one."""
    ours, theirs = content_stems(one), content_stems(other)
    return bool(ours - theirs) and bool(theirs - ours)


def _linked(source: SourceText, one: PlainClause, other: PlainClause) -> bool:
    """Whether a statement may give both subjects the same: "Pro includes everything in Basic"."""
    ours, theirs = content_stems(one.subject), content_stems(other.subject)
    mine, yours = ours - theirs, theirs - ours
    return any(
        mine <= stems and yours <= stems and _LINKING.search(statement.text)
        for statement in source.statements
        for stems in (content_stems(statement.text),)
    )


def _moved(source: SourceText, giver: _Candidate, taker: _Candidate) -> Iterator[GeneratedClaim]:
    """What is said of the giver put into the clause of the taker."""
    made = _moved_phrase(giver.clause, taker.clause) or _moved_value(giver.clause, taker.clause)
    if made is None:
        return
    change, text, old, new = made
    values = " ".join(quantity.text for quantity in find_quantities(new)) or new
    telling = content_stems(taker.clause.subject) | content_stems(values)
    if not content_stems(new) - content_stems(taker.clause.text):
        return
    places = (taker.statement.span, giver.statement.span)
    text = text if taker.clause.span.start == 0 else text[:1].upper() + text[1:]
    yield GeneratedClaim("attribute", change, f"{text}.", places, old, new, telling)


def _moved_phrase(giver: PlainClause, taker: PlainClause) -> tuple[str, str, str, str] | None:
    """ "Contracts are sent by e-mail" from "Invoices are sent by e-mail" and "Contracts are sent by post"."""
    ours, theirs = giver.predicate.split(), taker.predicate.split()
    shared = 0
    while shared < min(len(ours), len(theirs)) and ours[shared].lower() == theirs[shared].lower():
        shared += 1
    new, old = " ".join(ours[shared:]), " ".join(theirs[shared:])
    if not shared or not (0 < len(ours) - shared <= _LONGEST_PHRASE and 0 < len(theirs) - shared <= _LONGEST_PHRASE):
        return None
    if _POINTING.search(new) or not _apart(new, old) or len(content_stems(new)) * 3 < len(content_stems(old)):
        return None
    frame, change = " ".join(theirs[:shared]), _phrase_name(new, old)
    if not content_stems(frame) and change == "phrase" and not _akin(giver.subject, taker.subject):
        return None  # "are not" alone does not make two statements parallel
    return change, f"{taker.subject} {frame} {new}", old, new


def _akin(one: str, other: str) -> bool:
    """Whether two subjects are of one sort: "the old bridge" and "the new bridge"."""
    return bool(content_stems(one) & content_stems(other))


def _phrase_name(new: str, old: str) -> str:
    for ours in find_quantities(new):
        for theirs in find_quantities(old):
            if ours.kind is theirs.kind:
                return _NAMES.get(ours.kind, "number")
    return "place" if _PLACE.match(new) and _PLACE.match(old) else "phrase"


def _moved_value(giver: PlainClause, taker: PlainClause) -> tuple[str, str, str, str] | None:
    """The taker's number, amount or date replaced by the giver's, where both clauses have just one of that unit."""
    if not _alike(giver, taker):
        return None
    for theirs in find_quantities(taker.text):
        for ours in find_quantities(giver.text):
            if _exchangeable(ours, theirs) and _single(ours, giver.text) and _single(theirs, taker.text):
                start, end = theirs.span.start, theirs.span.end
                if start < len(taker.subject):
                    continue
                text = taker.text[:start] + ours.text + taker.text[end:]
                return _NAMES.get(ours.kind, "number"), text, theirs.text, ours.text
    return None


def _alike(one: PlainClause, other: PlainClause) -> bool:
    """Whether two clauses tell the same kind of thing: alike in a word of the subject, or in the verb and one more."""
    said = content_stems(one.predicate) & content_stems(other.predicate)
    return _akin(one.subject, other.subject) or (stem(one.verb) == stem(other.verb) and bool(said))


def _exchangeable(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities are of one kind and unit, and neither could stand for the other."""
    if one.kind is not other.kind or one.unit != other.unit or one.name or other.name or one.ranged or other.ranged:
        return False
    if one.hedge is not other.hedge or one.kind is QuantityKind.ORDINAL:
        return False
    if (one.month is None, one.day is None) != (other.month is None, other.day is None):
        return False  # a year does not fit in the place of a day
    return compare(one, other) is Match.DIFFERENT and compare(other, one) is Match.DIFFERENT


def _single(quantity: Quantity, text: str) -> bool:
    return sum(one.kind is quantity.kind and one.unit == quantity.unit for one in find_quantities(text)) == 1


def _exchanged(statement: SourceStatement) -> Iterator[GeneratedClaim]:
    """Two values of one sentence exchanged: "seven days on Standard and 35 days on Critical"."""
    text = statement.text
    for one, other in pairwise(find_quantities(text)):
        between, after = text[one.span.end : other.span.start], _PHRASE_END.split(text[other.span.end :])[0]
        if not _exchangeable(one, other) or not _JOINED.search(between) or _SPANNED.search(text[: one.span.start]):
            continue
        if _written(one) != _written(other) or "(" in text[: other.span.end]:
            continue
        if _bound(one, text) or _bound(other, text):
            continue
        if not content_stems(between) or content_stems(between) == content_stems(after):
            continue  # "a 20-minute nap or a 90-minute nap" says the same the other way round
        new = f"{other.text}{between}{one.text}"
        made = text[: one.span.start] + new + text[other.span.end :]
        old = f"{one.text}{between}{other.text}"
        name = _NAMES.get(one.kind, "number")
        yield GeneratedClaim(
            "attribute", f"{name}s exchanged", made[:1].upper() + made[1:], (statement.span,), old, new
        )


def _bound(quantity: Quantity, text: str) -> bool:
    before, after = text[: quantity.span.start], text[quantity.span.end :]
    return bool(quantity.text.lower() == "one" or _BOUND_BEFORE.search(before) or _BOUND_AFTER.match(after))


def _written(quantity: Quantity) -> tuple[bool, str]:
    """The word of a quantity's unit, and without one whether it is written in digits."""
    unit = re.sub(rf"[\d.,\s-]|\b(?:{'|'.join(_COUNTS)})\b", "", quantity.text.lower())
    return not unit and any(sign.isdigit() for sign in quantity.text), unit


def _relabelled(above: SourceStatement, below: SourceStatement) -> Iterator[GeneratedClaim]:
    """The value of one label under the next one: "P2: 30 minutes" from "P1: 30 minutes" and "P2: 4 hours"."""
    if above.heading != below.heading or above.kind != below.kind or above.kind == "table":
        return
    one, other = _LABELLED.fullmatch(above.text.rstrip(".")), _LABELLED.fullmatch(below.text.rstrip("."))
    if not one or not other or not _REMARKS.isdisjoint({one[1].lower(), other[1].lower()}):
        return
    if not _apart(one[1], other[1]) or not _apart(one[2], other[2]) or not _comparable(one[2], other[2]):
        return
    coded = all(any(sign.isdigit() for sign in label) for label in (one[1], other[1]))
    if above.kind != "bullet" and not coded and not _akin(one[1], other[1]):
        return  # "Severity: …. Affected: …." are two things said of one
    for (label, old), new, places in (
        (other.groups(), one[2], (below.span, above.span)),
        (one.groups(), other[2], (above.span, below.span)),
    ):
        if not _POINTING.search(new):
            telling = content_stems(label) | content_stems(new)
            yield GeneratedClaim("attribute", "labelled value", f"{label}: {new}.", places, old, new, telling)


def _comparable(one: str, other: str) -> bool:
    kinds = [{quantity.kind for quantity in find_quantities(text)} for text in (one, other)]
    short = max(len(one.split()), len(other.split())) <= 6
    return bool(kinds[0] & kinds[1]) or (short and not kinds[0] and not kinds[1])
