"""Whether a sentence that differs from a claim speaks of the same thing."""

from __future__ import annotations

import pytest

from assay.judges.same_thing import says_otherwise, speaks_of_same
from bench.attack_kinds import POISON, read_pairs

SAME = (
    ("The Marlow pool closes at 9 pm.", "The staff say that the Marlow pool closes at 11 pm.", ""),
    ("The Marlow pool closes at 9 pm.", "Swimmers must leave the water of the Marlow pool by 8 pm.", ""),
    ("Piet Vance wrote the novel Salt Harbour.", "Lena Okoro wrote the novel Salt Harbour.", ""),
    ("The fee is $150.", "Joining costs 180 dollars.", ""),
    ("The Orrin kettle holds two litres.", "It holds 1.5 litres.", "The Orrin kettle"),
)
OTHER = (
    ("The Marlow pool closes at 9 pm.", "The Marlow library closes at 6 pm.", ""),
    ("The Marlow pool closes at 9 pm.", "The Easton pool closes at 9 pm.", ""),
    ("The Corvid 3 battery lasts 14 hours.", "The Corvid 5 battery lasts 30 hours.", ""),
    ("Calculators are forbidden in the first paper.", "Calculators are allowed in the second paper.", ""),
    ("The council rejected the merger with Easton.", "The council approved the merger with Milford.", ""),
    ("The Orrin kettle holds two litres.", "It holds 1.5 litres.", "The Lindal kettle"),
    ("Visitors may park on the north side.", "Staff may park on the south side.", ""),
)


@pytest.mark.parametrize(("claim", "sentence", "title"), SAME)
def test_what_is_said_differently_of_the_same_thing_is_a_conflict(claim: str, sentence: str, title: str) -> None:
    assert speaks_of_same(claim, sentence, title)


@pytest.mark.parametrize(("claim", "sentence", "title"), OTHER)
def test_what_is_said_of_another_thing_is_none(claim: str, sentence: str, title: str) -> None:
    assert not speaks_of_same(claim, sentence, title)


def test_true_statements_about_things_alike_are_told_from_lies_about_the_same_thing() -> None:
    pairs = read_pairs()
    alike = [(pair.truth, other) for pair in pairs for other in pair.alike]
    lies = [(pair.truth, POISON[n % 8].format(x=pair.false, X=pair.lie[:-1])) for n, pair in enumerate(pairs)]
    assert sum(speaks_of_same(*one) for one in alike) <= 0.15 * len(alike)
    assert sum(speaks_of_same(*one) for one in lies) >= 0.95 * len(lies)


def test_a_sentence_that_only_leans_against_a_claim_must_be_about_its_subject() -> None:
    claim, passing = "Marlborough is a town in Cheshire.", "The road runs from Marlborough to the border."
    assert speaks_of_same(claim, passing)
    assert not speaks_of_same(claim, passing, sure=False)


def test_one_changed_word_says_it_otherwise() -> None:
    assert says_otherwise("Glass is a liquid.", "Glass is a solid.")
    assert not says_otherwise("Glass is a liquid.", "Glass is a liquid.")
    assert not says_otherwise("Glass is a liquid.", "Windows are made from sand.")
