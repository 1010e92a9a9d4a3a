from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.encoder.calibration import Calibration, earned
from assay.errors import ModelError

LABELS = ("SUPPORTED", "REFUTED", "INSUFFICIENT")
logits = st.lists(st.lists(st.floats(-60, 60), min_size=3, max_size=3), min_size=1, max_size=8)


@st.composite
def calibrations(draw: st.DrawFn) -> Calibration:
    def knots() -> list[list[float]]:
        xs = sorted(draw(st.sets(st.integers(0, 100), min_size=2, max_size=8)))
        ys = sorted(draw(st.lists(st.floats(0, 1), min_size=len(xs), max_size=len(xs))))
        return [[x / 100, y] for x, y in zip(xs, ys, strict=True)]

    raw = {
        "temperature": draw(st.floats(0.1, 10)),
        "isotonic": {label: knots() for label in LABELS},
        "shift": {label: draw(st.floats(-5, 5)) for label in draw(st.sets(st.sampled_from(LABELS)))},
    }
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


def test_a_shift_is_added_to_the_logits_of_its_label_after_the_temperature() -> None:
    raw = {"temperature": 2.0, "shift": {"REFUTED": -1.0}}
    found = Calibration.parse(raw, ("INSUFFICIENT", "REFUTED", "SUPPORTED")).apply(np.asarray([[2.0, 4.0, 0.0]]))
    assert np.allclose(found, [[np.e / (2 * np.e + 1), np.e / (2 * np.e + 1), 1 / (2 * np.e + 1)]])


def test_costs_are_nothing_unless_they_are_given() -> None:
    assert Calibration.parse({"temperature": 1.0}, LABELS) == Calibration()
    given = Calibration.parse({"temperature": 1.0, "costs": {"false_refuted": 2, "false_supported": 0.5}}, LABELS)
    assert (given.false_refuted, given.false_supported) == (2.0, 0.5)


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"temperature": 0},
        {"temperature": 1.0, "rooms": []},
        {"temperature": 1.0, "rooms": [160, 0]},
        {"temperature": 1.0, "rooms": ["wide"]},
        {"temperature": float("nan")},
        {"temperature": 1, "isotonic": {"SUPPORTED": [[0, 0.5], [1, 0.2]]}},
        {"temperature": 1, "isotonic": {"SUPPORTED": [[0.5, 0], [0.4, 1]]}},
        {"temperature": 1, "isotonic": {"SUPPORTED": [[0, 0], [1, 1.5]]}},
        {"temperature": 1, "isotonic": {"SUPPORTED": [0, 1]}},
        {"temperature": 1, "isotonic": [1]},
        {"temperature": 1, "shift": {"SUPPORTED": float("inf")}},
        {"temperature": 1, "shift": [1, 2, 3]},
        {"temperature": 1, "costs": {"false_refuted": "much"}},
        {"temperature": 1, "costs": {"false_supported": float("nan")}},
    ],
)
def test_an_impossible_calibration_is_refused(raw: dict[str, object]) -> None:
    with pytest.raises(ModelError, match="calibration"):
        Calibration.parse(raw, LABELS)


# The verdict that probabilities earn

S, R, I = range(3)  # noqa: E741
costs = st.floats(0, 20)


@st.composite
def shares(draw: st.DrawFn) -> np.ndarray:
    parts = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted)
    rows = draw(st.lists(parts, min_size=1, max_size=12))
    return np.asarray([(a, b - a, 1 - b) for a, b in rows])


@given(shares())
def test_without_costs_the_likeliest_is_earned(rows: np.ndarray) -> None:
    for row, best in zip(rows, earned(rows, 0.0, 0.0), strict=True):
        assert row[best] == row.max()


def test_a_tie_settles_nothing() -> None:
    assert earned(np.asarray([[0.5, 0.0, 0.5], [0.0, 0.5, 0.5]]), 0.0, 0.0).tolist() == [I, I]


@pytest.mark.parametrize(
    ("row", "cost", "verdict"),
    [
        ((0.40, 0.50, 0.10), 0.0, R),
        ((0.40, 0.45, 0.15), 1.0, S),  # refutation is worth 0.05 now, support 0.40
        ((0.30, 0.40, 0.30), 1.0, I),
        ((0.30, 0.40, 0.30), 0.2, R),
        ((0.02, 0.60, 0.38), 1.0, R),  # support is unlikely: its cost is small
        ((0.00, 0.60, 0.40), 20.0, R),  # and impossible: no cost at all
        ((0.02, 0.60, 0.38), 20.0, I),
    ],
)
def test_the_cost_of_a_false_refutation_counts_where_support_is_likely(
    row: tuple[float, float, float], cost: float, verdict: int
) -> None:
    assert earned(np.asarray([row]), cost, 0.0).tolist() == [verdict]


@pytest.mark.parametrize(
    ("row", "cost", "verdict"),
    [
        ((0.60, 0.10, 0.30), 0.0, S),
        ((0.60, 0.10, 0.30), 1.0, I),
        ((0.60, 0.30, 0.10), 1.0, R),
        ((0.90, 0.05, 0.05), 1.0, S),
        ((0.90, 0.05, 0.05), 9.0, I),
        ((1.00, 0.00, 0.00), 20.0, S),
    ],
)
def test_the_cost_of_false_support_counts_by_all_that_is_not_support(
    row: tuple[float, float, float], cost: float, verdict: int
) -> None:
    assert earned(np.asarray([row]), 0.0, cost).tolist() == [verdict]


@given(shares(), costs, costs, costs)
def test_a_dearer_false_refutation_never_adds_a_refutation(
    rows: np.ndarray, false_refuted: float, more: float, false_supported: float
) -> None:
    before = earned(rows, false_refuted, false_supported)
    after = earned(rows, false_refuted + more, false_supported)
    assert not ((after == R) & (before != R)).any()
    assert ((after == before) | (before == R)).all()  # and changes nothing else


@given(shares(), costs, costs, costs)
def test_dearer_false_support_never_adds_support(
    rows: np.ndarray, false_supported: float, more: float, false_refuted: float
) -> None:
    before = earned(rows, false_refuted, false_supported)
    after = earned(rows, false_refuted, false_supported + more)
    assert not ((after == S) & (before != S)).any()
    assert ((after == before) | (before == S)).all()


@given(shares(), costs, costs)
def test_each_row_is_decided_by_itself(rows: np.ndarray, false_refuted: float, false_supported: float) -> None:
    alone = [int(earned(row[None], false_refuted, false_supported)[0]) for row in rows]
    assert earned(rows, false_refuted, false_supported).tolist() == alone
