"""Any judge, whatever it does, ends in a report that keeps to the policy."""

from __future__ import annotations

import pytest

from assay.engine import Engine
from assay.errors import ModelError, UsageError
from assay.explanation import EXPLANATION_MAX_TOKENS
from assay.judges.asking import ask
from assay.policy import PASSAGE_MAX_TOKENS, QUESTION_MAX_TOKENS, Policy
from assay.text.tokens import count_tokens
from assay.types import Document, Evidence, Judgement, Stance, Support, Verdict
from tests.judges.opinions import claim, passage

EVEREST = "Mount Everest is 8,849 m high. It stands on the border between Nepal and China."
WRONG_HEIGHT = "Mount Everest is 8,489 m high."


class Judge:
    """Says what it is told, or fails as it is told."""

    name = "told"

    def __init__(self, *said: Judgement, problem: Exception | None = None) -> None:
        self.said, self.problem, self.seen = said, problem, []

    def judge(self, claims, passages, question=None):
        self.seen.append((claims, passages, question))
        if self.problem:
            raise self.problem
        return list(self.said)


class Nonsense:
    name = "nonsense"

    def judge(self, claims, passages, question=None):
        return [Judgement(Verdict.SUPPORTED, float("nan"), "guess") for _ in claims]


def test_a_model_that_cannot_be_used_is_replaced_by_rules() -> None:
    report = Engine(judge=Judge(problem=ModelError("damaged"))).check(WRONG_HEIGHT, sources=[EVEREST])
    assert report.verdict is Verdict.REFUTED
    assert report.risk_flags[0].kind == "fallback"
    assert "the judge 'told' cannot be used" in report.risk_flags[0].message


@pytest.mark.parametrize(
    ("judge", "reason"),
    [
        (Nonsense(), "not nan"),
        (Judge(), "0 judgements on 1 claims"),
        (Judge(float("nan")), "nan is no Judgement"),
        (Judge(problem=ZeroDivisionError("by nothing")), "by nothing"),
    ],
)
def test_a_judge_that_gives_impossible_answers_leaves_errors(judge, reason) -> None:
    report = Engine(judge=judge).check(WRONG_HEIGHT, sources=[EVEREST])
    assert report.verdict is Verdict.ERROR
    assert reason in report.findings[0].explanation
    assert "fallback" not in [flag.kind for flag in report.risk_flags]


def test_a_judge_that_fails_leaves_errors_with_the_reason_and_never_a_verdict() -> None:
    judge = Judge(problem=RuntimeError("no more disk"))
    report = Engine(judge=judge).check("Mount Everest is 8,849 m high. Hello!", sources=[EVEREST])
    assert report.findings[0].verdict is Verdict.ERROR
    assert "no more disk" in report.findings[0].explanation
    assert report.findings[0].marks == ("unverified",)
    assert "unverified" in [flag.kind for flag in report.risk_flags]
    assert not report.grounded


def test_wrong_use_is_for_the_user_to_mend() -> None:
    with pytest.raises(UsageError, match="no such model"):
        ask(Judge(problem=UsageError("no such model")), [claim("x")], [[]], None, Policy())


def test_what_a_judge_is_given_is_cut_to_its_limits_with_a_warning() -> None:
    judge = Judge(Judgement(Verdict.INSUFFICIENT, 0.5, "told"))
    many = [passage("word " * 600, str(n)) for n in range(8)]
    said = ask(judge, [claim("x")], [many], "why " * 300, Policy())
    ((_, (given,), question),) = judge.seen
    assert len(given) == Policy().passages_per_claim
    assert all(count_tokens(one.text) <= PASSAGE_MAX_TOKENS for one in given)
    assert question is not None
    assert count_tokens(question) <= QUESTION_MAX_TOKENS
    assert len(said.warnings) == 2


@pytest.mark.parametrize(
    ("confidence", "floor", "verdict"),
    [(0.5, 0.5, Verdict.SUPPORTED), (0.45, 0.5, Verdict.INSUFFICIENT), (0.45, 0.4, Verdict.SUPPORTED)],
)
def test_support_less_likely_than_the_policy_asks_settles_nothing(
    confidence: float, floor: float, verdict: Verdict
) -> None:
    document = Document("d", EVEREST)
    quote = Evidence.cite(document, 0, 30, stance=Stance.SUPPORTS)
    judge = Judge(Judgement(Verdict.SUPPORTED, confidence, "told", Support.FULL, "It says so.", (quote,)))
    policy = Policy().but(grounding_confidence=floor)
    (said,) = ask(judge, [claim("x")], [[passage(EVEREST)]], None, policy).judgements
    assert said.verdict is verdict
    if verdict is Verdict.SUPPORTED:
        assert said == judge.said[0]
    else:
        assert (said.confidence, said.support) == (pytest.approx(0.55), Support.PARTIAL)
        assert [item.stance for item in said.evidence] == [Stance.NEUTRAL]
        assert said.explanation == "The sources hardly back this. It says so."


def test_a_refutation_has_no_such_floor_here() -> None:
    judge = Judge(Judgement(Verdict.REFUTED, 0.3, "told", Support.CONTRADICTED))
    assert ask(judge, [claim("x")], [[passage(EVEREST)]], None, Policy()).judgements == judge.said


@pytest.mark.parametrize("confidence", [0.1, 0.9])
def test_no_explanation_is_longer_than_its_limit(confidence: float) -> None:
    judge = Judge(Judgement(Verdict.SUPPORTED, confidence, "told", explanation="so it says " * 100))
    (said,) = ask(judge, [claim("x")], [[passage(EVEREST)]], None, Policy()).judgements
    assert count_tokens(said.explanation) <= EXPLANATION_MAX_TOKENS
