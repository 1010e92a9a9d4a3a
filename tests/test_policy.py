import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import PolicyError
from assay.policy import Policy, decide_action, describe
from assay.types import Action, Verdict


@pytest.mark.parametrize(
    ("verdict", "confidence", "branches", "action"),
    [
        (Verdict.SUPPORTED, 0.2, 9, Action.CONTINUE),
        (Verdict.REFUTED, 0.7, 0, Action.BRANCH),
        (Verdict.REFUTED, 0.95, 2, Action.BRANCH),
        (Verdict.REFUTED, 0.95, 3, Action.ABSTAIN),
        (Verdict.REFUTED, 0.69, 0, Action.CONTINUE),
        (Verdict.REFUTED, 0.69, 5, Action.CONTINUE),
        (Verdict.INSUFFICIENT, 0.1, 2, Action.BRANCH),
        (Verdict.INSUFFICIENT, 0.99, 3, Action.CONTINUE),
        (Verdict.NOT_CHECKABLE, 0.0, 0, Action.CONTINUE),
    ],
)
def test_the_action_table(verdict, confidence, branches, action):
    assert decide_action(verdict, confidence, branches) is action


def test_a_refuted_stream_halts_before_it_branches():
    assert decide_action(Verdict.REFUTED, 0.8, 0, inline=True) is Action.HALT


def test_every_field_says_why():
    assert all(len(why) > 10 for _, _, why in describe())


def test_values_rise_from_file_to_environment_to_arguments(tmp_path):
    file = tmp_path / "policy.toml"
    file.write_text("[policy]\nhalt_confidence = 0.8\nmax_branches = 5\nlow_confidence = 0.4\n")
    policy = Policy.load(file, env={"ASSAY_MAX_BRANCHES": "6", "ASSAY_UNRELATED": "x"}, low_confidence=0.3)
    assert (policy.halt_confidence, policy.max_branches, policy.low_confidence) == (0.8, 6, 0.3)


def test_yaml_is_read_too(tmp_path):
    file = tmp_path / "policy.yaml"
    file.write_text("entity_policy: drop\nhalt_confidence: 1\n")
    assert Policy.load(file, env={}).entity_policy == "drop"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("p.toml", "halt_confidnce = 0.8", "halt_confidence"),
        ("p.toml", "halt_confidence = 1.8", "between 0 and 1"),
        ("p.toml", "halt_confidence = 'high'", "number"),
        ("p.toml", "= =", "not valid TOML"),
        ("p.yaml", "- a\n- b", "names and their values"),
        ("p.json", "{}", ".toml"),
        ("p.toml", "entity_policy = 'nearby'", "proximity"),
        ("p.toml", "unsure_low = 0.95", "unsure"),
    ],
)
def test_a_bad_policy_is_refused_with_a_reason(tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    with pytest.raises(PolicyError, match=says):
        Policy.load(tmp_path / name, env={})


def test_a_missing_policy_file_is_named(tmp_path):
    with pytest.raises(PolicyError, match="nowhere"):
        Policy.load(tmp_path / "nowhere.toml")


def test_the_hash_follows_the_values():
    assert Policy().sha256 == Policy().but(halt_confidence=0.7).sha256
    assert Policy().sha256 != Policy().but(halt_confidence=0.71).sha256


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_no_share_is_ever_outside_its_range(value):
    try:
        assert 0 <= Policy().but(halt_confidence=value).halt_confidence <= 1
    except PolicyError:
        assert not 0 <= value <= 1


def test_a_policy_can_be_written_down():
    json.dumps({name: value for name, value, _ in describe()})
