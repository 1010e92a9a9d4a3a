import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.lexical.negation import find_denial, negated_around, negation_conflict
from assay.types import Span

WORDS = "vaccines cause autism"


def denied(text, words=WORDS):
    start = text.lower().index(words.lower())
    return negated_around(text, Span(start, start + len(words)))


@pytest.mark.parametrize(
    "text",
    [
        "It is false that vaccines cause autism.",
        "It's simply untrue that vaccines cause autism.",
        "It is not true that vaccines cause autism.",
        "It is not the case that vaccines cause autism.",
        "Critics wrongly claim vaccines cause autism.",
        "Critics wrongly claim that vaccines cause autism.",
        "It has been falsely reported that vaccines cause autism.",
        "Contrary to the myth that vaccines cause autism, they are safe.",
        "There is no evidence that vaccines cause autism.",
        "There is no credible scientific evidence that vaccines cause autism.",
        "The claim “vaccines cause autism” is false.",
        "The idea that vaccines cause autism is a myth.",
        "The agency denied that vaccines cause autism.",
        "Researchers rejected the claim that vaccines cause autism.",
        "It's a common misconception that vaccines cause autism.",
        "The myth that vaccines cause autism persists.",
        "The study does not show that vaccines cause autism.",
    ],
)
def test_words_inside_a_denial_are_negated(text):
    assert denied(text)


@pytest.mark.parametrize(
    "text",
    [
        "Vaccines cause autism.",
        "It is not false that vaccines cause autism.",
        "There is no doubt that vaccines cause autism.",
        "The board did not deny that vaccines cause autism.",
        "It cannot be denied that vaccines cause autism.",
        "Contrary to popular belief, vaccines cause autism.",
        "That is false. Vaccines cause autism.",
        "Vaccines cause autism. That is false.",
        "It did not rain, but vaccines cause autism.",
        "Not only vaccines cause autism but also pollution.",
        "- It is false that\n- vaccines cause autism",
    ],
)
def test_other_negations_leave_the_words_alone(text):
    assert denied(text) is None


def test_not_directly_around_the_words_negates_them():
    assert denied("The drug is not effective in adults.", "effective in adults") == "not"
    assert denied("The drug isn't really effective in adults.", "effective in adults")
    assert denied("The results were not good.", "The results were") == "not"
    assert denied("The drug is not only effective in adults.", "effective in adults") is None


@pytest.mark.parametrize(
    ("claim", "sentence", "conflict"),
    [
        ("Vitamin C cures colds", "Vitamin C does not cure colds.", "not"),
        ("Vitamin C cures colds", "Vitamin C doesn’t cure colds.", "not"),
        ("The law was not passed", "The law was passed.", "not"),
        ("The bridge is open to cars", "The tunnel is closed, and the bridge is not open to cars.", "not"),
        ("Vitamin C cures colds", "Vitamin C cures colds.", None),
        ("Vitamin C cures colds", "Vitamin C not only cures colds.", None),
        ("Vitamin C cures colds", "Vitamin C does not cure colds of smokers with chronic bronchitis.", None),
        ("Vitamin C cures colds", "There is no evidence that vitamin C cures colds.", None),
        ("Dogs can't eat chocolate", "Dogs can not eat chocolate", None),
        ("The firm failed to deliver the product", "The firm did not deliver the product", None),
        ("Einstein won the prize in 1921", "Einstein did not win the prize in 1920", None),
        ("It is not the case", "It is", None),
    ],
)
def test_the_opposite_sign_of_the_same_statement_is_a_conflict(claim, sentence, conflict):
    assert negation_conflict(claim, sentence) == conflict


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.integers(0, 200), st.integers(0, 200))
def test_any_text_can_be_asked(text, one, other):
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    negated_around(text, Span(start, end))
    find_denial(text)
    negation_conflict(text, text[::-1])


def test_a_statement_never_conflicts_with_itself():
    for text in ("It is not so bad as that.", "Nobody never knew nothing of the matter.", "No doubt it rains in May."):
        assert negation_conflict(text, text) is None


def test_what_another_clause_of_the_sentence_denies_is_no_conflict() -> None:
    sentence = "Two models are shipped, both with their hashes and licences in a manifest; nothing is downloaded."
    assert (
        negation_conflict("Two models are shipped, both with their hashes and licences in a manifest.", sentence)
        is None
    )
    assert negation_conflict("Models with their licences are downloaded.", "Models with no licences are downloaded.")
