"""Sources that disagree about a claim: which decides, and what a reader must be told.

A claim that one source backs and another contradicts is contradicted, unless the newer of the two decides, or more
sources back it than speak against it. Whatever decides, the finding carries both quotes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.encoder.verifier import Opinion, PointedSentence
from assay.explanation import name_source, quoted
from assay.judges.reasons import deciding_sentences
from assay.policy import Policy
from assay.types import Document, Verdict

LEAST_WEIGHT = 0.1  # of the decision, from which a document has a say of its own


@dataclass(frozen=True, slots=True)
class Conflict:
    """The verdict over sources that disagree, the sentence that decides first, and why."""

    verdict: Verdict
    confidence: float
    deciding: PointedSentence
    opposing: PointedSentence
    reason: str


def documents_with_a_say(opinion: Opinion) -> list[Document]:
    """Documents that carry a share of the decision, in order of their weight."""
    weights: dict[str, float] = {}
    documents: dict[str, Document] = {}
    for sentence in opinion.sentences:
        weights[sentence.document.id] = weights.get(sentence.document.id, 0.0) + sentence.weight
        documents[sentence.document.id] = sentence.document
    return [documents[name] for name in sorted(weights, key=lambda n: -weights[n]) if weights[name] >= LEAST_WEIGHT]


def find_conflict(alone: Sequence[tuple[Document, Opinion]], policy: Policy) -> Conflict | None:
    """What follows from the opinions that single documents give; None unless they disagree."""
    backing = [(d, o) for d, o in alone if o.scores.supported >= policy.conflict_probability and deciding_sentences(o)]
    denying = [(d, o) for d, o in alone if o.scores.refuted >= policy.conflict_probability and deciding_sentences(o)]
    if not backing or not denying:
        return None
    for_it = max(backing, key=lambda pair: pair[1].scores.supported)
    against = max(denying, key=lambda pair: pair[1].scores.refuted)
    dated_for = max(backing, key=_date_of)
    dated_against = max(denying, key=_date_of)
    supported = Verdict.SUPPORTED, for_it[1].scores.supported, for_it[1], against[1]
    refuted = Verdict.REFUTED, against[1].scores.refuted, against[1], for_it[1]
    if dated_for[0].date and dated_against[0].date and dated_for[0].date != dated_against[0].date:
        newer = dated_for if dated_for[0].date > dated_against[0].date else dated_against
        if newer is dated_for:
            chosen = Verdict.SUPPORTED, newer[1].scores.supported, newer[1], dated_against[1]
        else:
            chosen = Verdict.REFUTED, newer[1].scores.refuted, newer[1], dated_for[1]
        reason = f"{name_source(newer[0], capital=True)} is newer ({newer[0].date}) and decides."
    elif len(backing) > len(denying):
        verb = "speaks" if len(denying) == 1 else "speak"
        chosen, reason = supported, f"{len(backing)} sources back this, {len(denying)} {verb} against it."
    else:
        chosen, reason = refuted, "The sources disagree, and none of them is known to be newer."
    verdict, confidence, decides, opposes = chosen
    first, second = deciding_sentences(decides)[0], deciding_sentences(opposes)[0]
    said = f"{reason} {_says(first)} {_says(second)}"
    return Conflict(verdict, confidence, first, second, said)


def _date_of(pair: tuple[Document, Opinion]) -> str:
    return str(pair[0].date or "")


def _says(sentence: PointedSentence) -> str:
    text = sentence.span.of(sentence.document.text)
    return f"{name_source(sentence.document, capital=True)}: {quoted(text)}"
