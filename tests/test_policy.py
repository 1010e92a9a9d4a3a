import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import PolicyError
from assay.policy import MOVED, Policy, PolicyWarning, decide_action, describe
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
    file.write_text("release: hold\nhalt_confidence: 1\n")
    assert Policy.load(file, env={}).release == "hold"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("p.toml", "halt_confidnce = 0.8", "halt_confidence"),
        ("p.toml", "halt_confidence = 1.8", "between 0 and 1"),
        ("p.toml", "halt_confidence = 'high'", "number"),
        ("p.toml", "= =", "not valid TOML"),
        ("p.yaml", "- a\n- b", "names and their values"),
        ("p.json", "{}", ".toml"),
        ("p.toml", "release = 'later'", "stream, hold"),
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


def test_a_policy_stays_small_enough_to_be_read():
    assert len(describe()) <= 48


def test_a_file_may_have_a_table_for_each_room(tmp_path):
    file = tmp_path / "p.toml"
    file.write_text("[policy.judging]\nunsure_low = 0.2\n[policy.ledger]\nretention_days = 7\n")
    policy = Policy.load(file, env={})
    assert (policy.unsure_low, policy.retention_days) == (0.2, 7)
    file.write_text("[judging]\nretention = 7\n")
    with pytest.raises(PolicyError, match="retention_days"):
        Policy.load(file, env={})


def test_a_file_of_an_earlier_version_loads_and_says_what_moved(tmp_path):
    file = tmp_path / "p.toml"
    file.write_text("halt_confidence = 0.8\nsupport_threshold = 0.6\nspan_confidence = 0.9\nentity_policy = 'drop'\n")
    with pytest.warns(PolicyWarning) as said:
        policy = Policy.load(file, env={})
    assert policy == Policy(halt_confidence=0.8)
    (told,) = [str(one.message) for one in said]
    assert "p.toml was written for an earlier version" in told
    assert "support_threshold is a setting of the table [epistemic] now" in told
    assert "span_confidence is a constant" in told
    assert "entity_policy is an argument of audit_quotes" in told
    with pytest.warns(PolicyWarning, match="the environment .*number_confidence"):
        Policy.load(env={"ASSAY_NUMBER_CONFIDENCE": "0.9"})
    with pytest.raises(PolicyError, match=r"gap_threshold_bits is a setting of the table \[epistemic\]"):
        Policy().but(gap_threshold_bits=3.0)


def test_no_field_is_both_there_and_moved():
    assert not {name for name, _, _ in describe()} & MOVED.keys()
