"""Years and months that a text mentions."""

import pytest

from assay.text.dates import find_calendar_mentions


@pytest.mark.parametrize(
    ("text", "years", "months"),
    [
        ("29 May 1953", {1953}, {5}),
        ("1953-05-29", {1953}, {5}),
        ("29/05/1953 or 05/29/1953", {1953}, {5}),
        ("in May, of March, by August", set(), {3, 5, 8}),
        ("It may march; an august man", set(), set()),
        ("Sept. 3 and 4 Dec", set(), {9, 12}),
        ("Mar is a name; Jan too", set(), set()),
        ("1499 1500 2199 2200", {1500, 2199}, set()),
        ("2,000 1953,000 19530 2000m", set(), set()),
        ("between 1914–1918", {1914, 1918}, set()),
        ("January and february", set(), {1, 2}),
    ],
)
def test_years_and_months(text, years, months):
    assert find_calendar_mentions(text).years == years
    assert find_calendar_mentions(text).months == months


def test_an_ambiguous_date_may_be_either_month_and_asserts_neither():
    mentions = find_calendar_mentions("05/06/1953")
    assert (mentions.months, mentions.possible_months) == (frozenset(), {5, 6})
