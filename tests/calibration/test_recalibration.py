from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.calibration.fits import IsotonicMap, chance_of_few, fit_map, fit_map_if_better, least_passed, pool, promise
from assay.calibration.recalibration import LabelledScores, Recalibration, best_cut, recalibrate, revise_all
from assay.encoder.scores import Scores
from assay.errors import PolicyError, UsageError
from assay.evaluation.calibration_report import measure_calibration, render_calibration
from assay.policy import Policy
from assay.types import Document, Evidence, Judgement, Stance, Support, Verdict

SHARES = st.floats(0, 1, allow_nan=False)


def overconfident(count: int, seed: int, kinds: tuple[str, ...] = ("",)) -> list[LabelledScores]:
    """Claims of a judge that says p and is right with chance p²."""
    dice = random.Random(seed)
    found = []
    for number in range(count):
        said = dice.random()
        label = "SUPPORTED" if dice.random() < said * said else dice.choice(("REFUTED", "INSUFFICIENT"))
        rest = (1 - said) / 2
        found.append(LabelledScores.of(Scores(said, rest, rest), label, kinds[number % len(kinds)]))
    return found


def test_violators_are_pooled_by_hand() -> None:
    points = [(0.1, 1.0, 1.0), (0.2, 0.0, 1.0), (0.3, 0.0, 2.0), (0.9, 1.0, 1.0)]
    assert pool(points) == [pytest.approx((0.225, 0.25, 4.0)), (0.9, 1.0, 1.0)]


@given(st.lists(st.tuples(SHARES, st.booleans()), max_size=60), st.floats(0, 40))
def test_a_fitted_map_never_falls_and_stays_a_probability(rows: list[tuple[float, bool]], prior: float) -> None:
    found = fit_map([score for score, _ in rows], [hit for _, hit in rows], prior)
    values = [found.at(step / 50) for step in range(51)]
    assert values == sorted(values)
    assert all(0 <= value <= 1 for value in values)


@given(st.lists(st.tuples(SHARES, st.booleans()), min_size=1, max_size=60))
def test_pooled_truth_is_the_nearest_rising_one(rows: list[tuple[float, bool]]) -> None:
    blocks = pool([(score, float(hit), 1.0) for score, hit in rows])
    means = [truth for _, truth, _ in blocks]
    assert means == sorted(means)
    assert sum(weight for *_, weight in blocks) == pytest.approx(len(rows))
    assert sum(truth * weight for _, truth, weight in blocks) == pytest.approx(sum(hit for _, hit in rows))


