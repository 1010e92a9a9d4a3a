"""Shares of a whole, and what they are compared with."""

from fractions import Fraction

import pytest

from assay.text.quantities import Match, QuantityKind, compare, find_quantities


def only(text):
    (quantity,) = find_quantities(text)
    return quantity


@pytest.mark.parametrize(
    ("text", "percent"),
    [
        ("½", 50),
        ("3/4 of it", 75),
        ("a third", Fraction(100, 3)),
        ("one-third of it", Fraction(100, 3)),
        ("two thirds", Fraction(200, 3)),
        ("a quarter of it", 25),
        ("three-quarters of the members", 75),
        ("two fifths", 40),
        ("half the members", 50),
        ("Half were women", 50),
        ("nearly half said yes", 50),
        ("fell by a third", Fraction(100, 3)),
        ("a third more", Fraction(100, 3)),
        ("one in twenty", 5),
        ("1 in 10,000", Fraction(1, 100)),
        ("one seat in a hundred", 1),
        ("one child in five", 20),
        ("three out of four people", 75),
        ("8 out of 10", 80),
        ("one of every five", 20),
        ("three people in every four", 75),
        ("six in seven", Fraction(600, 7)),
    ],
)
def test_share_is_a_percentage(text, percent):
    quantity = only(text)
    assert (quantity.kind, quantity.unit, quantity.low) == (QuantityKind.PERCENT, "%", percent)
    assert quantity.text in text


@pytest.mark.parametrize(
    "text",
    [
        "a third party",
        "a third-party app",
        "a third was hurt",
        "the third time",
        "the first half of it",
        "a third year student",
        "one in 1990",
        "one in ten minutes",
        "three goals in five games",
        "45 out of 50 states",
        "one of a dozen firms",
        "two quarters of decline",
        "Chapter 1 in 5 parts",
    ],
)
def test_these_are_no_shares(text):
    assert all(quantity.kind is not QuantityKind.PERCENT for quantity in find_quantities(text))


@pytest.mark.parametrize(
    ("claimed", "stated", "match"),
    [
        ("half of", "50 %", Match.EQUAL),
        ("a third", "33 %", Match.ROUNDED),
        ("a third", "33.3 %", Match.ROUNDED),
        ("33.33 %", "a third", Match.ROUNDED),
        ("two thirds", "66 %", Match.ROUNDED),
        ("a third", "34 %", Match.INCOMPARABLE),
        ("a third", "40 %", Match.DIFFERENT),
        ("about a third", "34 %", Match.ROUNDED),
        ("about a third", "40 %", Match.DIFFERENT),
        ("roughly half", "52 %", Match.ROUNDED),
        ("36 %", "about a third", Match.INCOMPARABLE),
        ("one in twenty", "5 %", Match.EQUAL),
        ("one in twenty", "6 %", Match.DIFFERENT),
        ("one in a hundred", "1.4 %", Match.DIFFERENT),
        ("one in five", "a fifth", Match.EQUAL),
        ("0.33", "33 %", Match.EQUAL),
        ("33 percent", "0.33", Match.EQUAL),
        ("0.33", "a third", Match.ROUNDED),
        ("0.33", "40 %", Match.INCOMPARABLE),
        ("no more than a third", "30 %", Match.EQUAL),
        ("no more than a third", "40 %", Match.DIFFERENT),
        ("at least a third", "33 %", Match.EQUAL),
        ("more than half", "60 %", Match.EQUAL),
        ("a third", "a third time", Match.INCOMPARABLE),
        ("five", "one in five", Match.INCOMPARABLE),
    ],
)
def test_comparison(claimed, stated, match):
    assert compare(only(claimed), only(stated)) is match
