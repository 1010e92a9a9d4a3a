"""Claims that a word holds back: dropping it says more, saying it otherwise does not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.premises import Passage
from training.qualifiers import drop_qualifier, qualified_rows, reword_qualifier
from training.rows import NOT_SUPPORTED, SUPPORTED

HELD_BACK = {
    "modal": "The surname may refer to a region of Norway.",
    "frequency": "Consultant pharmacists were usually independent owners.",
    "extent": "She wrote 29 books, mainly for young girls.",
    "certainty": "The manor possibly predates the survey.",
    "amount": "The prison holds about 18,000 people.",
    "part": "Some of the airport lies in Philadelphia.",
    "rank": "Mears was one of the most influential leaders of the century.",
    "belief": "The film is considered to be the worst ever made.",
    "plan": "The line is expected to be opened in 2019.",
    "exception": "All episodes were rated TV-G, except for the last one.",
    "condition": "Peanut oil can be used as fuel if nothing else is at hand.",
    "report": "The old critic claimed that Heywood played the part of Sencer.",
}


@pytest.mark.parametrize(("kind", "claim"), HELD_BACK.items())
def test_each_kind_of_qualifier_can_be_dropped(kind: str, claim: str) -> None:
    dropped = drop_qualifier(claim, random.Random(0))
    assert dropped is not None
    assert dropped.kind == kind
    assert dropped.label == NOT_SUPPORTED
    assert dropped.text != claim


@pytest.mark.parametrize(
    ("claim", "dropped"),
    [
        ("If the wing is activated, the Air Force takes the command.", "The Air Force takes the command."),
        ("The critic argued that money ruins the game of golf.", "Money ruins the game of golf."),
        ("Hometown was produced by Jennings, except for one track.", "Hometown was produced by Jennings."),
    ],
)
def test_a_clause_that_holds_back_is_cut(claim: str, dropped: str) -> None:
    made = drop_qualifier(claim, random.Random(0))
    assert made is not None
    assert made.text == dropped


@pytest.mark.parametrize(
    "claim",
    [
        "The tower was built in 1887.",
        "The house was built about 1859.",  # a time, not an amount
        "If he wins, he gets the cup.",  # what is left would lean on what was cut
        "It is unknown if Richard took part.",
    ],
)
def test_where_nothing_holds_a_claim_back_nothing_is_dropped(claim: str) -> None:
    assert drop_qualifier(claim, random.Random(0)) is None


def test_a_qualifier_said_otherwise_still_holds_back() -> None:
    said = {reword_qualifier(HELD_BACK["amount"], random.Random(seed)) for seed in range(20)}
    assert said == {"The prison holds some 18,000 people.", "The prison holds close to 18,000 people."}
    assert reword_qualifier(HELD_BACK["condition"], random.Random(0)) is None


@given(st.text(max_size=80), st.integers(0, 9))
def test_any_text_is_read_without_harm(text: str, seed: int) -> None:
    dice = random.Random(seed)
    dropped = drop_qualifier(text, dice)
    if dropped is None:
        assert reword_qualifier(text, dice) is None


def test_rows_of_a_passage_share_their_evidence() -> None:
    passage = Passage("Gregorian chant", "Gregorian chant developed mainly in western Europe during the 9th century.")
    found = [qualified_rows(passage, random.Random(seed)) for seed in range(20)]
    made = [(kind, rows) for kind, rows in found if rows]
    assert made
    for kind, rows in made:
        assert kind == "extent"
        assert len({row.premise for row in rows}) == 1
        assert [row.label for row in rows] == [SUPPORTED, NOT_SUPPORTED, SUPPORTED][: len(rows)]
        assert len({row.hypothesis for row in rows}) == len(rows)
