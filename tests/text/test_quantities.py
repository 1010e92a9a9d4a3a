"""Quantities by example, and what must hold for any text."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.quantities import Hedge, Match, QuantityKind, compare, find_quantities


def only(text):
    (quantity,) = find_quantities(text)
    return quantity


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8,849 people", 8849),
        ("1 234 567 people", 1234567),
        ("1'234'567 people", 1234567),
        ("1.234.567 people", 1234567),
        ("12,34,567 people", 1234567),
        ("it was −5 then", -5),
        ("300 thousand", 300_000),
        ("3 bn", 3 * 10**9),
        ("2 lakh", 200_000),
        ("5 crore", 50_000_000),
        ("1.2e6", 1_200_000),
        ("1.2 × 10^6", 1_200_000),
        ("1.2×10⁶", 1_200_000),
        ("½ cup", Fraction(1, 2)),
        (".33", Fraction(33, 100)),
        ("2½", Fraction(5, 2)),
        ("1 1/2", Fraction(3, 2)),
        ("two and a half", Fraction(5, 2)),
        ("3 and a third", Fraction(10, 3)),
        ("two and a half million", 2_500_000),
        ("a million and a half", 1_500_000),
        ("a quarter of a million", 250_000),
        ("1.2 m people", 1_200_000),
        ("1.2m users", 1_200_000),
        ("twenty-one", 21),
        ("one hundred and five", 105),
        ("three hundred forty-two thousand", 342_000),
        ("a dozen eggs", 12),
        ("two million", 2_000_000),
        ("half a million", 500_000),
    ],
)
def test_number_has_its_value(text, value):
    quantity = only(text)
    assert (quantity.kind, quantity.low, quantity.high) == (QuantityKind.NUMBER, value, value)


@pytest.mark.parametrize(
    ("text", "kind", "unit", "value"),
    [
        ("12%", "percent", "%", 12),
        ("12 per cent", "percent", "%", 12),
        ("5 pct", "percent", "%", 5),
        ("5 percentage points", "percent", "pp", 5),
        ("$1.2M", "money", "USD", 1_200_000),
        ("€3 billion", "money", "EUR", 3 * 10**9),
        ("USD 40", "money", "USD", 40),
        ("40 dollars", "money", "USD", 40),
        ("£5m", "money", "GBP", 5_000_000),
        ("$1.2 m", "money", "USD", 1_200_000),
        ("$3b", "money", "USD", 3 * 10**9),
        ("5 m euros", "money", "EUR", 5_000_000),
        ("1.2 m", "measure", "m", Fraction(6, 5)),
        ("A$ 7", "money", "AUD", 7),
        ("8.849 km", "measure", "m", 8849),
        ("30 km²", "measure", "m²", 30_000_000),
        ("3 cubic metres", "measure", "m³", 3),
        ("90 km/h", "measure", "m/s", 25),
        ("212 °F", "measure", "°C", 100),
        ("3 GB", "measure", "byte", 3 * 10**9),
        ("1 kWh", "measure", "J", 3_600_000),
        ("5 ft 10 in", "measure", "m", Fraction("1.778")),
        ("3 hours 20 minutes", "duration", "s", 12_000),
        ("2h30", "duration", "s", 9_000),
        ("after 30s", "duration", "s", 30),
        ("5min", "duration", "s", 300),
        ("24h", "duration", "s", 86_400),
        ("90d", "duration", "s", 90 * 86_400),
        ("half an hour", "duration", "s", 1_800),
        ("a half-hour", "duration", "s", 1_800),
        ("a quarter of an hour", "duration", "s", 900),
        ("three quarters of an hour", "duration", "s", 2_700),
        ("an hour and a half", "duration", "s", 5_400),
        ("two-and-a-half hours", "duration", "s", 9_000),
        ("two hours and a half", "duration", "s", 9_000),
        ("a day and a half", "duration", "s", 129_600),
        ("half a year", "duration", "s", 6 * 2629746),
        ("a quarter of a century", "duration", "s", 25 * 31556952),
        ("within a week", "duration", "s", 604_800),
        ("100 miles an hour", "measure", "m/s", Fraction("44.704")),
        ("aged 47", "duration", "s", 47 * 31556952),
        ("a decade", "duration", "s", 10 * 31556952),
        ("21st", "ordinal", "", 21),
        ("twenty-first", "ordinal", "", 21),
    ],
)
def test_measured_quantity_is_canonical(text, kind, unit, value):
    quantity = only(text)
    assert (quantity.kind.value, quantity.unit, quantity.low) == (kind, unit, value)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("29 May 1953", (1953, 5, 29)),
        ("May 29th, 1953", (1953, 5, 29)),
        ("the 29th of May 1953", (1953, 5, 29)),
        ("29/05/1953", (1953, 5, 29)),
        ("1953-05-29", (1953, 5, 29)),
        ("05/06/1953", (1953, None, None)),
        ("May 1953", (1953, 5, None)),
        ("29 May", (None, 5, 29)),
        ("in 1953", (1953, None, None)),
        ("in 2024-05", (2024, 5, None)),
        ("updated 2024-05-01", (2024, 5, 1)),
        ("the 1953 expedition", (1953, None, None)),
        ("in the spring of 1953", (1953, None, None)),
        ("44 BC", (-43, None, None)),
        ("Q3 2021", (2021, None, None)),
    ],
)
def test_date_has_its_parts(text, parts):
    quantity = only(text)
    assert quantity.kind is QuantityKind.DATE
    assert (quantity.year, quantity.month, quantity.day) == parts


@pytest.mark.parametrize("text", ["10–20", "between 10 and 20", "from 10 to 20", "10 to 20"])
def test_range_has_both_ends(text):
    assert (only(text).low, only(text).high) == (10, 20)


def test_magnitude_and_share_hold_for_both_ends_of_a_range():
    assert (only("40–45 thousand").low, only("40–45 thousand").high) == (40_000, 45_000)
    assert (only("between a quarter and a half of it").low, only("a quarter to one half").high) == (25, 50)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("$19 per month", 2629746),
        ("$19 a year", 31556952),
        ("$19/mo", 2629746),
        ("$19 per user per month", 2629746),
        ("$19 annually", 31556952),
        ("$19 per annum", 31556952),
        ("8 hours a day", 86_400),
        ("120 requests per minute", 60),
        ("30 frames a second", 1),
        ("5 mg a day", 86_400),
        ("$19", None),
        ("$19 a head", None),
        ("19 people", None),
    ],
)
def test_rate_has_its_period(text, seconds):
    assert only(text).period == seconds


def test_a_year_later_is_no_rate():
    assert find_quantities("It sold for $5 million a year later.")[0].period is None


def test_change_from_one_value_to_another_is_no_range():
    assert [q.low for q in find_quantities("It rose from 10 to 20.")] == [10, 20]


@pytest.mark.parametrize(
    ("text", "hedge"),
    [
        ("about 300", Hedge.ABOUT),
        ("~300", Hedge.ABOUT),
        ("nearly 300", Hedge.NEARLY),
        ("more than 300", Hedge.OVER),
        ("less than 300", Hedge.UNDER),
        ("at least 300", Hedge.AT_LEAST),
        ("300+", Hedge.AT_LEAST),
        ("up to 300", Hedge.AT_MOST),
        ("no more than 300", Hedge.AT_MOST),
        ("not exceeding 300", Hedge.AT_MOST),
        ("300 at most", Hedge.AT_MOST),
        ("no more than a third", Hedge.AT_MOST),
        ("at least half", Hedge.AT_LEAST),
        ("before 1953", Hedge.UNDER),
        ("exactly 300", Hedge.NONE),
    ],
)
def test_hedge_is_read(text, hedge):
    assert only(text).hedge is hedge


@pytest.mark.parametrize(
    ("text", "hedges"),
    [
        ("up to 70 miles per hour (113 km/h)", [Hedge.AT_MOST, Hedge.AT_MOST]),
        ("about 5 kg [11 lb]", [Hedge.ABOUT, Hedge.ABOUT]),
        ("70 miles per hour (113 km/h)", [Hedge.NONE, Hedge.NONE]),
        ("up to 70 miles per hour (over 113 km/h)", [Hedge.AT_MOST, Hedge.OVER]),
        ("up to 70 km (5 km on foot)", [Hedge.AT_MOST, Hedge.NONE]),
        ("up to 70 km, 70 km", [Hedge.AT_MOST, Hedge.NONE]),
    ],
)
def test_a_value_given_again_in_brackets_is_as_loose_as_the_first(text, hedges):
    assert [quantity.hedge for quantity in find_quantities(text)] == hedges


@pytest.mark.parametrize(
    "text",
    [
        "Python 3.11.7",
        "see [3] and [1, 2]",
        "https://a.org/12/34",
        "24/7",
        "no one",
        "one of them",
        "1. Mix",
        "Order 1234-56",
        "see 2000-12",
        "ticket #2000-12",
        "No. 2000-12",
        "Order 2024-05-01",
        "pages 12–14",
        "ISBN 978-3-16-148410-0",
        "call +1 555 123 4567",
        "call (555) 123-4567",
        "call 555-1234",
        "020 7946 0958",
        "192.168.100.200:8080",
        "commit 837d512",
        "550e8400-e29b-41d4-a716-446655440000",
        "A113",
        "10-K",
        "3d printing",
        "the 30s",
        "in their 20s and 30s",
        "mid-30s",
        "over-60s",
        "half-hearted",
        "half a chance",
        "the southern half of the island",
        "twice a week",
    ],
)
def test_marks_and_codes_are_no_quantities(text):
    assert find_quantities(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Apollo 11", "apollo"),
        ("COVID-19", "covid"),
        ("Section 4", "section"),
        ("B-36", "b"),
        ("A-113", "a"),
        ("§ 12", "number"),
        ("version 2.10", "version"),
        ("ticket 4711", "ticket"),
        ("ISBN 9783161484100", "isbn"),
        ("serotype 3", "serotype"),
    ],
)
def test_number_in_a_name_is_labelled(text, name):
    assert only(text).name == name


def test_second_number_of_a_name_is_labelled_too():
    assert [quantity.name for quantity in find_quantities("Sections 3 and 4")] == ["sections", "sections"]


def test_year_like_count_is_a_number():
    assert only("of 2000 people").kind is QuantityKind.NUMBER


@pytest.mark.parametrize(
    ("claimed", "stated", "match"),
    [
        ("8,849 m", "8.849 km", Match.EQUAL),
        ("29,032 ft", "8,849 m", Match.ROUNDED),
        ("8.8 km", "8,849 m", Match.ROUNDED),
        ("8,849 m", "8.8 km", Match.INCOMPARABLE),
        ("8,489 m", "8,849 m", Match.DIFFERENT),
        ("8,849 m", "8,849 kg", Match.INCOMPARABLE),
        ("about 300", "298.6", Match.ROUNDED),
        ("about 300", "250", Match.DIFFERENT),
        ("300", "300,000", Match.DIFFERENT),
        ("298", "about 300", Match.INCOMPARABLE),
        ("more than 300", "301", Match.EQUAL),
        ("more than 300", "250", Match.DIFFERENT),
        ("at least 300", "300", Match.EQUAL),
        ("less than 200", "more than 300", Match.DIFFERENT),
        ("more than 400", "more than 300", Match.INCOMPARABLE),
        ("10–20", "15", Match.ROUNDED),
        ("15", "10–20", Match.INCOMPARABLE),
        ("90 minutes", "1.5 hours", Match.EQUAL),
        ("$40", "€40", Match.INCOMPARABLE),
        ("more than 70 mph", "up to 70 mph", Match.DIFFERENT),
        ("at most 70 mph", "more than 70 mph", Match.DIFFERENT),
        ("at least 70 mph", "up to 70 mph", Match.INCOMPARABLE),
        ("more than 70 mph", "70 mph", Match.INCOMPARABLE),
        ("8,849 m", "29,032 ft", Match.ROUNDED),
        ("5 km", "5,000 m", Match.EQUAL),
        ("1.2 m people", "1.2 m", Match.INCOMPARABLE),
        ("70 °F", "21 °C", Match.ROUNDED),
        ("30 days", "one month", Match.ROUNDED),
        ("90d", "three months", Match.ROUNDED),
        ("24h", "within a day", Match.EQUAL),
        ("half a year", "six months", Match.EQUAL),
        ("a year and a half", "18 months", Match.EQUAL),
        ("a year and a half", "17 months", Match.DIFFERENT),
        ("$19 per month", "$228 a year", Match.EQUAL),
        ("$19 per month", "$200 a year", Match.INCOMPARABLE),
        ("$19 per month", "$29 a month", Match.DIFFERENT),
        ("$19", "$19 per month", Match.EQUAL),
        ("120 requests per minute", "2 requests per second", Match.EQUAL),
        ("40 to 45", "between 40 and 45", Match.EQUAL),
        ("50", "40–45", Match.DIFFERENT),
        ("up to 30 days", "up to 14 days", Match.INCOMPARABLE),
        ("at least 8,849 m", "29,032 ft", Match.EQUAL),
        ("40–45 miles", "64–72 km", Match.EQUAL),
        ("5 percent", "5 percentage points", Match.INCOMPARABLE),
        ("third", "3", Match.INCOMPARABLE),
        ("in 1953", "29 May 1953", Match.EQUAL),
        ("29 May 1953", "in 1953", Match.INCOMPARABLE),
        ("May 1953", "June 1953", Match.DIFFERENT),
        ("29 May", "29 May 1953", Match.EQUAL),
        ("the 1950s", "29 May 1953", Match.EQUAL),
        ("the 19th century", "in 1953", Match.DIFFERENT),
        ("before 1960", "in 1953", Match.EQUAL),
        ("in 1939", "1939–45", Match.EQUAL),
        ("1953", "29 May 1953", Match.EQUAL),
        ("Apollo 11", "Apollo 12", Match.DIFFERENT),
        ("version 2.10", "version 2.1", Match.DIFFERENT),
    ],
)
def test_comparison(claimed, stated, match):
    assert compare(only(claimed), only(stated)) is match


def test_tolerance_widens_a_hedge():
    assert compare(only("about 300"), only("270"), tolerance=0.15) is Match.ROUNDED


PIECES = """
    1 12 300 1,234 1.5 1953 29 ½ one two twenty hundred million half a dozen May 29th first third $ € % km m ft 5km s h
    about more than between and from to – - / . , ( ) [ ] : x 10 ^ e6 Apollo GPT- BC century Q3 İ ß ² pm one-
