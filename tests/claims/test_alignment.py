"""Stretches of a claim's text are found in the answer, whatever was removed or carried in."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.claims import extract_claims, locate
from assay.types import Claim, Span
from tests.claims.test_extract import ANSWERS

WORD = re.compile(r"[^\W_]+")
PARTS = st.sampled_from(
    [
        "The mill ",
        "opened in **1900** ",
        "and closed in *1950*",
        ". ",
        "\n",
        "\n\n",
        "- ",
        "  - ",
        "## Plans\n",
        "**Pro** – ",
        "Price: ",
        "10 GB",
        " [1]",
        "[the guide](http://x.y) ",
        "`code` ",
        "20**20** ",
        "| a | b |\n|---|---|\n| c | **d** |\n",
        "Paris is in France and Berlin is in Germany",
        ", which is old, ",
        "However, ",
    ]
)


def places(claim: Claim, word: str) -> list[Span]:
    at = claim.text.index(word)
    return list(locate(claim, Span(at, at + len(word))))


@pytest.mark.parametrize(
    ("answer", "number", "word", "expected"),
    [
        ("It rose in **2020**.", 0, "2020", ["2020"]),
        ("It rose [1] in 2020.", 0, "rose in", ["rose", "in"]),
        ("It rose in **2020** again.", 0, "in 2020 again", ["in **2020** again"]),
        ("The mill opened in 1900 and closed in 1950.", 1, "1950", ["1950"]),
        ("The mill opened in 1900 and closed in 1950.", 1, "mill", []),
        ("## Pro plan\n- $49 per month", 1, "$49", ["$49"]),
        ("## Pro plan\n- $49 per month", 1, "Pro", []),
        (r"It rose by $\approx 5\%$.", 0, "≈", [r"\approx"]),
        ("It is [the guide](http://x.y) now.", 0, "the guide", ["the guide"]),
        ("The treaty was\nsigned  in 1990.", 0, "was signed", ["was\nsigned"]),
        ("It rose. It rose.", 0, "rose", ["rose", "rose"]),
        ("It **rose**. It rose.", 0, "rose", ["rose", "rose"]),
    ],
)
def test_a_word_is_found_where_it_stands(answer: str, number: int, word: str, expected: list[str]) -> None:
    claim = extract_claims(answer)[number]
    assert [place.of(answer) for place in places(claim, word)] == expected


@settings(max_examples=300, deadline=None)
@given(st.lists(PARTS, max_size=20).map("".join))
def test_every_place_lies_in_the_claim_and_has_its_words(answer: str) -> None:
    for claim in extract_claims(answer):
        if not claim.checkable:
            continue
        located = 0
        for word in WORD.finditer(claim.text):
            found = locate(claim, Span(*word.span()))
            assert all(
                any(home.start <= place.start and place.end <= home.end for home in claim.spans) for place in found
            )
            for home in claim.spans:
                here = "".join(place.of(answer) for place in found if home.start <= place.start < home.end)
                assert "".join(WORD.findall(here)).lower() in ("", word.group().lower())
            located += bool(found)
        assert located or not WORD.search(claim.text)


@settings(max_examples=200, deadline=None)
@given(ANSWERS, st.integers(0, 40), st.integers(0, 40))
def test_it_never_raises_and_never_leaves_the_claim(answer: str, start: int, length: int) -> None:
    for claim in extract_claims(answer):
        for place in locate(claim, Span(start, start + length)):
            assert any(home.start <= place.start <= place.end <= home.end for home in claim.spans)


def test_a_claim_made_by_hand_is_located_if_it_is_the_answers_own_words() -> None:
    assert locate(Claim("It rose.", (Span(5, 13),)), Span(3, 7)) == (Span(8, 12),)
    assert locate(Claim("It rose.", (Span(5, 20),)), Span(3, 7)) == ()
    assert locate(Claim("It rose.", ()), Span(0, 2)) == ()
