"""Proves the numbers of a claim against a source: equal, rounded, derived, different or absent.

DIFFERENT refutes a claim with no model behind it, so it is said only where the source gives another value for the same
thing: the same kind of quantity, the claim's subject and nearly all its words in one sentence, the same counted noun.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from assay.lexical.derivations import Derivation, find_derivation
from assay.lexical.differences import find_difference
from assay.lexical.number_context import (
    NumericClaim,
    NumericSentence,
    counted,
    is_count,
    mixes_year_and_count,
    read_numeric_sentences,
)
from assay.text.quantities import Hedge, Match, Quantity, QuantityKind, compare
from assay.types import Span


class NumberStatus(StrEnum):
    """What a source does to one number of a claim."""

    EQUAL = "equal"
    ROUNDED = "rounded"
    DERIVED = "derived"
    DIFFERENT = "different"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class NumberCheck:
    """One number of the claim, what the source states for it, and why."""

    status: NumberStatus
    claimed: Quantity
    stated: Quantity | None
    explanation: str
    sentence: Span | None = None
    derivation: Derivation | None = None


@dataclass(frozen=True, slots=True)
class NumberProof:
    """All the numbers of a claim; an empty proof means that the claim asserts none."""

    checks: tuple[NumberCheck, ...]

    @property
    def proved(self) -> bool:
        """Whether the claim asserts numbers and the source bears out every one."""
        good = (NumberStatus.EQUAL, NumberStatus.ROUNDED, NumberStatus.DERIVED)
        return bool(self.checks) and all(check.status in good for check in self.checks)

    @property
    def refuted(self) -> bool:
        """Whether the source gives another value for any of them."""
        return any(check.status is NumberStatus.DIFFERENT for check in self.checks)

    @property
    def missing(self) -> bool:
        """Whether the source does not state one of them."""
        return any(check.status is NumberStatus.ABSENT for check in self.checks)

    @property
    def explanation(self) -> str:
        """The worst news first: what differs, then what is absent, then what holds."""
        order = (NumberStatus.DIFFERENT, NumberStatus.ABSENT, NumberStatus.DERIVED, NumberStatus.ROUNDED)
        ranked = sorted(
            self.checks, key=lambda check: order.index(check.status) if check.status in order else len(order)
        )
        return " ".join(check.explanation for check in ranked)


def prove_numbers(claim: str, source: str, *, offset: int = 0, tolerance: float = 0.05) -> NumberProof:
    """Checks every quantity of the claim against the source; stated spans are moved by `offset`."""
    assertion = NumericClaim.of(claim)
    if not assertion.quantities:
        return NumberProof(())
    statements = read_numeric_sentences(source)
    checks = [
        _check(assertion, quantity, source, statements, tolerance)
        for quantity in assertion.quantities
        if not _is_discourse(claim, quantity)
    ]
    return NumberProof(tuple(_moved(check, offset) for check in checks))


def _is_discourse(claim: str, quantity: Quantity) -> bool:
    """'First, …' orders the text, not the world."""
    ordinal = quantity.kind is QuantityKind.ORDINAL
    return (
        ordinal and claim[: quantity.span.start].strip() == "" and claim[quantity.span.end :].lstrip().startswith(",")
    )


def _moved(check: NumberCheck, offset: int) -> NumberCheck:
    if not offset or check.stated is None:
        return check
    stated = replace(check.stated, span=check.stated.span.shifted(offset))
    sentence = check.sentence.shifted(offset) if check.sentence else None
    return replace(check, stated=stated, sentence=sentence)


def _check(
    assertion: NumericClaim, claimed: Quantity, source: str, statements: tuple[NumericSentence, ...], tolerance: float
) -> NumberCheck:
    match = _best_match(assertion, claimed, source, statements, tolerance)
    if match is not None and match.firm:
        return match.check
    derived = _derive(assertion, claimed, source, statements) if match is None else None
    if derived is not None:
        return derived
    if match is None or not match.same_noun or not is_count(claimed):
        different = find_difference(assertion, claimed, source, statements, tolerance)
        if different is not None:
            stated, sentence = different
            words = f"The source says {_shown(stated)}, the answer says {_shown(claimed)}."
            return NumberCheck(NumberStatus.DIFFERENT, claimed, stated, words, sentence)
    if match is not None:
        return match.check
    return NumberCheck(NumberStatus.ABSENT, claimed, None, f"The source does not state {_shown(claimed)}.")


@dataclass(frozen=True, slots=True)
class _Found:
    """A stated quantity that bears the claim out; firm when it is plainly about the same thing."""

    check: NumberCheck
    firm: bool
    same_noun: bool
    rank: tuple[bool, bool, float]


def _best_match(
    assertion: NumericClaim, claimed: Quantity, source: str, statements: tuple[NumericSentence, ...], tolerance: float
) -> _Found | None:
    best: _Found | None = None
    ours = counted(assertion.text, assertion.tokens, claimed).removeprefix("of ") if is_count(claimed) else ""
    for statement in statements:
        about = assertion.about(statement)
        for stated in statement.quantities:
            result = _compare(claimed, stated, tolerance)
            if result not in (Match.EQUAL, Match.ROUNDED):
                continue
            if mixes_year_and_count(assertion.tokens, claimed, statement.tokens, stated):
                continue
            same_noun = not ours or counted(source, statement.tokens, stated).removeprefix("of ") == ours
            rank = (about and same_noun, result is Match.EQUAL, assertion.overlap(statement) + same_noun)
            if best is None or rank > best.rank:
                status = NumberStatus.EQUAL if result is Match.EQUAL else NumberStatus.ROUNDED
                words = _explain_match(claimed, stated, status)
                check = NumberCheck(status, claimed, stated, words, statement.span)
                best = _Found(check, about and same_noun, same_noun, rank)
    return best


def _compare(claimed: Quantity, stated: Quantity, tolerance: float) -> Match:
    """Like `compare`, but a bare number of three digits or more may stand for a measure whose unit is in a header."""
    headed = (
        stated.kind is QuantityKind.NUMBER
        and not stated.name
        and stated.unit == ""
        and claimed.unit not in ("", "clock")
    )
    if headed and claimed.scale and not claimed.ranged and claimed.kind is not QuantityKind.DATE:
        same = stated.low == stated.high == claimed.low / claimed.scale
        return Match.EQUAL if same and abs(stated.low) >= 100 else Match.INCOMPARABLE
    return compare(claimed, stated, tolerance)


def _derive(
    assertion: NumericClaim, claimed: Quantity, source: str, statements: tuple[NumericSentence, ...]
) -> NumberCheck | None:
    for numbers, span, table in _groups(assertion, source, statements):
        derivation = find_derivation(claimed, numbers, claim=assertion.text, table=table)
        if derivation is not None:
            words = f"It follows from the source: {derivation.explanation}."
            return NumberCheck(NumberStatus.DERIVED, claimed, derivation.inputs[0], words, span, derivation)
    return None


def _groups(
    assertion: NumericClaim, source: str, statements: tuple[NumericSentence, ...]
) -> Iterator[tuple[list[Quantity], Span, bool]]:
    """The numbers that may be reckoned with together: each related sentence, paragraph, table column and row."""
    paragraphs: dict[tuple[int, bool], list[NumericSentence]] = {}
    for statement in statements:
        paragraphs.setdefault((statement.paragraph, statement.kind == "table"), []).append(statement)
    for (_, table), members in paragraphs.items():
        words = frozenset().union(*(statement.words | statement.carried for statement in members))
        if not assertion.content & words:
            continue
        span = Span(members[0].span.start, members[-1].span.end)
        if table:
            for column in _columns(source, members):
                yield column, span, True
        else:
            related = [statement for statement in members if assertion.content & statement.words]
            for statement in related:
                yield list(statement.quantities), statement.span, False
            yield [quantity for statement in members for quantity in statement.quantities], span, False


def _columns(source: str, rows: list[NumericSentence]) -> list[list[Quantity]]:
    """The numbers of a table by column, then by row; a number's column is told by the bars and tabs before it."""
    columns: dict[int, list[Quantity]] = {}
    lines: list[list[Quantity]] = []
    for row in rows:
        column, place = 0, row.span.start
        for quantity in row.quantities:
            between = source[place : quantity.span.start]
            if "\n" in between or place == row.span.start:
                column = 0
                lines.append([])
                between = between.rsplit("\n", 1)[-1].lstrip(" |")
            column += between.count("|") + between.count("\t")
            columns.setdefault(column, []).append(quantity)
            lines[-1].append(quantity)
            place = quantity.span.end
    return [*columns.values(), *lines]


def _shown(quantity: Quantity) -> str:
    return quantity.text if quantity.hedge is Hedge.NONE else f"{quantity.hedge.value} {quantity.text}"


def _explain_match(claimed: Quantity, stated: Quantity, status: NumberStatus) -> str:
    if status is NumberStatus.ROUNDED:
        return f"The source says {_shown(stated)}, which the answer gives as {_shown(claimed)}."
    if claimed.text.casefold() == stated.text.casefold() and claimed.hedge is stated.hedge:
        return f"The source says {_shown(stated)}."
    return f"The source says {_shown(stated)}, which agrees with {_shown(claimed)}."
