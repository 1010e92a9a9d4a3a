"""Claims in a language the verifier does not read: what can be said of them without it."""

from __future__ import annotations

from collections.abc import Sequence

from assay.explanation import name_source
from assay.judges import levels
from assay.policy import Policy
from assay.text.comparable import words_of
from assay.text.language import is_english
from assay.text.sentences import split_sentences
from assay.types import Claim, Evidence, Judgement, Passage, RiskFlag, Stance, Support, Verdict


def is_readable(claim: str, passages: Sequence[Passage]) -> bool:
    """Whether the claim and all its passages are in English."""
    return is_english(claim) and all(is_english(passage.text) for passage in passages)


def judge_unread(claim: Claim, passages: Sequence[Passage], policy: Policy) -> Judgement:
    """SUPPORTED where a source has the very words; else nothing is settled."""
    said = words_of(claim.text)
    for passage in passages:
        for sentence in split_sentences(passage.text):
            if said and words_of(sentence.span.of(passage.text)) == said:
                place = sentence.span.shifted(passage.start)
                quote = Evidence.cite(passage.document, place.start, place.end, stance=Stance.SUPPORTS)
                words = f"These words stand in {name_source(passage.document)}."
                return Judgement(Verdict.SUPPORTED, levels.SPAN, "span", Support.FULL, words, (quote,))
    reason = "The text is not in English, which the verifier does not read, and no source has these very words."
    return Judgement(Verdict.INSUFFICIENT, levels.UNSETTLED, "none", explanation=reason)


def language_flag(count: int) -> RiskFlag:
    claims = "one claim is" if count == 1 else f"{count} claims are"
    return RiskFlag(
        "language_not_supported",
        "medium",
        f"{claims} not in English, or its sources are not: only sentences found word for word were supported",
    )
