"""A size of the verifier as a tier: loaded when it is first needed, and held to the floor of the policy."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.encoder import Verifier
from assay.encoder.scores import Scores
from assay.errors import ModelError, UsageError
from assay.judges.cascade import Cascade
from assay.judges.tier import ModelTier
from assay.policy import Policy
from assay.types import Document, Verdict
from tests.judges.opinions import whole

PLANS = Document("plans", "The Basic plan is $19 per month. The Pro plan is priced at $49 monthly.")


def tier_with(policy: Policy) -> ModelTier:
    """A tier whose model takes the likeliest verdict."""
    tier = ModelTier("small", policy)
    tier._verifier = SimpleNamespace(decide=lambda scores: (scores.verdict, scores.confidence))  # type: ignore[assignment]
    return tier


# Loading


def test_a_model_is_named_by_its_weights_without_being_loaded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Verifier, "load", lambda *args: pytest.fail("loaded"))
    tier = ModelTier(folder, Policy())
    assert (tier.name, len(tier.model)) == ("tiny", 64)
    assert Cascade(tiers=(tier,)).model == f"cascade tiny@{tier.model[:12]}"


def test_other_weights_have_another_name(folder: Path) -> None:
    before = ModelTier(folder, Policy()).model
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"version": "1"', '"version": "2"'))
    assert ModelTier(folder, Policy()).model != before


def test_weights_that_are_missing_are_named_so(tmp_path: Path) -> None:
    assert ModelTier(tmp_path, Policy()).model == ModelTier(tmp_path / "nowhere", Policy()).model == "missing"


def test_a_model_is_loaded_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads = []
    load = Verifier.load.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(Verifier, "load", classmethod(lambda cls, *args: loads.append(args) or load(cls, *args)))
    tier = ModelTier(folder, Policy().but(threads=1))
    tier.load()
    (opinion,) = tier.judge([("The Pro plan costs $19.", [whole(PLANS)])], None)
    tier.decide(opinion.scores)
    assert loads == [(folder, 1)]


def test_a_model_that_is_not_there_says_so_when_it_is_needed(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"manifest\.json is missing"):
        ModelTier(tmp_path, Policy()).load()
    with pytest.raises(UsageError, match="no verifier model"):
        ModelTier(tmp_path / "nowhere", Policy()).load()


def test_a_tier_says_what_its_verifier_says(folder: Path) -> None:
    tier = ModelTier(folder, Policy())
    cases = [("The Pro plan costs $19.", [whole(PLANS)]), ("Basic is free.", [])]
    assert tier.judge(cases, "What does Pro cost?") == Verifier.load(folder).judge(cases, "What does Pro cost?")


# The floor of the policy


@pytest.mark.parametrize(
    ("scores", "floor", "verdict", "confidence"),
    [
        (Scores(0.2, 0.6, 0.2), 0.0, Verdict.REFUTED, 0.6),
        (Scores(0.2, 0.6, 0.2), 0.7, Verdict.INSUFFICIENT, 0.4),
        (Scores(0.05, 0.5, 0.45), 0.7, Verdict.INSUFFICIENT, 0.5),
        (Scores(0.2, 0.7, 0.1), 0.7, Verdict.REFUTED, 0.7),
        (Scores(0.6, 0.2, 0.2), 0.7, Verdict.SUPPORTED, 0.6),
        (Scores(0.2, 0.2, 0.6), 1.0, Verdict.INSUFFICIENT, 0.6),
    ],
)
def test_a_refutation_less_likely_than_the_policy_asks_settles_nothing(
    scores: Scores, floor: float, verdict: Verdict, confidence: float
) -> None:
    tier = tier_with(Policy().but(refute_probability=floor))
    assert tier.decide(scores) == (verdict, pytest.approx(confidence))


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_refutation_is_never_given_below_the_floor(one: float, other: float, floor: float) -> None:
    low, high = sorted((one, other))
    scores = Scores(low, high - low, 1 - high)
    verdict, confidence = tier_with(Policy().but(refute_probability=floor)).decide(scores)
    assert 0 <= confidence <= 1
    assert verdict is not Verdict.REFUTED or confidence == scores.refuted >= floor
    assert verdict is scores.verdict or (scores.verdict, verdict) == (Verdict.REFUTED, Verdict.INSUFFICIENT)