"""
pieces = st.sampled_from([*PIECES.split(), "\x00", "\ud800", "\n"])
texts = st.text(max_size=200) | st.lists(pieces, max_size=40).map(" ".join) | st.lists(pieces, max_size=40).map("".join)


@given(texts)
def test_spans_are_exact_and_in_order(text):
    end = 0
    for quantity in find_quantities(text):
        assert quantity.span.of(text) == quantity.text != ""
        assert quantity.span.start >= end
        assert quantity.low <= quantity.high
        end = quantity.span.end


@given(texts)
def test_every_quantity_agrees_with_itself(text):
    for quantity in find_quantities(text):
        assert compare(quantity, quantity) in (Match.EQUAL, Match.ROUNDED)


@given(texts, texts)
def test_any_two_quantities_can_be_compared(one, two):
    for claimed in find_quantities(one)[:5]:
        for stated in find_quantities(two)[:5]:
            assert isinstance(compare(claimed, stated), Match)


@pytest.mark.parametrize(
    "unit",
    [
        *("1", "1.", "1,", "1/", ".", "1-", "111 ", "one hundred and ", "5 ft ", "10s-", "10s and ", "a"),
        *(
            "3 o'clock ",
            "o'clock ",
            "1:30:",
            "1 in ",
            "one of every ",
            "half a quarter to ",
            "1 and a half ",
            "a1",
            "0 12 ",
        ),
        *("Section 3 and 4 ", "see 1-1 ", "5 per second ", "a third of a "),
    ],
)
def test_long_runs_are_read(unit):
    text = unit * (30_000 // len(unit))
    assert all(quantity.span.of(text) == quantity.text for quantity in find_quantities(text)[:50])


@pytest.mark.parametrize("text", ["0₩0", "5$7", "1€2€3", "5 USD 7", "3 minus 2 minus 1", "5%-7%"])
def test_a_sign_belongs_to_one_number_only(text):
    found = find_quantities(text)
    assert all(one.span.end <= other.span.start for one, other in pairwise(found))
