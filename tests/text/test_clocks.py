"""Times of day."""

import pytest

from assay.text.quantities import Match, compare, find_quantities


def only(text):
    (quantity,) = find_quantities(text)
    return quantity


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("15:00", 900),
        ("15:00:30", 900),
        ("3 pm", 900),
        ("3 p.m.", 900),
        ("3pm", 900),
        ("three o'clock in the afternoon", 900),
        ("nine in the morning", 540),
        ("10 o’clock at night", 1320),
        ("9.30 am", 570),
        ("12 am", 0),
        ("24:00", 0),
        ("midnight", 0),
        ("12 midnight", 0),
        ("12 pm", 720),
        ("at noon", 720),
        ("twelve noon", 720),
        ("half past three", 210),
        ("a quarter to nine in the evening", 1245),
    ],
)
def test_time_is_minutes_after_midnight(text, minutes):
    quantity = only(text)
    assert (quantity.unit, quantity.low) == ("clock", minutes)


@pytest.mark.parametrize(
    ("text", "minutes"), [("3 to 5 pm", [900, 1020]), ("from 9 to 5 pm", [540, 1020]), ("11–12 noon", [660, 720])]
)
def test_first_hour_shares_the_half_of_the_day(text, minutes):
    assert [quantity.low for quantity in find_quantities(text)] == minutes


@pytest.mark.parametrize("text", ["High Noon", "Midnight Oil", "9.30", "3:2", "15 people", "quarter past"])
def test_these_are_no_times(text):
    assert all(quantity.unit != "clock" for quantity in find_quantities(text))


@pytest.mark.parametrize(
    ("claimed", "stated", "match"),
    [
        ("3 pm", "15:00", Match.EQUAL),
        ("3 pm", "15h", Match.EQUAL),
        ("15h30", "3:30 pm", Match.EQUAL),
        ("3 pm", "16h", Match.INCOMPARABLE),
        ("3 pm", "16:00", Match.DIFFERENT),
        ("9 am", "21:00", Match.DIFFERENT),
        ("12 pm", "00:00", Match.DIFFERENT),
        ("9.30 am", "09:30", Match.EQUAL),
        ("5:15", "5:15 pm", Match.EQUAL),
        ("5:15 pm", "5:15", Match.INCOMPARABLE),
        ("eight o'clock", "20:00", Match.EQUAL),
        ("midnight", "00:00", Match.EQUAL),
        ("before 3 pm", "2 pm", Match.INCOMPARABLE),
        ("before 3 pm", "after 3 pm", Match.INCOMPARABLE),
    ],
)
def test_comparison(claimed, stated, match):
    assert compare(only(claimed), only(stated)) is match
