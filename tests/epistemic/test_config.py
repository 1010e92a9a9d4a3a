from __future__ import annotations

import pytest

from assay.claims import extract_claims
from assay.epistemic import EpistemicConfig
from assay.errors import PolicyError
from assay.policy import Policy
from assay.types import Importance

TEXT = " ".join(f"Town number {n} has {n * 1000} inhabitants and lies by a river." for n in range(2, 22))
CLAIMS = extract_claims(TEXT) + extract_claims("The river is wide. Trees stand by the water. Boats pass it slowly.")
LONG = "x" * 200


def test_thresholds_come_from_the_policy_and_can_be_changed():
    config = EpistemicConfig.of(Policy(support_threshold=0.6), mode="sample")
    assert (config.support_threshold, config.mode, config.gap_threshold_bits) == (0.6, "sample", 2.0)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mode": "some"}, "mode must be one of full, sample, critical_only"),
        ({"on_failure": "panic"}, "on_failure must be one of"),
        ({"sample_rate": 2.0}, "sample_rate must lie between 0 and 1"),
        ({"max_claims_per_response": 0}, "at least 1"),
        ({"decomposition": "magic"}, "rule or model"),
        ({"modus": "full"}, "there is no epistemic setting 'modus'"),
    ],
)
def test_bad_settings_are_refused_by_name(changes, said):
    with pytest.raises(PolicyError, match=said):
        EpistemicConfig.of(Policy(), **changes)


@pytest.mark.parametrize(
    ("config", "response", "evidence", "said"),
    [
        (EpistemicConfig(enabled=False), LONG, True, "disabled"),
        (EpistemicConfig(), "  ", True, "no final answer"),
        (EpistemicConfig(), "short", True, "shorter than 100"),
        (EpistemicConfig(), LONG, False, "no evidence"),
        (EpistemicConfig(), LONG, True, None),
    ],
)
def test_what_is_skipped_says_why(config, response, evidence, said):
    reason = config.why_skipped(response, evidence)
    assert (reason is None) if said is None else said in reason


def test_critical_only_takes_the_critical_ones():
    chosen = EpistemicConfig(mode="critical_only").choose(CLAIMS)
    assert chosen
    assert all(CLAIMS[number].importance is Importance.CRITICAL for number in chosen)


def test_a_sample_is_the_same_for_the_same_answer_and_holds_every_critical_claim():
    config = EpistemicConfig(mode="sample", sample_rate=0.3, seed=7, max_claims_per_response=100)
    chosen = config.choose(CLAIMS, TEXT)
    assert chosen == config.choose(CLAIMS, TEXT)
    critical = {n for n, claim in enumerate(CLAIMS) if claim.importance is Importance.CRITICAL}
    assert critical <= set(chosen)
    minor = EpistemicConfig(mode="sample", sample_rate=0.0, max_claims_per_response=100).choose(CLAIMS, TEXT)
    assert set(minor) == critical


def test_no_more_claims_than_allowed_and_the_critical_ones_first():
    chosen = EpistemicConfig(max_claims_per_response=3).choose(CLAIMS)
    assert len(chosen) == 3
    assert all(CLAIMS[number].importance is Importance.CRITICAL for number in chosen)
