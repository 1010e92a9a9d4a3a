"""What a reader is told: which sentences, which words of the claim, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.encoder.verifier import MarkedWord, Opinion
from assay.explanation import EXPLANATION_MAX_TOKENS
from assay.judges.reasons import deciding_sentences, explain_opinion, marked_stretches
from assay.policy import Policy
from assay.text.tokens import count_tokens
from assay.types import Document, Span, Verdict
from tests.judges.opinions import NO, SURE, WRONG, sentence, words

POLICY = Policy()
PLANS = Document("plans", "The Basic plan is $19 per month. The Pro plan is priced at $49 monthly.", title="Plans")
BASIC, PRO = "The Basic plan is $19 per month.", "The Pro plan is priced at $49 monthly."


# Receipts


def test_a_heading_is_never_a_receipt() -> None:
    document = Document("d", "# Prices\nThe Basic plan is $19.")
    opinion = Opinion(
        SURE, (sentence(document, "Prices", 0.7, "heading"), sentence(document, "The Basic plan is $19.", 0.3))
    )
    assert [s.span.of(document.text) for s in deciding_sentences(opinion)] == ["The Basic plan is $19."]
    assert deciding_sentences(Opinion(SURE, opinion.sentences[:1])) == ()


@pytest.mark.parametrize(
    ("weights", "quoted"), [([0.7, 0.3], 2), ([0.9, 0.1], 1), ([0.1, 0.1], 1), ([0.25] * 4, 3), ([], 0)]
)
def test_further_sentences_are_quoted_only_if_they_carry_part_of_the_decision(
    weights: list[float], quoted: int
) -> None:
    found = tuple(sentence(PLANS, BASIC, weight) for weight in weights)
    assert deciding_sentences(Opinion(SURE, found)) == found[:quoted]


# Words of the claim


def test_neighbouring_marked_words_become_one_stretch() -> None:
    claim = "The Pro plan costs about nineteen dollars per month."
    opinion = Opinion(WRONG, (), words(claim, "nineteen", "dollars", "Pro"))
    assert [span.of(claim) for span in marked_stretches(claim, opinion, Verdict.REFUTED)] == ["Pro", "nineteen dollars"]


@pytest.mark.parametrize("whole", ["8,489", "3.5", "twenty-nine"])
def test_a_part_of_a_number_or_word_marks_all_of_it(whole: str) -> None:
    claim = f"It is {whole} m high."
    place = claim.index(whole) + len(whole)
    opinion = Opinion(WRONG, (), (MarkedWord(Span(place - 1, place), 0.9),))
    assert [span.of(claim) for span in marked_stretches(claim, opinion, Verdict.REFUTED)] == [whole]


def test_a_supported_claim_has_no_marked_words() -> None:
    claim = "Pro costs $49."
    assert marked_stretches(claim, Opinion(SURE, (), words(claim, "Pro")), Verdict.SUPPORTED) == ()


@pytest.mark.parametrize("verdict", [Verdict.REFUTED, Verdict.INSUFFICIENT])
def test_a_claim_without_a_marked_word_shows_its_likeliest(verdict: Verdict) -> None:
    claim = "Pro costs $19."
    faint = tuple(MarkedWord(w.span, 0.3 if w.span.of(claim) == "costs" else 0.1) for w in words(claim))
    assert [s.of(claim) for s in marked_stretches(claim, Opinion(WRONG, (), faint), verdict)] == ["costs"]


def test_the_likeliest_word_is_a_word() -> None:
    claim = "Pro costs ."
    faint = tuple(MarkedWord(w.span, 0.4 if w.span.of(claim) == "." else 0.1) for w in words(claim))
    assert marked_stretches(claim, Opinion(WRONG, (), faint), Verdict.REFUTED)


@given(st.text(st.sampled_from("ab. ,9"), max_size=40), st.lists(st.floats(0, 1), min_size=20, max_size=20))
def test_stretches_lie_in_the_claim_in_order_and_have_letters(claim: str, chances: list[float]) -> None:
    marks = tuple(MarkedWord(w.span, chance) for w, chance in zip(words(claim), chances, strict=False))
    last = 0
    for span in marked_stretches(claim, Opinion(WRONG, (), marks), Verdict.REFUTED):
        assert last <= span.start < span.end <= len(claim)
        assert any(map(str.isalnum, span.of(claim)))
        last = span.end


# Explanations


def test_support_quotes_the_source_and_what_it_adds() -> None:
    said = explain_opinion("x", Verdict.SUPPORTED, [sentence(PLANS, BASIC), sentence(PLANS, PRO)], [], POLICY)
    assert said == f"Plans says: “{BASIC}” It also says: “{PRO}”"
    other = Document("terms", "Prices are per seat.", title="Terms")
    said = explain_opinion("x", Verdict.SUPPORTED, [sentence(PLANS, BASIC), sentence(other, other.text)], [], POLICY)
    assert said == f"Plans says: “{BASIC}” Terms adds: “Prices are per seat.”"


def test_a_refutation_says_both_values() -> None:
    document = Document("d", "Doors open at 15:00.", title="Programme")
    claim = "Doors open at 5 pm."
    quotes = [sentence(document, "Doors open at 15:00.")]
    said = explain_opinion(claim, Verdict.REFUTED, quotes, [Span(14, 18)], POLICY)
    assert said == "The source says 15:00, the answer says 5 pm. Programme: “Doors open at 15:00.”"


def test_a_refutation_says_whose_value_it_is() -> None:
    document = Document("d", "The Basic plan is $19 per month.")
    claim = "The Pro plan is $19 per month."
    said = explain_opinion(claim, Verdict.REFUTED, [sentence(document, document.text)], [Span(4, 7)], POLICY)
    assert said.startswith("The source says this of Basic, not of Pro.")


def test_a_refutation_names_the_words_that_are_wrong_and_quotes_the_source() -> None:
    claim = "Carry on with the drops if your eyes turn red."
    document = Document("d", "Stop using the drops if redness occurs.")
    said = explain_opinion(claim, Verdict.REFUTED, [sentence(document, document.text)], [Span(0, 8)], POLICY)
    assert said.startswith("The answer says “Carry on”; ")
    assert "Stop using the drops" in said


def test_an_open_claim_names_what_nothing_backs() -> None:
    claim = "Pro is cheaper if paid yearly."
    said = explain_opinion(claim, Verdict.INSUFFICIENT, [sentence(PLANS, PRO)], [Span(7, 29)], POLICY)
    assert said == f"No source backs “cheaper if paid yearly”. The closest place: “{PRO}”"


@pytest.mark.parametrize("verdict", [Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INSUFFICIENT])
def test_there_are_words_even_without_a_quote(verdict: Verdict) -> None:
    assert explain_opinion("x", verdict, [], [], POLICY)


@given(
    st.text(min_size=1, max_size=2000),
    st.text(min_size=1, max_size=2000),
    st.sampled_from([Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INSUFFICIENT]),
)
def test_an_explanation_never_grows_past_its_limit(claim: str, quote: str, verdict: Verdict) -> None:
    places = [sentence(Document("d", quote), quote)]
    said = explain_opinion(claim, verdict, places, [Span(0, len(claim))], POLICY)
    assert 0 < count_tokens(said) <= EXPLANATION_MAX_TOKENS


def test_no_opinion_no_words() -> None:
    assert marked_stretches("Pro costs $19.", Opinion(NO), Verdict.INSUFFICIENT) == ()
