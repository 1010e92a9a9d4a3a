from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.policy import Policy
from assay.repair.score import (
    REVISE_LIMIT,
    answer_confidence,
    critical_gaps,
    decide_revision,
    passes,
    rank,
    rate_answer,
)
from assay.types import Claim, Finding, Importance, Judgement, Report, Span, Support, Verdict

SUPPORTED = (Verdict.SUPPORTED, Support.FULL)
PARTIAL = (Verdict.INSUFFICIENT, Support.PARTIAL)
NONE = (Verdict.INSUFFICIENT, Support.NONE)
REFUTED = (Verdict.REFUTED, Support.CONTRADICTED)
IDLE = (Verdict.NOT_CHECKABLE, Support.NONE)
ERROR = (Verdict.ERROR, Support.NONE)
Kind = tuple[Verdict, Support]


def level_of(found: Report) -> str | None:
    rating = rate_answer(found)
    return None if rating is None else rating.level


def report(*kinds: Kind, importance: Importance = Importance.MATERIAL, confidence: float = 0.9) -> Report:
    findings = [
        Finding(
            Claim("Word.", (Span(0, 5),), importance=importance, checkable=verdict is not Verdict.NOT_CHECKABLE),
            Judgement(verdict, confidence, "test", support),
        )
        for verdict, support in kinds
    ]
    return Report("Word.", tuple(findings))


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ([], None),
        ([IDLE], None),
        ([IDLE, ERROR], 0.0),  # an error counts as unsupported
        ([SUPPORTED, SUPPORTED, SUPPORTED, ERROR], 0.65),
        ([SUPPORTED], 1.0),
        ([SUPPORTED, SUPPORTED, PARTIAL, PARTIAL], 0.75),  # 3/4, and no bonus: not everything is fully supported
        ([SUPPORTED, SUPPORTED, SUPPORTED, NONE], 0.65),  # 3/4 - 0.1
        ([SUPPORTED, PARTIAL, NONE, REFUTED], 0.175),  # 1.5/4 - 0.2
        ([NONE, NONE], 0.0),
    ],
)
def test_the_confidence_of_an_answer(kinds: list[Kind], expected: float | None) -> None:
    found = answer_confidence(report(*kinds))
    assert found == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize("kind", [NONE, PARTIAL, REFUTED, ERROR])
def test_an_invented_claim_beside_true_ones_never_ends_in_high(kind: Kind) -> None:
    for number in (1, 5, 20, 200):
        assert level_of(report(*[SUPPORTED] * number, kind)) != "High"
    assert level_of(report(SUPPORTED, SUPPORTED)) == "High"
    assert level_of(report(SUPPORTED, SUPPORTED, confidence=0.6)) == "Medium"  # weak support
    assert level_of(report(IDLE)) is None


@given(st.lists(st.sampled_from([SUPPORTED, PARTIAL, NONE, REFUTED, IDLE, ERROR]), max_size=8))
def test_confidence_stays_within_bounds_and_passing_means_full(kinds: list[Kind]) -> None:
    found = answer_confidence(report(*kinds))
    assert found is None or 0.0 <= found <= 1.0
    if passes(report(*kinds)):
        assert found == 1.0
        assert rank(report(*kinds)) > rank(report(*kinds, REFUTED))


def test_an_answer_that_says_nothing_does_not_pass() -> None:
    assert not passes(report())
    assert not passes(report(IDLE))
    assert not passes(report(SUPPORTED, ERROR))
    assert passes(report(SUPPORTED, IDLE))


def test_the_order_of_the_revision_decision() -> None:
    policy = Policy()
    assert decide_revision(report(REFUTED), REVISE_LIMIT, policy).reason == "limit reached"
    assert decide_revision(report(SUPPORTED), 0, policy).reason == "covered"
    critical = report(NONE, REFUTED, importance=Importance.CRITICAL)
    assert decide_revision(critical, 0, policy).reason == "a critical claim was not found"
    assert decide_revision(report(SUPPORTED, REFUTED), 0, policy).reason == "a claim is contradicted"
    assert decide_revision(report(SUPPORTED, NONE), 0, policy).reason == "coverage is too low"
    assert not decide_revision(report(*[SUPPORTED] * 6, NONE), 0, policy).revise  # 6/7 is enough


def test_gaps_count_only_where_they_are_critical() -> None:
    assert not critical_gaps(report(PARTIAL))
    assert len(critical_gaps(report(PARTIAL, SUPPORTED, importance=Importance.CRITICAL))) == 1
