"""Verdicts that rest on words which a source does not assert: the claim is judged again without them.

Any judge may take "Are bats birds?" or "It is a myth that bats are birds" for the statement. What a source asks,
supposes or denies is taken out of the evidence, and the second judgement counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.defuse import cut_passage
from assay.lexical.unasserted import Unasserted, concerning, holds_whole_claim
from assay.lexical.wording import name_source, quoted
from assay.policy import Policy
from assay.types import Claim, Evidence, Judgement, Passage, Span, Stance, Support, Verdict

UNASSERTED = "NOT_ASSERTED"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Words of a passage that it does not assert, where they stand in the document."""

    passage: Passage
    span: Span
    item: Unasserted


def find_stretches(claim: Claim, passages: Sequence[Passage], verdict: Verdict) -> list[Stretch]:
    """The unasserted words about a claim that its verdict may rest on.

    That a source denies the very words of a claim is no reason to doubt a refutation.
    """
    if verdict not in (Verdict.SUPPORTED, Verdict.REFUTED):
        return []
    found = [
        Stretch(passage, item.span.shifted(passage.start), item)
        for passage in passages
        for item in concerning(claim.text, passage.text)
    ]
    if verdict is Verdict.REFUTED:
        found = [one for one in found if not (one.item.flat and _whole(claim, one))]
    return found


def without(passages: Sequence[Passage], stretches: Sequence[Stretch]) -> list[Passage]:
    """The passages cut around the stretches; what is left of their sentences stays."""
    return [
        piece
        for passage in passages
        for piece in cut_passage(passage, sorted(one.span for one in stretches if one.passage is passage))
    ]


def reconsidered(claim: Claim, second: Judgement, stretches: Sequence[Stretch], policy: Policy) -> Judgement:
    """The second judgement; where nothing else settles the claim, it says what the source does with these words."""
    if second.verdict is not Verdict.INSUFFICIENT:
        return second
    denied = next((one for one in stretches if one.item.flat and _whole(claim, one)), None)
    shown = denied or stretches[0]
    document = shown.passage.document
    said = (
        f"The source {shown.item.reason}. {name_source(document, capital=True)}: {quoted(shown.span.of(document.text))}"
    )
    stance = Stance.REFUTES if denied else Stance.NEUTRAL
    quote = Evidence.cite(document, shown.span.start, shown.span.end, stance=stance)
    return replace(
        second,
        verdict=Verdict.REFUTED if denied else Verdict.INSUFFICIENT,
        confidence=policy.negation_confidence if denied else policy.unsettled_confidence,
        support=Support.CONTRADICTED if denied else Support.NONE,
        explanation=said,
        evidence=(quote,),
        violations=tuple(dict.fromkeys((*second.violations, *(() if denied else (UNASSERTED,))))),
    )


def _whole(claim: Claim, stretch: Stretch) -> bool:
    return holds_whole_claim(claim.text, stretch.span.of(stretch.passage.document.text))
