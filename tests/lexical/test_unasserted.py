"""What a source asks, supposes, denies or takes back is not asserted; what it says under a condition is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.lexical.unasserted import ASKS, DENIES, DOUBTS, SALAD, SUPPOSES, concerning, find_unasserted, is_salad

CLAIM = "The pool closes at 11 pm."


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Does the pool close at 11 pm?", ASKS),
        ("Is it true that the pool closes at 11 pm?", ASKS),
        ("Guests keep asking whether the pool closes at 11 pm.", ASKS),
        ("It is a myth that the pool closes at 11 pm.", DENIES),
        ("A common misconception is that the pool closes at 11 pm.", DENIES),
        ("The leaflet wrongly states that the pool closes at 11 pm.", DENIES),
        ("He lied when he said that the pool closes at 11 pm.", DENIES),
        ("The rumour that the pool closes at 11 pm is completely made up.", DENIES),
        ("“The pool closes at 11 pm” is false.", DENIES),
        ("The pool closes at 11 pm. This is false.", DENIES),
        ("The pool closes at 11 pm. That is simply not true.", DENIES),
        ("Does the pool close at 11 pm? No.", DENIES),
        ("Myth: The pool closes at 11 pm.", DENIES),
        ("Myth 3 – The pool closes at 11 pm.", DENIES),
        ("The pool does not close at 11 pm.", DENIES),
        ("There is no evidence that the pool closes at 11 pm.", DOUBTS),
        ("Suppose that the pool closes at 11 pm.", SUPPOSES),
        ("What if the pool closes at 11 pm?", SUPPOSES),
        ("If the pool closed at 11 pm, the last bus would be empty.", SUPPOSES),
        ("pool 11 closes the pm at pool closes the 11 pm at", SALAD),
        ("pm 11 at closes pool the.", SALAD),
    ],
)
def test_words_that_are_not_asserted_are_named_with_the_reason(text: str, reason: str) -> None:
    assert [item.reason for item in concerning(CLAIM, text)] == [reason]


@pytest.mark.parametrize(
    "text",
    [
        "The pool closes at 11 pm.",
        "If you swim late, note that the pool closes at 11 pm.",
        "If the pool closes at 11 pm, leave by the back door.",
        "When does the pool close? The pool closes at 11 pm.",
        "Does the pool close at 11 pm? Yes, on every day.",
        "Does the pool close at 11 pm? It does.",
        "Did you know that the pool closes at 11 pm?",
        "The pool closes at 11 pm, doesn't it?",
        "Why does the pool close at 11 pm?",
        "It is not a myth that the pool closes at 11 pm.",
        "Contrary to the belief that guests may stay all night, the pool closes at 11 pm.",
        "It is a myth that guests may stay all night; the pool closes at 11 pm.",
        "The pool closes at 11 pm. This is later than last year.",
        "The pool does not open before 7 am and closes at 11 pm.",
        "At 11 pm the pool closes.",
    ],
)
def test_what_a_source_says_stays_evidence(text: str) -> None:
    assert concerning(CLAIM, text) == []


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("It is a myth that the pool closes at 11 pm.", "It is a myth that the pool closes at 11 pm."),
        ("Guests ask whether the pool closes at 11 pm.", "Guests ask whether the pool closes at 11 pm."),
        (
            "If the pool closed at 11 pm, the bus would be empty.",
            "If the pool closed at 11 pm, the bus would be empty.",
        ),
        ("The sauna opens at noon.", "Does the pool close at 11 pm?"),
    ],
)
def test_a_claim_that_reports_or_speaks_of_something_else_is_left_alone(claim: str, text: str) -> None:
    assert concerning(claim, text) == []


def test_disguised_letters_hide_no_denial() -> None:
    assert [item.reason for item in concerning(CLAIM, "It is a m\u0443th that the pool closes at 11 pm.")] == [DENIES]


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [("The capital is Paris.", "Paris is the capital."), ("The tower stands in Paris.", "In Paris the tower stands.")],
)
def test_another_order_of_words_is_no_salad(claim: str, sentence: str) -> None:
    assert not is_salad(claim, sentence)


@given(st.text(max_size=300))
def test_stretches_lie_inside_the_text(text: str) -> None:
    for item in find_unasserted(text):
        assert 0 <= item.span.start <= item.span.end <= len(text)
