from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.calibration.recalibration import LabelledScores
from assay.encoder.scores import Scores
from assay.errors import UsageError
from assay.evaluation.calibration_report import count_passing, repeat_fits, split_labels
from assay.policy import Policy


def sure_above(cut: float, count: int, seed: int) -> list[LabelledScores]:
    """Claims of a judge that is right whenever it is surer than `cut`, and guesses below."""
    dice = random.Random(seed)
    found = []
    for _ in range(count):
        said = dice.random()
        holds = said > cut or dice.random() < 0.3
        found.append(LabelledScores.of(Scores(said, 1 - said, 0.0), "SUPPORTED" if holds else "REFUTED"))
    return found


def test_a_promise_that_can_be_made_is_made_and_kept() -> None:
    found = repeat_fits(sure_above(0.6, 1500, 1), 300, 10, Policy(calibration_risk=0.1))
    figures = found.to_dict()
    assert (figures["labels"], figures["fittings"]) == (300, 10)
    assert figures["promised"] == 10
    assert figures["kept"] >= 8
    assert 0.2 < figures["passed"] < 0.7
    assert figures["ece_after"] < figures["ece_before"]
    assert figures["ece_worst"] >= figures["ece_after"]
    assert "made 10 times" in found.text


def test_without_labels_enough_no_promise_is_made() -> None:
    found = repeat_fits(sure_above(0.95, 200, 2), 60, 3)
    assert found.promised == ()
    assert found.to_dict()["wrong"] is None
    assert "could not be made" in found.text


@given(st.integers(2, 40), st.integers(0, 5))
def test_a_choice_and_its_rest_are_all_labels_once(take: int, seed: int) -> None:
    labels = sure_above(0.5, 41, 3)
    chosen, rest = split_labels(labels, take, seed)
    assert len(chosen) == take
    assert sorted(map(id, chosen + rest)) == sorted(map(id, labels))
    assert split_labels(labels, take, seed)[0] == chosen


def test_every_label_taken_leaves_nothing_to_measure_on() -> None:
    with pytest.raises(UsageError, match="leaves nothing to measure on"):
        split_labels(sure_above(0.5, 10, 4), 10, 0)


def test_nothing_passes_a_calibration_without_a_promise() -> None:
    from assay.calibration.recalibration import Recalibration

    assert count_passing(Recalibration(), sure_above(0.5, 10, 5)) == (0, 0)
