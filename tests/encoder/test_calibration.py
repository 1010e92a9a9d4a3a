from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.encoder.calibration import Calibration
from assay.errors import ModelError

LABELS = ("SUPPORTED", "REFUTED", "INSUFFICIENT")
logits = st.lists(st.lists(st.floats(-60, 60), min_size=3, max_size=3), min_size=1, max_size=8)


@st.composite
def calibrations(draw: st.DrawFn) -> Calibration:
    def knots() -> list[list[float]]:
        xs = sorted(draw(st.sets(st.integers(0, 100), min_size=2, max_size=8)))
        ys = sorted(draw(st.lists(st.floats(0, 1), min_size=len(xs), max_size=len(xs))))
        return [[x / 100, y] for x, y in zip(xs, ys, strict=True)]

    raw = {"temperature": draw(st.floats(0.1, 10)), "isotonic": {label: knots() for label in LABELS}}
    return Calibration.parse(raw, LABELS)


@given(calibrations(), logits)
def test_probabilities_are_finite_and_sum_to_one(calibration: Calibration, rows: list[list[float]]) -> None:
    found = calibration.apply(np.asarray(rows))
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    assert np.allclose(found.sum(axis=1), 1)


@given(calibrations(), st.lists(st.floats(-20, 20), min_size=3, max_size=3), st.floats(0, 10))
def test_a_larger_logit_never_gives_less_of_its_label(calibration: Calibration, row: list[float], more: float) -> None:
    before, after = calibration.apply(np.asarray([row, [row[0] + more, *row[1:]]]))
    assert after[0] >= before[0] - 1e-9


def test_without_maps_it_is_a_softmax_at_the_temperature() -> None:
    found = Calibration.parse({"temperature": 2.0}, LABELS).apply(np.asarray([[2.0, 0.0, 0.0]]))
    assert np.allclose(found, [[np.e / (np.e + 2), 1 / (np.e + 2), 1 / (np.e + 2)]])


def test_a_map_is_read_between_its_knots_and_the_sum_restored() -> None:
    raw = {"temperature": 1.0, "isotonic": {"SUPPORTED": [[0.0, 0.0], [1.0, 0.5]]}}
    found = Calibration.parse(raw, LABELS).apply(np.log(np.asarray([[0.6, 0.3, 0.1]])))
    assert np.allclose(found, [[0.3 / 0.7, 0.3 / 0.7, 0.1 / 0.7]])


def test_maps_follow_the_order_of_the_labels() -> None:
    raw = {"temperature": 1.0, "isotonic": {"REFUTED": [[0.0, 0.0], [1.0, 0.0]]}}
    found = Calibration.parse(raw, ("REFUTED", "SUPPORTED", "INSUFFICIENT")).apply(np.zeros((1, 3)))
    assert np.allclose(found, [[0.0, 0.5, 0.5]], atol=1e-5)


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"temperature": 0},
        {"temperature": float("nan")},
        {"temperature": 1, "isotonic": {"SUPPORTED": [[0, 0.5], [1, 0.2]]}},
        {"temperature": 1, "isotonic": {"SUPPORTED": [[0.5, 0], [0.4, 1]]}},
        {"temperature": 1, "isotonic": {"SUPPORTED": [[0, 0], [1, 1.5]]}},
        {"temperature": 1, "isotonic": {"SUPPORTED": [0, 1]}},
        {"temperature": 1, "isotonic": [1]},
    ],
)
def test_an_impossible_calibration_is_refused(raw: dict[str, object]) -> None:
    with pytest.raises(ModelError, match="calibration"):
        Calibration.parse(raw, LABELS)
