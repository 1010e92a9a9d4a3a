from training.nearmiss import near_misses
from training.rows import INSUFFICIENT, REFUTED, SUPPORTED, Row


def test_a_near_miss_shares_the_subject_but_not_the_evidence():
    rows = [
        Row("Aspirin lowered fever in forty patients.", "Aspirin lowers fever.", SUPPORTED, "set"),
        Row("Aspirin was first sold by a German company.", "A German company sold aspirin.", SUPPORTED, "set"),
        Row("The bridge over the Rhine was closed.", "The bridge was open.", REFUTED, "set"),
    ]
    made = near_misses(rows, 10, "seed")
    assert {row.hypothesis for row in made} == {"Aspirin lowers fever.", "A German company sold aspirin."}
    for row in made:
        assert row.label == INSUFFICIENT
        assert all(row.premise != other.premise for other in rows if other.hypothesis == row.hypothesis)
