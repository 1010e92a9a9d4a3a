"""Sources that disagree: two values for the same thing, found by the number prover, named with both quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from assay.lexical.numbers import NumberCheck, NumberStatus, prove_numbers
from assay.policy import Policy
from assay.text.quantities import Match, compare
from assay.types import Document, Evidence, Passage, RiskFlag, Stance

# From the one to believe first; roles that are not listed weigh like the last.
AUTHORITY = ("primary_answer_source", "secondary_context_source", "background_source", "unclassified")

_HOLDS = (NumberStatus.EQUAL, NumberStatus.ROUNDED)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two stretches of different sources that cannot both be right about a claim."""

    first: Evidence
    second: Evidence
    values: tuple[str, str]
    newer: str | None
    more_authoritative: str | None

    @property
    def message(self) -> str:
        """What each source says, and which is newer or weighs more; nothing is silently chosen."""
        said = f"{self.first.document} says {self.values[0]}, {self.second.document} says {self.values[1]}"
        if self.newer:
            said += f"; {self.newer} is newer"
        if self.more_authoritative:
            said += f"; {self.more_authoritative} is the more authoritative source"
        return said

    def flag(self) -> RiskFlag:
        return RiskFlag("conflict", "high", self.message, (self.first, self.second))


def find_conflicts(claim: str, passages: Sequence[Passage], policy: Policy | None = None) -> list[Conflict]:
    """Pairs of sources that give different values for a number of the claim; each pair of documents once."""
    rules = policy or Policy()
    stated = [(passage, _stated(claim, passage, rules)) for passage in passages]
    found: dict[tuple[str, str], Conflict] = {}
    for (one, checks), (other, others) in combinations(stated, 2):
        pair = (one.document_id, other.document_id)
        if one.document_id == other.document_id or pair in found or pair[::-1] in found:
            continue
        for check, against in zip(checks, others, strict=True):
            if _disagree(check, against, rules.rounding_tolerance):
                found[pair] = _conflict(one, check, other, against)
                break
    return list(found.values())


def _stated(claim: str, passage: Passage, rules: Policy) -> tuple[NumberCheck, ...]:
    return prove_numbers(claim, passage.text, offset=passage.start, tolerance=rules.rounding_tolerance).checks


def _disagree(one: NumberCheck, other: NumberCheck, tolerance: float) -> bool:
    if one.stated is None or other.stated is None:
        return False
    statuses = {one.status, other.status}
    if NumberStatus.DIFFERENT not in statuses or not statuses <= {NumberStatus.DIFFERENT, *_HOLDS}:
        return False
    return compare(one.stated, other.stated, tolerance) is Match.DIFFERENT


def _conflict(one: Passage, check: NumberCheck, other: Passage, against: NumberCheck) -> Conflict:
    assert check.stated is not None
    assert against.stated is not None
    return Conflict(
        _receipt(one, check),
        _receipt(other, against),
        (check.stated.text, against.stated.text),
        _newer(one.document, other.document),
        _weightier(one.document, other.document),
    )


def _receipt(passage: Passage, check: NumberCheck) -> Evidence:
    assert check.stated is not None
    span = check.sentence or check.stated.span
    stance = Stance.REFUTES if check.status is NumberStatus.DIFFERENT else Stance.SUPPORTS
    return Evidence.cite(passage.document, span.start, span.end, stance=stance, similarity=passage.similarity)


def _newer(one: Document, other: Document) -> str | None:
    if one.date is None or other.date is None or one.date == other.date:
        return None
    return one.id if one.date > other.date else other.id


def _weightier(one: Document, other: Document) -> str | None:
    weights = [authority_of(role) for role in (one.role, other.role)]
    if weights[0] == weights[1]:
        return None
    return one.id if weights[0] < weights[1] else other.id


def authority_of(role: str) -> int:
    """The place of a role among those to believe first: 0 is the most authoritative."""
    return AUTHORITY.index(role) if role in AUTHORITY else len(AUTHORITY) - 1
