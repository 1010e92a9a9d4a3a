"""The number prover by example, and what must hold for any text."""

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assay.lexical.derivations import find_derivation
from assay.lexical.numbers import NumberStatus, prove_numbers
from assay.text.quantities import Match, compare, find_quantities

CASES = yaml.safe_load((Path(__file__).parent / "cases" / "numbers.yaml").read_text(encoding="utf-8"))

PIECES = """
    Everest K2 is was 8,849 m km high in 1953 May 29 three 3 daughters % $ 40 total about . , | It 1/2 not
"""
pieces = st.sampled_from([*PIECES.split(), "\n"])
texts = st.text(max_size=120) | st.lists(pieces, max_size=25).map(" ".join)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case):
    proof = prove_numbers(case["claim"], case["source"])
    assert {check.claimed.text: check.status.value for check in proof.checks} == case["expect"], proof.explanation
    assert case.get("says", "") in proof.explanation
    for check in proof.checks:
        if check.stated is not None:
            assert check.stated.span.of(case["source"]) == check.stated.text
            assert check.sentence is not None


def test_offset_moves_the_stated_span_into_the_document():
    document = "An introduction. Everest is 8,849 m high."
    check = prove_numbers("Everest is 8,489 m high.", document[17:], offset=17).checks[0]
    assert check.status is NumberStatus.DIFFERENT
    assert check.stated.span.of(document) == "8,849 m"
    assert check.sentence.of(document) == "Everest is 8,849 m high."


def test_claim_without_numbers_proves_nothing():
    proof = prove_numbers("Everest is high.", "Everest is 8,849 m high.")
    assert (proof.checks, proof.proved, proof.refuted) == ((), False, False)


def test_opening_first_is_no_number_of_the_claim():
    assert prove_numbers("First, mix the flour.", "Mix the flour.").checks == ()


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "The gross Victorian product rose by 17% to $8.7 million.",
            "The gross Victorian product rose by 17% to $8.7 billion.",
        ),
        ("Beryl brought winds of more than 70 mph (113 km/h).", "Beryl brought winds of up to 70 mph (113 km/h)."),
    ],
)
def test_a_sum_without_words_beside_it_and_a_value_in_two_units_are_refuted(claim, source):
    assert prove_numbers(claim, source).refuted
    assert prove_numbers(source, source).proved


def test_of_two_sums_without_words_beside_them_neither_refutes():
    source = "The gross Victorian product rose by 17% to $8.7 billion, $9 billion."
    assert not prove_numbers("The gross Victorian product rose by 17% to $8.7 million.", source).refuted


def derive(claim, source, **options):
    (claimed,) = find_quantities(claim)
    found = find_derivation(claimed, find_quantities(source), claim=claim, **options)
    return found.explanation if found else None


@pytest.mark.parametrize(
    ("claim", "source", "explanation"),
    [
        ("a total of 67", "40 and then 27", "67 = 40 + 27"),
        ("a total of $67", "$40, then $20, then $7", "$67 = $40 + $20 + $7"),
        ("13 more than the other", "40 against 27", "13 = 40 − 27"),
        ("12.5 % of them", "of 40 only 5", "12.5 % = 5 / 40"),
        ("an average of 33.5", "40 and 27", "33.5 = (40 + 27) / 2"),
        ("a growth of 25 %", "40 and then 50", "25 % = the change from 40 to 50"),
        ("13 years later", "in 1940 and in 1953", "13 years = 1953 − 1940"),
    ],
)
def test_derivation_is_explained(claim, source, explanation):
    assert derive(claim, source) == explanation


def test_nothing_is_derived_without_a_cue():
    assert derive("there were 67", "40 and then 27") is None
    assert derive("there were 67", "40 and then 27", table=True) == "67 = 40 + 27"


def test_small_number_is_not_derived_from_many():
    assert derive("a total of 9", "1 then 5 then 3 then 4 then 8 then 2 then 6") is None


def test_other_units_are_not_added():
    assert derive("a total of 67 km", "40 kg and then 27 km") is None


@given(texts, texts)
def test_any_texts_are_proved_without_error_and_with_true_receipts(claim, source):
    for check in prove_numbers(claim, source).checks:
        assert check.claimed.span.of(claim) == check.claimed.text
        if check.stated is not None:
            assert check.stated.span.of(source) == check.stated.text


@given(texts)
def test_a_text_never_refutes_itself(text):
    assert not prove_numbers(text, text).refuted


digits = st.from_regex(r"[0-9]{1,4}(?:[.,:/–-][0-9]{1,4}){0,3}", fullmatch=True)
amounts = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(
        ["", "about ", "up to ", "no more than ", "$", "§ ", "Order ", "see ", "No. ", "in ", "-", "+", "A-", "v"]
    ),
    digits | st.sampled_from(["a third", "half", "one in five", "noon", "two and a half", "twenty-one", "1½", "3/4"]),
    st.sampled_from(["", " ", "-"]),
    st.sampled_from(["", *"% m km ft s h d min pm people °C million k bn th s".split(), "per cent", "of them"]),
    st.sampled_from(["", " a year", " per second", "/month", " or more", " ago", " in all"]),
)
sentences = st.lists(amounts, min_size=1, max_size=4).map(lambda found: f"The Helmar dam has {' and '.join(found)}.")


@given(st.lists(sentences, min_size=1, max_size=3).map(" ".join))
def test_digits_of_any_shape_never_differ_from_themselves(text):
    assert not prove_numbers(text, text).refuted
    for quantity in find_quantities(text):
        assert compare(quantity, quantity) in (Match.EQUAL, Match.ROUNDED)


ROOT = Path(__file__).parents[2]
SHIPPED = sorted(
    path
    for folder in ("examples", "docs", "tests")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".md", ".txt", ".html", ".yaml", ".toml")
)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_paragraph_of_a_shipped_text_refutes_itself(path):
    for paragraph in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
        if len(paragraph) < 3000:  # the work grows with the square of the numbers
            assert not prove_numbers(paragraph, paragraph).refuted, paragraph
