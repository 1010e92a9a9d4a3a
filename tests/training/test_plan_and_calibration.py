import pytest

np = pytest.importorskip("numpy")

from training.calibrate import error_over, fit  # noqa: E402
from training.config import Recipe  # noqa: E402
from training.evaluate import Scored, answers, score  # noqa: E402
from training.plan import Place, rate_factor  # noqa: E402

RECIPE = Recipe("mpnet", 0.0, 800, 7, 2048, 5e-5, 3e-4, 0.01, 0.05, 1.0, 1000, 0.5, 6, 0, 10, False)


def test_the_rate_rises_stays_and_falls_to_nothing_at_the_plans_end():
    assert rate_factor(0, 10_000, RECIPE) < 0.01
    assert rate_factor(4000, 10_000, RECIPE) == 1.0
    assert rate_factor(7500, 10_000, RECIPE) == 0.5
    assert rate_factor(10_000, 10_000, RECIPE) == 0.0


def test_moving_the_end_changes_nothing_on_the_plateau():
    assert rate_factor(3000, 10_000, RECIPE) == rate_factor(3000, 20_000, RECIPE) == 1.0


def test_a_place_survives_its_own_record():
    place = Place()
    place.advance(7, 90, 1.5)
    assert Place(**vars(place)) == place


def test_calibration_repairs_overconfidence():
    rng = np.random.default_rng(1)
    logits = rng.standard_normal((4000, 3))
    chances = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    labels = [["SUPPORTED", "REFUTED", "INSUFFICIENT"][rng.choice(3, p=p)] for p in chances]
    overconfident = Scored("three", 3 * logits, tuple(labels))
    found = fit([overconfident])
    assert error_over([overconfident], [found]) < 0.03
    assert np.allclose(found.apply(3 * logits).sum(1), 1)


P = np.array([[0.5, 0.2, 0.3], [0.3, 0.1, 0.6], [0.2, 0.5, 0.3]])


@pytest.mark.parametrize(
    ("measure", "labels", "right", "sure"),
    [
        ("three", ("SUPPORTED", "INSUFFICIENT", "SUPPORTED"), [1, 1, 0], [0.5, 0.6, 0.5]),
        ("two", ("SUPPORTED", "SUPPORTED", "REFUTED"), [1, 1, 1], [5 / 7, 0.75, 5 / 7]),
        ("balanced", ("NOT_SUPPORTED", "NOT_SUPPORTED", "SUPPORTED"), [0, 1, 0], [0.5, 0.7, 0.8]),
    ],
)
def test_how_sure_an_answer_is_follows_from_what_the_set_asks(measure, labels, right, sure):
    found, certainty = answers(measure, P, labels)
    assert found.tolist() == [bool(one) for one in right]
    assert certainty == pytest.approx(sure)


def test_a_balanced_score_weighs_both_answers_alike():
    assert score("balanced", P, ("SUPPORTED", "NOT_SUPPORTED", "SUPPORTED")) == 75
