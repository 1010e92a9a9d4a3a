"""Risks of the sources themselves: two that give different values for a number, and those that are too old."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations

from assay.lexical.numbers import NumberCheck, NumberStatus, prove_numbers
from assay.policy import Policy
from assay.text.quantities import Match, compare
from assay.types import Document, Evidence, Passage, RiskFlag, Stance

# From the one to believe first; roles that are not listed weigh like the last.
AUTHORITY = ("primary_answer_source", "secondary_context_source", "background_source", "unclassified")

_DAYS_PER_YEAR = 365.25
_HOLDS = (NumberStatus.EQUAL, NumberStatus.ROUNDED)


@dataclass(frozen=True, slots=True)
class SourceConflict:
    """Two stretches of different sources that cannot both be right about a claim."""

    first: Evidence
    second: Evidence
    values: tuple[str, str]
    newer: str | None
    more_authoritative: str | None

    @property
    def message(self) -> str:
        """What each source says, and which is newer or weighs more; nothing is silently chosen."""
        text = f"{self.first.document} says {self.values[0]}, {self.second.document} says {self.values[1]}"
        if self.newer:
            text += f"; {self.newer} is newer"
        if self.more_authoritative:
            text += f"; {self.more_authoritative} is the more authoritative source"
        return text

    def flag(self) -> RiskFlag:
        return RiskFlag("conflict", "high", self.message, (self.first, self.second))


def find_conflicts(claim: str, passages: Sequence[Passage], policy: Policy | None = None) -> list[SourceConflict]:
    """Pairs of sources that give different values for a number of the claim; each pair of documents once."""
    rules = policy or Policy()
    stated = [(passage, _stated(claim, passage, rules)) for passage in passages]
    found: dict[tuple[str, str], SourceConflict] = {}
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


def _conflict(one: Passage, check: NumberCheck, other: Passage, against: NumberCheck) -> SourceConflict:
    assert check.stated is not None
    assert against.stated is not None
    return SourceConflict(
        _quote(one, check),
        _quote(other, against),
        (check.stated.text, against.stated.text),
        _newer(one.document, other.document),
        _more_authoritative(one.document, other.document),
    )


def _quote(passage: Passage, check: NumberCheck) -> Evidence:
    assert check.stated is not None
    span = check.sentence or check.stated.span
    stance = Stance.REFUTES if check.status is NumberStatus.DIFFERENT else Stance.SUPPORTS
    return Evidence.cite(passage.document, span.start, span.end, stance=stance, similarity=passage.similarity)


def _newer(one: Document, other: Document) -> str | None:
    if one.date is None or other.date is None or one.date == other.date:
        return None
    return one.id if one.date > other.date else other.id


def _more_authoritative(one: Document, other: Document) -> str | None:
    weights = [authority_of(role) for role in (one.role, other.role)]
    if weights[0] == weights[1]:
        return None
    return one.id if weights[0] < weights[1] else other.id


def age_in_years(document: Document, today: date | None = None) -> float | None:
    """How long ago a source is dated; None if it has no date, 0 for one dated in the future."""
    if document.date is None:
        return None
    return max(0, ((today or date.today()) - document.date).days) / _DAYS_PER_YEAR


def find_outdated(
    documents: Iterable[Document], policy: Policy | None = None, today: date | None = None
) -> list[RiskFlag]:
    """A flag for each source older than the policy allows, with its age in years.

    >>> [flag.message for flag in find_outdated([Document("a", "x", date=date(2020, 1, 1))], today=date(2022, 7, 1))]
    ['a is 2.5 years old (dated 2020-01-01)']
    """
    rules, now = policy or Policy(), today or date.today()
    flags = []
    for document in documents:
        if document.date is None or (now - document.date).days <= rules.outdated_days:
            continue
        age = age_in_years(document, now)
        inferred = ", inferred" if document.date_inferred else ""
        message = f"{document.id} is {age:.1f} years old (dated {document.date.isoformat()}{inferred})"
        flags.append(RiskFlag("outdated_source", "medium", message))
    return flags


def authority_of(role: str) -> int:
    """The place of a role among those to believe first: 0 is the most authoritative."""
    return AUTHORITY.index(role) if role in AUTHORITY else len(AUTHORITY) - 1
