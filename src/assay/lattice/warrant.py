"""Warrants: whether the words an answer turns on stand in the spans it cites.

Each class looks for its own kind of anchor. A class is active when the question asks for its kind (dates always are)
and the claim has such an anchor beyond the question's own words; any active class that fails, fails the claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.lattice.counts import missing_counts
from assay.lattice.dates import missing_months, missing_years
from assay.lattice.evidence_map import EvidenceMap, EvidenceObject
from assay.lattice.features import Features
from assay.lattice.names import find_names
from assay.lattice.question import Asks, Question
from assay.lattice.tokens import content_tokens, stem, word_set

_CAUSE_MIN_LENGTH = 5
# Words that any explanation is made of; finding them in a source explains nothing.
_CAUSE_POOL = frozenset(
    stem(word)
    for word in word_set(
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


class Warrant(StrEnum):
    """The classes of anchors."""

    NAME = "proper noun"
    DATE = "date"
    LIST = "entity list"
    COUNT = "count"
    CAUSE = "cause"


@dataclass(frozen=True, slots=True)
class Gap:
    """The anchors a claim's cited spans leave out, and whether the cited document supplies them close by."""

    missing: Mapping[Warrant, tuple[str, ...]]
    chained: bool


def find_missing(
    claim: Features, question: Question | None, objects: Sequence[EvidenceObject]
) -> dict[Warrant, tuple[str, ...]]:
    """For each class that fails, the anchors that stand in none of the objects."""
    asks = question.asks if question else Asks.OTHER
    spans = [item.features for item in objects]
    found: dict[Warrant, tuple[str, ...]] = {Warrant.DATE: _missing_dates(claim, spans)}
    if question and asks in (Asks.RELATION, Asks.LIST):
        kind = Warrant.NAME if asks is Asks.RELATION else Warrant.LIST
        found[kind] = _missing_names(claim, question, spans)
    elif asks is Asks.COUNT:
        found[Warrant.COUNT] = missing_counts(claim.counts, [span.counts for span in spans])
    elif question and asks is Asks.CAUSE:
        found[Warrant.CAUSE] = _missing_causes(claim, question, spans)
    return {kind: anchors for kind, anchors in found.items() if anchors}


def find_neighbours(
    claim: Features,
    missing: Mapping[Warrant, tuple[str, ...]],
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


def _missing_dates(claim: Features, spans: Sequence[Features]) -> tuple[str, ...]:
    """The years and months of the claim that no span states; spans are only searched for what the claim has."""
    years, months = claim.years, claim.months
    return (
        *(missing_years(years, [span.years for span in spans]) if years.years or years.decades else ()),
        *(missing_months(months, [span.months for span in spans]) if months.named else ()),
    )


def _missing_names(claim: Features, question: Question, spans: Sequence[Features]) -> tuple[str, ...]:
    """The claim's names when none of them is in a span; names of the question are not the answer."""
    names = [name for name in find_names(claim.text) if name.key not in question.words]
    if len(names) == 1 and names[0].opens:
        # A lone capitalised first word may be a common noun: "Researchers found it."
        seen = any(names[0].key in span.words for span in spans)
    else:
        seen = any(name.key in span.capitalised for span in spans for name in names)
    return () if seen else tuple(dict.fromkeys(name.text for name in names))


def _missing_causes(claim: Features, question: Question, spans: Sequence[Features]) -> tuple[str, ...]:
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
