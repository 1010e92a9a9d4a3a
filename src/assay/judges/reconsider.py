"""Verdicts that rest on words which a source does not assert: the claim is judged again without them.

Any judge may take "Are bats birds?" or "It is a myth that bats are birds" for the statement. What a source asks,
supposes or denies is taken out of the evidence, and the second judgement counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.defuse import cut_passage
from assay.explanation import name_source, quoted
from assay.judges import levels
from assay.lexical.negation import is_negative
from assay.lexical.unasserted import (
    ASKS,
    DENIES,
    DOUBTS,
    SUPPOSES,
    Unasserted,
    concerning,
    find_unasserted,
    holds_whole_claim,
)
from assay.policy import Policy
from assay.types import Claim, Evidence, Judgement, Passage, Span, Stance, Support, Verdict

UNASSERTED = "NOT_ASSERTED"
DISAGREE = "SOURCES_DISAGREE"


@dataclass(frozen=True, slots=True)
class UnassertedStretch:
    """Words of a passage that it does not assert, where they stand in the document."""

    passage: Passage
    span: Span
    item: Unasserted


def find_stretches(claim: Claim, passages: Sequence[Passage], first: Judgement) -> list[UnassertedStretch]:
    """The unasserted words about a claim that a judgement may rest on.

    That a source denies the very words of a claim is no reason to doubt a refutation or a conflict, and a claim that
    denies something may be backed by a denial. What a source only asks or supposes contradicts nothing, even where it
    has few words of the claim.
    """
    verdict = first.verdict
    if verdict not in (Verdict.SUPPORTED, Verdict.REFUTED):
        return []
    found = [
        UnassertedStretch(passage, item.span.shifted(passage.start), item)
        for passage in passages
        for item in concerning(claim.text, passage.text)
    ]
    if verdict is Verdict.REFUTED or DISAGREE in first.violations:
        found += [one for one in _quoted(passages, first) if one not in found]
        return [one for one in found if not _denies(one, claim)]
    if is_negative(claim.text):
        return [one for one in found if one.item.reason not in (DENIES, DOUBTS)]
    return found


def _quoted(passages: Sequence[Passage], first: Judgement) -> list[UnassertedStretch]:
    """The questions and suppositions that a judgement quotes."""
    found = [
        UnassertedStretch(passage, item.span.shifted(passage.start), item)
        for passage in passages
        if any(quote.document == passage.document_id for quote in first.evidence)
        for item in find_unasserted(passage.text)
        if item.reason in (ASKS, SUPPOSES)
    ]
    return [
        one
        for one in found
        if any(
            quote.document == one.passage.document_id and quote.start < one.span.end and quote.end > one.span.start
            for quote in first.evidence
        )
    ]


def without(passages: Sequence[Passage], stretches: Sequence[UnassertedStretch]) -> list[Passage]:
    """The passages cut around the stretches; what is left of their sentences stays."""
    return [
        piece
        for passage in passages
        for piece in cut_passage(passage, sorted(one.span for one in stretches if one.passage is passage))
    ]


def reconsidered(claim: Claim, second: Judgement, stretches: Sequence[UnassertedStretch], policy: Policy) -> Judgement:
    """The second judgement; where nothing else settles the claim, it says what the source does with these words.

    A claim that one document backs and another denies is a conflict.
    """
    denied = next((one for one in stretches if _denies(one, claim)), None)
    shown = denied or stretches[0]
    document = shown.passage.document
    where = f"{name_source(document, capital=True)}: {quoted(shown.span.of(document.text))}"
    stance = Stance.REFUTES if denied else Stance.NEUTRAL
    quote = Evidence.cite(document, shown.span.start, shown.span.end, stance=stance)
    refuted = replace(
        second,
        verdict=Verdict.REFUTED,
        confidence=levels.NEGATION,
        method="negation",
        support=Support.CONTRADICTED,
        explanation=f"The source {shown.item.reason}. {where}",
        evidence=(quote,),
        support_probability=None,
    )
    if second.verdict is Verdict.INSUFFICIENT:
        if denied:
            return refuted
        return replace(
            second,
            confidence=levels.UNSETTLED,
            support=Support.NONE,
            explanation=refuted.explanation,
            evidence=(quote,),
            violations=tuple(dict.fromkeys((*second.violations, UNASSERTED))),
            support_probability=None,  # the model's word on what remains of the source says nothing about the claim
        )
    backing = {item.document for item in second.evidence if item.stance is Stance.SUPPORTS}
    if second.verdict is not Verdict.SUPPORTED or denied is None or backing <= {document.id}:
        return second
    if len(backing) > 1:
        kept, said = second, f"{second.explanation} Another source denies it. {where}"
    else:
        kept, said = refuted, f"The sources disagree about this. {where} {second.explanation}"
    violations = tuple(dict.fromkeys((*second.violations, DISAGREE)))
    return replace(kept, explanation=said, evidence=(*second.evidence, quote), violations=violations)


def _denies(stretch: UnassertedStretch, claim: Claim) -> bool:
    """Whether the source says that the claim itself is not so."""
    said = stretch.span.of(stretch.passage.document.text)
    return stretch.item.flat and not is_negative(claim.text) and holds_whole_claim(claim.text, said)
