import pytest

np = pytest.importorskip("numpy")

from training.config import Fit, Recipe  # noqa: E402
from training.evaluate import Scored, answers, score, softmax  # noqa: E402
from training.plan import Place, rate_factor  # noqa: E402
from training.rows import LABELS  # noqa: E402

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


HOW = Fit(ridge=0.1, gap=50.0, steps=60)
KINDS = {"bold": 3.0, "shy": 0.5}  # how many times too large the logits of each are


def drawn(kind, seed, rows=2000, measure="three"):
    """Rows whose labels fall as their logits say before these are made too large or small; the head sees the kind."""
    dice = np.random.default_rng(seed)
    logits = dice.standard_normal((rows, 3))
    labels = tuple(LABELS[dice.choice(3, p=chances)] for chances in softmax(logits))
    if measure == "two":
        kept = [number for number, label in enumerate(labels) if label != "INSUFFICIENT"]
        logits, labels = logits[kept], tuple(labels[number] for number in kept)
    if measure == "balanced":
        labels = tuple("SUPPORTED" if label == "SUPPORTED" else "NOT_SUPPORTED" for label in labels)
    pooled = dice.standard_normal((len(labels), 4)).astype(np.float32)
    pooled[:, 1] += 6 * (kind == "bold")
    return Scored(measure, KINDS[kind] * logits, pooled, labels)


@pytest.mark.parametrize("measure", ["three", "two", "balanced"])
def test_each_kind_of_pair_gets_the_temperature_that_it_needs(measure):
    calibrate = pytest.importorskip("training.calibrate")
    found = calibrate.fit([drawn(kind, 1, measure=measure) for kind in KINDS], HOW)
    flat = calibrate.Doubt(np.zeros(4, np.float32), 0.0)
    for kind in KINDS:
        unseen = drawn(kind, 2, measure=measure)
        before, after = (calibrate.error_over([unseen], [doubt]) for doubt in (flat, found))
        assert after < 0.05 < before


def test_a_temperature_changes_no_verdict_and_the_chances_still_sum_to_one():
    calibrate = pytest.importorskip("training.calibrate")
    unseen = drawn("bold", 3)
    found = calibrate.Doubt(np.array([0.1, 0.4, -2.0, 90.0], np.float32), 0.3).apply(unseen)
    assert np.array_equal(found.argmax(1), unseen.logits.argmax(1))
    assert np.allclose(found.sum(1), 1)


def test_parts_and_their_rests_share_no_row_and_lose_none():
    whole = drawn("shy", 4, rows=10)
    for number in range(3):
        part, rest = whole.part(number, 3), whole.rest(number, 3)
        assert len(part.labels) + len(rest.labels) == 10
        assert not {tuple(row) for row in part.pooled} & {tuple(row) for row in rest.pooled}


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
