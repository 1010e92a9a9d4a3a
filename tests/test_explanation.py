import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.explanation import explain, fit, unsupported_spans
from assay.policy import Policy
from assay.text.tokens import count_tokens
from assay.types import Document, Verdict

TOWER = Document("tower.md", "…", title="The tower")


def said(claim, verdict, quotes=(), missing=()):
    return explain(claim, verdict, [(TOWER, quote) for quote in quotes], missing, Policy())


def test_a_refutation_says_what_each_side_says():
    text = said("The tower was built by Smith.", Verdict.REFUTED, ["The tower was built by Jones."])
    assert text.startswith("The source says Jones, the answer says Smith.")
    assert "The tower: “The tower was built by Jones.”" in text


def test_support_quotes_the_source_and_what_it_adds():
    text = said("x", Verdict.SUPPORTED, ["It opened in 1889.", "Eiffel built it."])
    assert text == "The tower says: “It opened in 1889.” It also says: “Eiffel built it.”"


def test_what_is_open_names_the_missing_words_and_the_closest_place():
    text = said("x", Verdict.INSUFFICIENT, ["It opened in 1889."], ["cost", "pounds"])
    assert text == "The source does not mention “cost”, “pounds”. The closest place: “It opened in 1889.”"


@pytest.mark.parametrize("verdict", [Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INSUFFICIENT])
def test_there_are_words_even_without_a_quote(verdict):
    assert said("x", verdict)


@given(st.text(max_size=2000), st.text(max_size=2000), st.sampled_from([Verdict.SUPPORTED, Verdict.REFUTED]))
def test_an_explanation_never_grows_past_its_limit(claim, quote, verdict):
    assert count_tokens(said(claim, verdict, [quote], [claim])) <= Policy().explanation_max_tokens


@given(st.text(max_size=500), st.integers(8, 40))
def test_a_text_that_fits_is_left_alone(text, most):
    shown = fit(text, most)
    assert shown == text if count_tokens(text) <= most else count_tokens(shown) <= most


def test_unsupported_words_are_located_in_the_claim():
    claim = "The tower cost three pounds."
    spans = unsupported_spans(claim, Verdict.INSUFFICIENT, "", ["cost", "pounds"])
    assert [span.of(claim) for span in spans] == ["cost", "pounds"]
    assert unsupported_spans(claim, Verdict.SUPPORTED, "", ["cost"]) == []
