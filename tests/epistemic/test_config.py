from __future__ import annotations

import json

import pytest

from assay.claims import extract_claims
from assay.epistemic import EpistemicConfig
from assay.errors import PolicyError
from assay.policy import Policy
from assay.types import Importance

TEXT = " ".join(f"Town number {n} has {n * 1000} inhabitants and lies by a river." for n in range(2, 22))
CLAIMS = extract_claims(TEXT) + extract_claims("The river is wide. Trees stand by the water. Boats pass it slowly.")
LONG = "x" * 200


def test_what_the_policy_has_too_comes_from_there_and_can_be_changed():
    config = EpistemicConfig.of(Policy(max_retries=4), support_threshold=0.6, mode="sample")
    assert (config.max_retries, config.support_threshold, config.gap_threshold_bits) == (4, 0.6, 2.0)


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


def test_critical_only_takes_the_critical_ones_and_those_that_are_marked_as_uncertain():
    claims = [*CLAIMS, *extract_claims("The bridge is probably older. It may have been a ford. The road is paved.")]
    chosen = EpistemicConfig(mode="critical_only").choose(claims)
    assert {n for n, claim in enumerate(claims) if claim.importance is Importance.CRITICAL} <= set(chosen)
    others = [claims[n].text for n in chosen if claims[n].importance is not Importance.CRITICAL]
    assert others == ["The bridge is probably older.", "It may have been a ford."]


def test_a_sample_is_the_same_for_the_same_answer_and_drawn_from_all_that_the_answer_does_not_depend_on():
    config = EpistemicConfig(mode="sample", sample_rate=0.3, seed=7)
    chosen = config.choose(CLAIMS, TEXT)
    assert chosen == config.choose(CLAIMS, TEXT)
    assert 0 < len(chosen) < len(CLAIMS) / 2  # though nearly all of them give a number
    assert config.choose(CLAIMS, TEXT + "!") != chosen
    none = EpistemicConfig(mode="sample", sample_rate=0.0)
    assert none.choose(CLAIMS, TEXT) == [0]  # the first, without a question
    asked = none.choose(CLAIMS, TEXT, "How many inhabitants has town number 7?")
    assert any("number 7 " in CLAIMS[number].text for number in asked)


def test_a_paid_judge_gets_the_weightiest_claims_only():
    config = EpistemicConfig(max_claims_per_response=3)
    chosen = config.choose(CLAIMS)
    assert len(chosen) == len(CLAIMS)
    paid = config.choose_paid(CLAIMS, chosen)
    assert len(paid) == 3
    assert all(CLAIMS[number].importance is Importance.CRITICAL for number in paid)


SETTINGS = {
    "enabled": False,
    "mode": "sample",
    "on_failure": "retry",
    "verification_model": "haiku",
    "support_threshold": 0.6,
    "max_retries": 5,
    "parallel": False,
}


@pytest.mark.parametrize("form", ["toml", "yaml"])
def test_every_setting_comes_from_a_file_beside_the_policy(form, tmp_path):
    file = tmp_path / f"assay.{form}"
    mark, head, policy = ("=", "[epistemic]\n", "[policy]\nhalt_confidence = 0.8\n")
    if form == "yaml":
        mark, head, policy = (":", "epistemic:\n", "policy:\n  halt_confidence: 0.8\n")
    indent = "  " if form == "yaml" else ""
    lines = "".join(f"{indent}{name} {mark} {json.dumps(value)}\n" for name, value in SETTINGS.items())
    file.write_text(policy + head + lines, encoding="utf-8")
    config = EpistemicConfig.load(file, env={})
    assert {name: getattr(config, name) for name in SETTINGS} == SETTINGS
    assert Policy.load(file, env={}).halt_confidence == 0.8
    file.write_text(head + lines, encoding="utf-8")
    assert Policy.load(file, env={}) == Policy()


def test_every_setting_comes_from_the_environment_over_the_file_and_under_the_arguments(tmp_path):
    env = {f"ASSAY_EPISTEMIC_{name.upper()}": str(value) for name, value in SETTINGS.items()}
    config = EpistemicConfig.load(env=env | {"ASSAY_EPISTEMIC_COST_SHARE": "0.2"})
    assert {name: getattr(config, name) for name in SETTINGS} == SETTINGS
    file = tmp_path / "e.toml"
    file.write_text('[epistemic]\nmode = "full"\nseed = 3\n', encoding="utf-8")
    config = EpistemicConfig.load(file, env=env, on_failure="ask", mode=None)
    assert (config.mode, config.seed, config.on_failure) == ("sample", 3, "ask")
    assert EpistemicConfig.load(env=env, table={"mode": "full", "seed": 4}).seed == 4
    assert EpistemicConfig.load(env=env, table={"mode": "full"}).mode == "sample"
    with pytest.raises(PolicyError, match="max_retries is of type int"):
        EpistemicConfig.load(env={"ASSAY_EPISTEMIC_MAX_RETRIES": "many"})
    with pytest.raises(PolicyError, match="did you mean mode"):
        EpistemicConfig.load(env={}, modes="full")
