"""Every row of the action table, and how the answer as a whole follows from its claims."""

import pytest

from assay.engine import Engine, Request, Run
from assay.policy import Policy
from assay.types import Action, Claim, Importance, Judgement, Support, Verdict

SOURCE = "The tower opened in 1889."


class Says:
    """A judge that gives the judgements it was made with, the last one for all further claims."""

    name = "says"

    def __init__(self, *said):
        self.said = said

    def judge(self, claims, passages, question=None):
        found = [self.said[min(number, len(self.said) - 1)] for number in range(len(claims))]
        return [Judgement(verdict, confidence, "said", Support.NONE) for verdict, confidence in found]


def run(answer, *said, branches=0, inline=False, policy=None):
    return Engine(policy, Says(*said)).run(Request(answer, sources=[SOURCE], branches=branches, inline=inline))


ONE = "The tower opened in 1889."
S, R, N, E = Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INSUFFICIENT, Verdict.ERROR


@pytest.mark.parametrize(
    ("verdict", "confidence", "branches", "inline", "action", "mark"),
    [
        (S, 0.99, 0, False, Action.CONTINUE, None),
        (S, 0.59, 0, False, Action.CONTINUE, "low_confidence"),
        (S, 0.59, 5, True, Action.CONTINUE, "low_confidence"),
        (R, 0.70, 0, False, Action.BRANCH, None),
        (R, 0.70, 2, False, Action.BRANCH, None),
        (R, 0.70, 2, True, Action.HALT, None),
        (R, 0.70, 3, False, Action.ABSTAIN, None),
        (R, 0.70, 3, True, Action.ABSTAIN, None),
        (R, 0.69, 0, False, Action.CONTINUE, "doubtful_refutation"),
        (R, 0.69, 9, False, Action.CONTINUE, "doubtful_refutation"),
        (N, 0.99, 0, False, Action.BRANCH, None),
        (N, 0.10, 2, True, Action.BRANCH, None),
        (N, 0.99, 3, False, Action.CONTINUE, "caveat"),
        (E, 0.00, 0, False, Action.CONTINUE, "unverified"),
    ],
)
def test_what_is_done_about_one_claim(verdict, confidence, branches, inline, action, mark):
    report = run(ONE, (verdict, confidence), branches=branches, inline=inline).report
    (found,) = report.findings
    assert found.action is action
    assert found.marks == ((mark,) if mark else ())
    assert report.action is action


THREE = "The tower opened in 1889. The tower is tall. The tower is made of iron."


@pytest.mark.parametrize(
    ("said", "branches", "action", "confidence"),
    [
        ([(S, 0.9), (R, 0.9), (N, 0.4)], 0, Action.BRANCH, 0.4),
        ([(S, 0.9), (R, 0.9), (N, 0.4)], 3, Action.ABSTAIN, 0.4),
        ([(R, 0.5), (S, 0.9), (N, 0.9)], 0, Action.CONTINUE, 0.5),  # the worst claim is the refuted one
        ([(S, 0.8), (N, 0.9), (S, 0.7)], 0, Action.BRANCH, 0.7),
        ([(S, 0.8), (N, 0.9), (S, 0.7)], 3, Action.CONTINUE, 0.7),
        ([(S, 0.8), (S, 0.9), (S, 0.7)], 0, Action.CONTINUE, 0.7),
        ([(R, 0.5), (R, 0.9), (S, 0.7)], 0, Action.BRANCH, 0.5),
    ],
)
def test_the_answer_does_what_its_worst_claim_needs_and_is_as_sure_as_its_least(said, branches, action, confidence):
    report = run(THREE, *said, branches=branches).report
    assert report.action is action
    assert report.confidence == confidence


def test_an_error_on_a_critical_claim_means_the_answer_is_not_verified():
    engine = Engine(judge=Says((E, 0.0), (S, 0.9)))
    report = engine.check(
        "The tower opened in 1889. The tower is tall.", sources=[SOURCE], question="When did the tower open?"
    )
    critical = [f for f in report.findings if f.claim.importance is Importance.CRITICAL]
    assert critical
    assert report.verdict is Verdict.ERROR
    assert not report.grounded


def test_the_thresholds_are_the_policys():
    policy = Policy().but(halt_confidence=0.95, max_branches=1)
    assert run(ONE, (R, 0.9), policy=policy).report.action is Action.CONTINUE
    assert run(ONE, (R, 0.96), branches=1, policy=policy).report.action is Action.ABSTAIN


def test_a_run_carries_everything_that_led_to_its_report():
    done = run(THREE, (S, 0.9), (R, 0.8), (N, 0.5))
    assert isinstance(done, Run)
    assert [f.claim for f in done.report.findings] == list(done.claims)
    assert all(isinstance(claim, Claim) for claim in done.claims)
    assert [f.verdict for f in done.report.findings] == [S, R, N]
    assert done.passages[0][0].document.text == SOURCE
    assert done.model == "says"
    assert done.request.answer == THREE
    assert done.policy == Policy()


def test_a_report_names_each_findings_tier_time_and_cost():
    shown = Engine(judge="lexical").check(ONE, sources=[SOURCE]).to_dict()
    (claim,) = shown["claims"]
    assert claim["method"] == "span"
    assert claim["latency_ms"] >= 0
    assert claim["cost_usd"] == 0
    assert set(shown["timings_ms"]) == {"sources", "claims", "evidence", "judges", "report"}
