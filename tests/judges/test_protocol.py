"""One protocol: what a judge cannot do has a default, so that nobody has to ask whether it can."""

import pytest

from assay.engine import Engine
from assay.errors import UsageError
from assay.judges import Judge, make_judge
from assay.judges.cascade import Cascade
from assay.judges.lexical import LexicalJudge
from assay.types import Judgement, Verdict


class Plain:
    """What the documentation asks of a judge, and nothing more."""

    name = "plain"

    def judge(self, claims, passages, question=None):
        return [Judgement(Verdict.SUPPORTED, 0.9, "said") for _ in claims]


def test_a_judge_of_ones_own_gets_the_defaults():
    judge = make_judge(Plain())
    assert (judge.model, judge.reads_whole, judge.prompt_sha256) == ("plain", False, "")
    assert judge.deliberate([], [], None, None) is None
    assert judge.estimate_usd(None, ()) == 0.0
    judge.warm_first()
    assert Engine(judge=judge).check("The mill opened.", ["A mill."]).claims[0].verdict is Verdict.SUPPORTED


def test_what_a_judge_of_ones_own_can_do_is_used():
    class Loaded(Plain):
        model, reads_whole, loads = "plain@1", True, 0

        def warm(self):
            type(self).loads += 1

    judge = make_judge(Loaded())
    judge.warm_first()
    assert (judge.model, judge.reads_whole, Loaded.loads) == ("plain@1", True, 1)


def test_the_judges_of_assay_are_taken_as_they_are():
    for judge in (LexicalJudge(), Cascade(tiers=())):
        assert Judge in type(judge).__mro__
        assert make_judge(judge) is judge


@pytest.mark.parametrize("given", [None, 3, object()])
def test_what_is_no_judge_is_refused(given):
    with pytest.raises(UsageError, match="a name and a judge method"):
        Engine(judge=given)
