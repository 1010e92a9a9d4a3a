from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluation import metrics

TRUTH = ["S", "S", "S", "S", "R", "R", "I", "I"]
SAID = ["S", "S", "S", "R", "R", "I", "I", "I"]


def test_accuracy_and_balanced_accuracy_by_hand() -> None:
    assert metrics.accuracy(TRUTH, SAID) == 6 / 8
    assert metrics.recalls(TRUTH, SAID) == {"S": 0.75, "R": 0.5, "I": 1.0}
    assert metrics.balanced_accuracy(TRUTH, SAID) == 0.75


def test_a_judge_that_always_says_the_same_is_a_coin() -> None:
    assert metrics.balanced_accuracy(["S"] * 9 + ["N"], ["S"] * 10) == 0.5


def test_f1_by_hand() -> None:
    assert metrics.f1(TRUTH, SAID, "S") == pytest.approx(2 * 1.0 * 0.75 / 1.75)
    assert metrics.f1(TRUTH, SAID, "R") == pytest.approx(0.5)
    assert metrics.f1(TRUTH, SAID, "I") == pytest.approx(2 * (2 / 3) * 1 / (2 / 3 + 1))
    assert metrics.macro_f1(TRUTH, SAID) == pytest.approx((6 / 7 + 0.5 + 0.8) / 3)
    assert metrics.f1(["S"], ["S"], "R") == 0


def test_auc_by_hand() -> None:
    assert metrics.auc([True, True, False, False], [0.9, 0.4, 0.5, 0.1]) == 0.75
    assert metrics.auc([True, False], [0.5, 0.5]) == 0.5
    assert metrics.auc([True, True], [0.5, 0.6]) is None


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=30))
def test_auc_is_the_share_of_pairs_in_the_right_order(rows: list[tuple[bool, int]]) -> None:
    ups = [score for flag, score in rows if flag]
    downs = [score for flag, score in rows if not flag]
    found = metrics.auc([flag for flag, _ in rows], [score for _, score in rows])
    if not ups or not downs:
        assert found is None
    else:
        wins = sum((a > b) + (a == b) / 2 for a in ups for b in downs)
        assert found == pytest.approx(wins / (len(ups) * len(downs)))


def test_calibration_error_by_hand() -> None:
    # Two rows at 0.95 of which one is right, two at 0.55 of which one is right.
    found = metrics.calibration_error([True, False, True, False], [0.95, 0.95, 0.55, 0.55])
    assert found == pytest.approx((0.45 + 0.05) / 2)
    assert metrics.calibration_error([True, True], [1.0, 1.0]) == 0


def test_brier_by_hand() -> None:
    found = metrics.brier([0, 1], np.asarray([[0.8, 0.2, 0.0], [0.5, 0.5, 0.0]]))
    assert found == pytest.approx(((0.04 + 0.04) + (0.25 + 0.25)) / 2)


def test_the_best_threshold_is_the_lowest_score_still_called_positive() -> None:
    assert metrics.best_threshold([True, True, False, False], [0.9, 0.4, 0.3, 0.1]) == (0.4, 1.0)
    cut, reached = metrics.best_threshold([True, False, True, False], [0.5, 0.5, 0.5, 0.1])
    assert cut == 0.5
    assert reached == 0.75


def test_quantiles_are_values_that_occur() -> None:
    values = [float(n) for n in range(1, 101)]
    assert [metrics.quantile(values, share) for share in (0.5, 0.95, 0.99, 1.0)] == [50, 95, 99, 100]
    assert metrics.quantile([7.0], 0.5) == 7


def test_a_bootstrap_range_holds_the_figure_and_comes_back_with_the_seed() -> None:
    hits = np.asarray([1.0] * 80 + [0.0] * 20)
    one = metrics.bootstrap(100, lambda n: float(hits[n].mean()), seed=3)
    assert one is not None
    assert one.value == 0.8
    assert 0.68 < one.low < 0.76 < 0.84 < one.high < 0.92
    assert one == metrics.bootstrap(100, lambda n: float(hits[n].mean()), seed=3)
    assert one != metrics.bootstrap(100, lambda n: float(hits[n].mean()), seed=4)
    assert metrics.bootstrap(5, lambda n: None) is None
