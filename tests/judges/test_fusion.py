import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.encoder.scores import Scores
from assay.errors import ModelError
from assay.judges.fusion import COEFFICIENTS, PLAIN, Fusion, fusion_state, load_fusion
from assay.judges.lexical import LexicalJudge
from assay.judges.signals import FEATURES, Signals, measure
from assay.policy import Policy
from assay.types import Claim, Document, Passage, Span, Verdict

YES = Scores(0.9, 0.04, 0.06)
CONSTANT = tuple(0.0 for _ in FEATURES)
SAYS_YES = Fusion(((*CONSTANT, 5.0), (*CONSTANT, 0.0), (*CONSTANT, 0.0)))


def test_the_plain_combiner_changes_nothing():
    assert PLAIN.combine(Signals(), YES) == YES


@pytest.mark.parametrize(
    "signals",
    [
        Signals(numbers=1, numbers_different=1),
        Signals(numbers=2, numbers_equal=1, numbers_absent=1, number_put_in=True),
        Signals(quote_missing=True),
        Signals(denied=True),
    ],
)
def test_nothing_is_supported_against_a_number_a_missing_quote_or_a_denial(signals):
    for fusion in (PLAIN, SAYS_YES):
        fused = fusion.combine(signals, YES)
        assert fused.supported == 0.0
        assert fused.verdict is not Verdict.SUPPORTED
        assert fused.refuted + fused.insufficient == pytest.approx(1.0)


@given(st.lists(st.floats(-20, 20), min_size=3, max_size=3), st.floats(0, 1), st.floats(0, 1))
def test_three_probabilities_come_out_of_any_coefficients(constants, one, two):
    scores = Scores(one, (1 - one) * two, (1 - one) * (1 - two))
    fused = Fusion(tuple((*CONSTANT, value) for value in constants)).combine(Signals(coverage=0.5), scores)
    parts = (fused.supported, fused.refuted, fused.insufficient)
    assert sum(parts) == pytest.approx(1.0)
    assert all(0 <= part <= 1 for part in parts)


def test_support_below_the_floor_leaves_a_claim_open():
    fusion = Fusion(SAYS_YES.rows, floor=0.7)
    doubted = Signals(name_swapped=True)
    assert fusion.decide(doubted, Scores(0.65, 0.15, 0.2)) == (Verdict.INSUFFICIENT, pytest.approx(0.35))
    assert fusion.decide(doubted, Scores(0.75, 0.15, 0.1)) == (Verdict.SUPPORTED, 0.75)
    assert fusion.decide(doubted, Scores(0.1, 0.6, 0.3)) == (Verdict.REFUTED, 0.6)
    assert fusion.decide(Signals(), Scores(0.65, 0.15, 0.2)) == (Verdict.SUPPORTED, 0.65)


SCHOOLS = "Just under 540,800 students were enrolled in public schools, and just over 311,800 in private schools."


@pytest.mark.parametrize(
    ("claim", "put_in"),
    [
        (SCHOOLS.replace("over", "under"), True),
        (SCHOOLS, False),
        ("Just under 311,800 pupils went to schools that charge fees.", False),
    ],
)
def test_a_number_is_put_in_only_where_a_sentence_is_said_again(claim, put_in):
    stated = Claim(claim, (Span(0, len(claim)),))
    passage = Passage(Document("schools", SCHOOLS), 0, len(SCHOOLS))
    assert LexicalJudge(Policy()).examine(stated, [passage])[1].number_put_in is put_in


@pytest.mark.parametrize("hint", ["names_missing_near", "numbers_absent", "name_swapped", "sign_differs", "objection"])
def test_each_hint_of_a_changed_fact_arouses_suspicion(hint: str) -> None:
    assert Signals(**{hint: 1}).suspicious
    assert not Signals(names=2, numbers=1, numbers_equal=1, coverage=0.4).suspicious


def test_features_are_finite_for_any_opinion():
    for scores in (Scores(1.0, 0.0, 0.0), Scores(0.0, 0.0, 1.0)):
        assert all(abs(value) < 100 for value in measure(Signals(), scores))


def write(path, **changes):
    entry = {"model_sha256": "abc", "features": list(FEATURES), "weights": [[0.0] * (len(FEATURES) + 1)] * 3}
    path.write_text(json.dumps({"small": entry | changes}))
    return path


def test_coefficients_are_used_only_for_the_model_they_were_fitted_for(tmp_path):
    path = write(tmp_path / "fusion.json")
    assert load_fusion("small", "abc", path).rows
    assert load_fusion("small", "other", path) is PLAIN
    assert load_fusion("base", "abc", path) is PLAIN
    assert fusion_state("small", "abc", path) == "ok"
    assert "training fusion" in fusion_state("small", "other", path)


def test_coefficients_for_other_features_are_not_used(tmp_path):
    assert load_fusion("small", "abc", write(tmp_path / "fusion.json", features=["coverage"])) is PLAIN


def test_a_missing_file_means_the_plain_opinion(tmp_path):
    assert load_fusion("small", "abc", tmp_path / "none.json") is PLAIN


@pytest.mark.parametrize(
    "content",
    ["{", "[]", json.dumps({"small": {"model_sha256": "abc", "features": list(FEATURES), "weights": [[1.0]]}})],
)
def test_a_damaged_file_is_a_model_error(tmp_path, content):
    path = tmp_path / "fusion.json"
    path.write_text(content)
    with pytest.raises(ModelError, match=r"fusion\.json"):
        load_fusion("small", "abc", path)


def test_the_shipped_coefficients_have_the_right_shape():
    for entry in json.loads(COEFFICIENTS.read_text()).values():
        assert entry["features"] == list(FEATURES)
        assert [len(row) for row in entry["weights"]] == [len(FEATURES) + 1] * 3
