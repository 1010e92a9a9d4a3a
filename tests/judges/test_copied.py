"""Claims that a source states in their own words: whole sentences, and clauses that nothing else there limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.claims import extract_claims
from assay.engine.request import read_sources
from assay.evaluation.written import read_written
from assay.judges import levels
from assay.judges.asking import ask
from assay.judges.cascade import Cascade
from assay.judges.copied import asserted_clauses
from assay.lexical.unasserted import find_unasserted
from assay.policy import Policy
from assay.text.language import is_english
from assay.text.sentences import split_sentences
from assay.types import Document, Judgement, Stance, Verdict
from tests.judges.opinions import NO, WRONG, FixedTier, claim, passage, whole

POLICY = Policy()
EXAMPLE = Path("examples/everest/sources")


def judged(text: str, source: str, scores=WRONG) -> Judgement:
    judge = Cascade(tiers=(FixedTier("first", scores),))
    (said,) = ask(judge, [claim(text)], [[passage(source)]], None, POLICY).judgements
    return said


@pytest.mark.parametrize(
    ("sentence", "clauses"),
    [
        ("The museum opens at ten and closes at six.", ["The museum opens at ten", "The museum closes at six"]),
        ("The shop sells maps, and the café serves lunch.", ["The shop sells maps", "the café serves lunch"]),
        ("Audio rights stay with us; film rights are sold.", ["Audio rights stay with us", "film rights are sold"]),
        (
            "The museum was founded in 1900 and has 14 rooms.",
            ["The museum was founded in 1900", "The museum has 14 rooms"],
        ),
        ("The museum may open at ten and it may close at six.", ["The museum may open at ten", "it may close at six"]),
        # a phrase at the end may belong to the first half too
        ("The museum opens at ten and closes at six for members.", ["The museum closes at six for members"]),
        ("The drug lowers the pulse and raises the pressure in rats.", ["The drug raises the pressure in rats"]),
        # a word before the first half, or in it, may hold for the second
        ("The museum only opens at ten and closes at six.", ["The museum only opens at ten"]),
        ("The museum reportedly opens at ten and closes at six.", ["The museum reportedly opens at ten"]),
        ("Given enough snow, the lift opens at ten and closes at six.", ["Given enough snow, the lift opens at ten"]),
        ("At 22 °C wetsuits are forbidden; gloves may be worn.", ["At 22 °C wetsuits are forbidden"]),
        # conditions, reports, denials, questions, contrasts, alternatives, asides
        ("The museum opens at ten and closes at six unless it rains.", []),
        ("If it rains, the museum opens at ten and closes at six.", []),
        ("The mayor said that the museum opens at ten and closes at six.", []),
        ("The museum opens at ten and closes at six, the mayor said.", []),
        ("It is a myth that the museum opens at ten and closes at six.", []),
        ("Does the museum open at ten and close at six?", []),
        ("Suppose the museum opens at ten and closes at six.", []),
        ("No visitor enters the depot and no visitor touches the exhibits.", []),
        ("Admission is free, but the exhibition costs 5 euros.", []),
        ("The museum opens at ten and closes at six (members only).", []),
        ("The museum opens at ten and closes at six – on paper.", []),
        ("The museum opens at ten.", []),
    ],
)
def test_a_clause_is_asserted_if_nothing_else_in_the_sentence_may_limit_it(sentence: str, clauses: list[str]) -> None:
    assert list(asserted_clauses(sentence)) == clauses


@pytest.mark.parametrize("scores", [WRONG, NO])
@pytest.mark.parametrize("half", ["The museum opens at ten.", "The museum closes at six."])
def test_each_half_of_a_sentence_is_supported_whatever_the_model_says(half: str, scores) -> None:
    said = judged(half, "Welcome. The museum opens at ten and closes at six. Bags stay outside.", scores)
    assert (said.verdict, said.confidence, said.unsupported) == (Verdict.SUPPORTED, levels.SPAN, ())
    assert [(item.quote, item.stance) for item in said.evidence] == [
        ("The museum opens at ten and closes at six.", Stance.SUPPORTS)
    ]


def test_a_whole_sentence_is_quoted_before_a_clause_of_another() -> None:
    said = judged("The museum closes at six.", "The museum opens at ten and closes at six. The museum closes at six.")
    assert said.evidence[0].quote == "The museum closes at six."


def test_a_link_in_the_source_does_not_make_other_words_of_it() -> None:
    assert judged("The fees are listed there.", "The [fees](fees.md) are listed there.").verdict is Verdict.SUPPORTED


def test_a_clause_that_the_next_sentence_retracts_is_not_supported() -> None:
    source = "The shop sells maps, and the café serves lunch."
    assert judged("The shop sells maps.", source, NO).verdict is Verdict.SUPPORTED
    assert judged("The shop sells maps.", f"{source} This is false.", NO).verdict is Verdict.REFUTED


def test_a_clause_that_its_sentence_may_limit_is_neither_supported_nor_contradicted_by_it() -> None:
    said = judged("The museum opens at ten.", "The museum opens at ten and closes at six for members.")
    assert (said.verdict, said.unsupported != ()) == (Verdict.INSUFFICIENT, True)
    assert said.evidence[0].quote == "The museum opens at ten and closes at six for members."
    assert judged("The museum opens at nine.", "The museum opens at ten and closes at six.").verdict is Verdict.REFUTED


def test_no_claim_of_a_text_is_refuted_by_the_text_and_its_sentences_are_supported() -> None:
    documents, _, _ = read_sources([EXAMPLE])
    texts = [document.text for document in documents]
    texts += list(dict.fromkeys(d.text for block in read_written()[::5] for d in block.documents))
    judge = Cascade(tiers=(FixedTier("first", WRONG),))  # a model that takes everything for wrong
    seen = 0
    for text in texts:
        if not is_english(text):
            continue
        source = whole(Document("d", text))
        for sentence in split_sentences(text):
            said = sentence.span.of(text)
            claims = [one for one in extract_claims(said) if one.checkable and is_english(one.text)]
            retracted = any(item.span.overlaps(sentence.span) for item in find_unasserted(text))
            if sentence.kind not in ("prose", "bullet") or not claims or retracted:
                continue
            found = ask(judge, claims, [[source]] * len(claims), None, POLICY).judgements
            verdicts = {one.text: judgement.verdict for one, judgement in zip(claims, found, strict=True)}
            assert Verdict.REFUTED not in verdicts.values(), verdicts
            if len(claims) == 1 and len(extract_claims(said)) == 1:
                assert set(verdicts.values()) == {Verdict.SUPPORTED}, verdicts
                seen += 1
    assert seen > 500
