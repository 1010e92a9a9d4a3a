import random
import re

import pytest

from training.contrast import CHANGES, change_name, change_negation, change_number, contrast
from training.rows import NOT_SUPPORTED, REFUTED

CLAIMS = [
    "Ed Wood is a 1994 American film directed by Tim Burton.",
    "The population was 403 at the 2010 census.",
    "She was born on July 16, 1966 in Los Angeles.",
    "All players were paid 1,200 dollars before the match.",
    "The tower is 3.5 metres higher than the church.",
]
PREMISE = "In 1988 Johnny Depp met Martin Landau in Denver; 512 people and 77 dogs came. It was 9.5 km away."


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_contrast_always_differs_and_never_counts_as_supported(claim):
    for seed in range(60):
        made = contrast(claim, PREMISE, random.Random(seed))
        assert made is not None
        assert made.text != claim
        assert made.label in (REFUTED, NOT_SUPPORTED)


def test_a_changed_number_is_another_number():
    for seed in range(200):
        made = change_number(
            "The bridge, 1,200 m long, opened in 1999 and cost 3.0 million.", PREMISE, random.Random(seed)
        )
        if made:
            assert float(made.new.replace(",", "")) != float(made.old.replace(",", ""))


def test_negation_is_added_and_taken_away():
    dice = random.Random(0)
    assert re.fullmatch(r"Water is (not|never) wet\.", change_negation("Water is wet.", "", dice).text)
    assert change_negation("Water is not wet.", "", dice).text == "Water is wet."


def test_no_negation_inside_a_relative_clause():
    assert change_negation("People who are 55 years old sleep well.", "", random.Random(0)) is None


def test_a_name_is_replaced_by_one_the_premise_mentions():
    premise = "The film was made by Tim Burton. Bela Lugosi was played by Martin Landau."
    made = change_name("The film was made by Tim Burton.", premise, random.Random(0))
    assert made.new == "Martin Landau"


def test_every_change_leaves_alone_a_claim_it_does_not_apply_to():
    for change in CHANGES:
        assert change("Hm.", PREMISE, random.Random(0)) is None