@pytest.mark.parametrize("knots", [((0.0, 0.0),), ((0.0, 0.5), (1.0, 0.4)), ((0.5, 0.1), (0.2, 0.3)), ((0, 0), (1, 2))])
def test_a_map_that_falls_or_leaves_the_range_is_refused(knots: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(ValueError, match="a rising map needs"):
        IsotonicMap(knots)


def test_a_hundred_labels_make_the_confidence_honest_on_others() -> None:
    fresh = overconfident(3000, seed=99)
    made = recalibrate(overconfident(100, seed=1))
    assert measure_calibration(fresh, made).ece < measure_calibration(fresh).ece / 1.5
    many = recalibrate(overconfident(1000, seed=2))
    assert measure_calibration(fresh, many).ece < 0.05


@given(SHARES, SHARES)
def test_mapped_scores_are_three_probabilities(yes: float, split: float) -> None:
    made = recalibrate(overconfident(100, seed=3))
    rest = 1 - yes
    found = made.apply(Scores(yes, rest * split, rest * (1 - split)))
    assert found.supported + found.refuted + found.insufficient == pytest.approx(1)
    assert min(found.supported, found.refuted, found.insufficient) >= -1e-12


def test_a_threshold_for_each_kind_with_enough_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = overconfident(90, seed=4, kinds=("contract", "paper", "paper"))
    made = recalibrate(labels)
    assert set(made.thresholds) == {"contract", "paper"}
    assert made.threshold("contract") == made.thresholds["contract"]
    assert made.threshold("poem") is None
    monkeypatch.setattr("assay.calibration.recalibration.KIND_LABELS", 40)
    assert recalibrate(labels).thresholds.keys() == {"paper"}


def test_the_best_cut_is_the_middle_of_the_gap() -> None:
    assert best_cut([0.2, 0.3, 0.7, 0.8], [False, False, True, True]) == pytest.approx(0.5, abs=0.03)


def test_above_its_threshold_a_claim_is_supported_and_below_it_is_not() -> None:
    made = Recalibration(thresholds={"": 0.3})
    assert made.rule(Scores(0.35, 0.5, 0.15)) == (Verdict.SUPPORTED, 0.35)
    assert made.rule(Scores(0.25, 0.5, 0.25))[0] is Verdict.REFUTED
    assert made.rule(Scores(0.25, 0.25, 0.5))[0] is Verdict.INSUFFICIENT
    assert Recalibration().rule(Scores(0.35, 0.5, 0.15)) == (Verdict.REFUTED, 0.5)


SOURCE = Document("d", "It is so.", role="contract")
SURE = Judgement(
    Verdict.SUPPORTED,
    0.9,
    "encoder:small",
    Support.FULL,
    "It says so.",
    (Evidence.cite(SOURCE, 0, 9, stance=Stance.SUPPORTS),),
)


def test_support_that_is_not_sure_enough_is_withdrawn_with_its_receipt_kept() -> None:
    made = Recalibration(supported=IsotonicMap(((0.0, 0.0), (1.0, 0.2))), judge="small")
    revised = made.revise(SURE)
    assert revised.verdict is Verdict.INSUFFICIENT
    assert revised.support is Support.NONE
    assert revised.confidence == pytest.approx(0.82)
    assert revised.evidence[0].stance is Stance.NEUTRAL
    assert revised.evidence[0].holds_in(SOURCE)
    assert "not sure enough" in revised.explanation


def test_support_is_never_made_where_the_judge_saw_none() -> None:
    made = Recalibration(supported=IsotonicMap(((0.0, 0.9), (1.0, 1.0))))
    unsure = Judgement(Verdict.INSUFFICIENT, 0.5, "encoder:small")
    assert made.revise(unsure).verdict is Verdict.INSUFFICIENT


def test_what_the_labels_were_not_about_stays_as_it_is() -> None:
    made = Recalibration(supported=IsotonicMap(((0.0, 0.0), (1.0, 0.2))), judge="small")
    proven = Judgement(Verdict.SUPPORTED, 0.95, "lexical:span", Support.FULL)
    nothing = Judgement(Verdict.NOT_CHECKABLE, 1.0, "none")
    assert made.revise(proven) is proven
    assert made.revise(nothing) is nothing
    assert Recalibration().revise(SURE).confidence == pytest.approx(0.9)


def test_a_policy_names_the_calibration_and_the_document_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    Recalibration(thresholds={"contract": 0.95}).save(path)
    policy = Policy(calibration=str(path))
    assert revise_all(Policy(), [SURE]) == (SURE,)
    assert revise_all(policy, [SURE], [SOURCE])[0].verdict is Verdict.INSUFFICIENT
    assert revise_all(policy, [SURE])[0].verdict is Verdict.SUPPORTED
    with pytest.raises(PolicyError, match="cannot read the calibration"):
        revise_all(Policy(calibration="nowhere.json"), [SURE])


def test_the_exact_test_by_hand() -> None:
    assert least_passed(0.05, 0.9) == 45
    assert chance_of_few(0, 45, 0.05) == pytest.approx(0.95**45)
    assert chance_of_few(45, 45, 0.05) == pytest.approx(1)


def test_too_few_labels_promise_nothing_and_say_how_many_are_needed() -> None:
    found = promise([0.9] * 44, [True] * 44, 0.05, 0.9)
    assert found.cut is None
    assert "45 labels must pass and 44 do" in found.text
    assert promise([0.9] * 45, [True] * 45, 0.05, 0.9).cut == pytest.approx(0.2)
    wrong = promise([0.9] * 60, [True] * 30 + [False] * 30, 0.05, 0.9)
    assert wrong.cut is None
    assert "too many are wrong" in wrong.text


def test_the_promise_is_kept_as_often_as_it_says() -> None:
    """A judge that is wrong with chance 1 − p above p: the true risk at every cut-off is known."""
    dice = random.Random(5)
    made = broken = 0
    for _ in range(150):
        scores = [dice.random() ** 0.2 for _ in range(200)]
        right = [dice.random() < score for score in scores]
        cut = promise(scores, right, 0.1, 0.9).cut
        if cut is None:
            continue
        made += 1
        # p ** 0.2 has density 5 p⁴, so the mean of 1 − p above c is 1 − 5/6 (1 − c⁶) / (1 − c⁵).
        risk = 1 - 5 / 6 * (1 - cut**6) / (1 - cut**5)
        broken += risk > 0.1
    assert made > 30
    assert broken <= 0.1 * 150 + 5


def test_passing_needs_a_promise_and_its_cut() -> None:
    labels = [LabelledScores.of(Scores(0.95, 0.03, 0.02), "SUPPORTED")] * 60 + [
        LabelledScores.of(Scores(0.1, 0.5, 0.4), "REFUTED")
    ] * 40
    made = recalibrate(labels)
    assert made.passes(Scores(0.95, 0.03, 0.02))
    assert not made.passes(Scores(0.1, 0.5, 0.4))
    assert not Recalibration().passes(Scores(1.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (overconfident(19, 0), "19 labels are too few"),
        ([LabelledScores.of(Scores(1, 0, 0), "SUPPORTED")] * 30, "all labels say the same"),
    ],
)
def test_labels_that_teach_nothing_are_refused(labels: list[LabelledScores], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        recalibrate(labels)


def test_a_calibration_comes_back_from_its_file(tmp_path: Path) -> None:
    made = recalibrate(overconfident(120, seed=6, kinds=("a", "b")), judge="small", model="small 1")
    made.save(tmp_path / "calibration.json")
    assert Recalibration.load(tmp_path / "calibration.json") == made


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read the calibration"),
        ("{", "is no calibration"),
        ('{"version": 9}', "is of version 9"),
        ('{"version": 1, "supported": [[0, 1], [1, 0]]}', "a rising map needs"),
    ],
)
def test_a_file_that_is_no_calibration_is_refused(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "calibration.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(PolicyError, match=message):
        Recalibration.load(path)


def test_the_page_shows_both_curves_and_loads_nothing() -> None:
    labels = overconfident(150, seed=7, kinds=("contract", "paper"))
    made = recalibrate(labels, judge="small & co")
    page = render_calibration(made, measure_calibration(labels), measure_calibration(labels, made), held_out=False)
    assert "dot before" in page
    assert "dot after" in page
    assert "small &amp; co" in page
    assert "contract" in page
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")
    json.dumps(made.to_dict())


def test_a_map_is_kept_only_where_labels_it_had_not_seen_speak_for_it() -> None:
    dice = random.Random(8)
    said = [dice.random() for _ in range(120)]
    honest = [dice.random() < score for score in said]
    boastful = [dice.random() < score * score for score in said]
    assert fit_map_if_better(said, honest).at(0.5) == 0.5
    assert fit_map_if_better(said, boastful).at(0.6) < 0.5
    assert fit_map_if_better([], []) == IsotonicMap()
