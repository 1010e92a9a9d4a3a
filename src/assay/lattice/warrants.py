"""Warrants: whether the words an answer turns on stand in the spans it cites.

Each class looks for its own kind of anchor. A class is active when the question asks for its kind (dates always are)
and the claim has such an anchor beyond the question's own words; any active class that fails, fails the claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.lattice.evidence_map import EvidenceMap, EvidenceObject
from assay.lattice.features import ParsedQuestion, QuestionType, TextFeatures, content_tokens
from assay.text.names import find_names
from assay.text.tokens import singular
from assay.text.words import MONTH_NAMES, words

_CAUSE_MIN_LENGTH = 5
# Words that any explanation is made of; finding them in a source explains nothing.
_CAUSE_POOL = frozenset(
    singular(word)
    for word in words(
        """
        affect affected based became because begin began being believed brought called cause caused causing change
        changed consequence contributed create created describe described develop developed driven effect ended explain
        explained explanation factor first found great happen happened happening helped important include included
        including increase increased large largely lead leading likely mainly major making meant might occur occurred
        outcome partly people place possible primarily primary produce produced purpose reason resulted result
        resulting simply small start started state stated stemmed thing think thought three various whether which would
        year
        """
    )
)


class WarrantClass(StrEnum):
    """The classes of anchors."""

    NAME = "proper noun"
    DATE = "date"
    LIST = "entity list"
    COUNT = "count"
    CAUSE = "cause"


@dataclass(frozen=True, slots=True)
class WarrantGap:
    """The anchors a claim's cited spans leave out, and whether the cited document supplies them close by."""

    missing: Mapping[WarrantClass, tuple[str, ...]]
    chained: bool


def find_missing(
    claim: TextFeatures, question: ParsedQuestion | None, objects: Sequence[EvidenceObject]
) -> dict[WarrantClass, tuple[str, ...]]:
    """For each class that fails, the anchors that stand in none of the objects."""
    asks = question.asks if question else QuestionType.OTHER
    spans = [item.features for item in objects]
    found: dict[WarrantClass, tuple[str, ...]] = {WarrantClass.DATE: _missing_dates(claim, spans)}
    if question and asks in (QuestionType.RELATION, QuestionType.LIST):
        kind = WarrantClass.NAME if asks is QuestionType.RELATION else WarrantClass.LIST
        found[kind] = _missing_names(claim, question, spans)
    elif asks is QuestionType.COUNT:
        found[WarrantClass.COUNT] = _missing_counts(claim, spans)
    elif question and asks is QuestionType.CAUSE:
        found[WarrantClass.CAUSE] = _missing_causes(claim, question, spans)
    return {kind: anchors for kind, anchors in found.items() if anchors}


def find_neighbours(
    claim: TextFeatures,
    missing: Mapping[WarrantClass, tuple[str, ...]],
    cited: Sequence[EvidenceObject],
    evidence: EvidenceMap,
    window: int,
) -> list[EvidenceObject]:
    """The warrant chain of a claim: what its cited documents say close to the cited spans.

    One step only: objects of the same document that overlap a cited span or stand within `window` characters of it,
    and that speak of the claim (share a content word with it besides the missing anchors).
    """
    anchors = {token for words in missing.values() for word in words for token in content_tokens(word)}
    subject = claim.stems - anchors
    return [
        other
        for item in cited
        for other in evidence.by_source.get(item.source, ())
        if other not in cited and _distance(item, other) <= window and subject & other.features.stems
    ]


def _distance(one: EvidenceObject, other: EvidenceObject) -> int:
    """The characters between two stretches of a document; negative where they overlap."""
    return max(one.start, other.start) - min(one.end, other.end)


def _missing_dates(claim: TextFeatures, spans: Sequence[TextFeatures]) -> tuple[str, ...]:
    """The years, decades and months of the claim that no span states; a year proves its decade."""
    wanted = claim.calendar
    if not (wanted.years or wanted.decades or wanted.months):
        return ()
    stated = [span.calendar for span in spans]
    years = frozenset().union(*(item.years for item in stated))
    decades = frozenset().union(*(item.decades for item in stated)) | {year - year % 10 for year in years}
    months = frozenset().union(*(item.months | item.possible_months for item in stated))
    return (
        *(str(year) for year in sorted(wanted.years - years)),
        *(f"{decade}s" for decade in sorted(wanted.decades - decades)),
        *(MONTH_NAMES[month - 1] for month in sorted(wanted.months - months)),
    )


def _missing_counts(claim: TextFeatures, spans: Sequence[TextFeatures]) -> tuple[str, ...]:
    """The counts of the claim that no span holds."""
    known = frozenset().union(*(span.counts.numbers for span in spans))
    return tuple(f"{float(value):g}" for value in sorted(claim.counts.counts - known))


def _missing_names(claim: TextFeatures, question: ParsedQuestion, spans: Sequence[TextFeatures]) -> tuple[str, ...]:
    """The claim's names when none of them is in a span; names of the question are not the answer."""
    names = [name for name in find_names(claim.text) if name.key not in question.words]
    if len(names) == 1 and names[0].opens:
        # A lone capitalised first word may be a common noun: "Researchers found it."
        seen = any(names[0].key in span.words for span in spans)
    else:
        seen = any(name.key in span.capitalised for span in spans for name in names)
    return () if seen else tuple(dict.fromkeys(name.text for name in names))


def _missing_causes(claim: TextFeatures, question: ParsedQuestion, spans: Sequence[TextFeatures]) -> tuple[str, ...]:
    """The claim's causes when none of them is in a span: names, and longer words outside the pool."""
    names = [name for name in find_names(claim.text) if name.key not in question.words and not name.opens]
    nouns = sorted(
        token
        for token in claim.stems - question.words - _CAUSE_POOL
        if len(token) >= _CAUSE_MIN_LENGTH and not token.isdecimal()
    )
    if any(noun in span.stems for span in spans for noun in nouns):
        return ()
    if any(name.key in span.capitalised for span in spans for name in names):
        return ()
    return tuple(dict.fromkeys([*(name.text for name in names), *nouns]))
