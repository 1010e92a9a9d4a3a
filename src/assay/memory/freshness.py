"""How old a source is, and the flag for one that is too old to lean on."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from assay.policy import Policy
from assay.types import Document, RiskFlag

_YEAR = 365.25


def age_in_years(document: Document, today: date | None = None) -> float | None:
    """How long ago a source is dated; None if it has no date, 0 for one dated in the future."""
    if document.date is None:
        return None
    return max(0, ((today or date.today()) - document.date).days) / _YEAR


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
