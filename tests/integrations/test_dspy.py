import pytest

pytest.importorskip("dspy", reason="pip install 'assay-check[dspy]', or make test-frameworks")
import dspy
from dspy.utils import DummyLM

from assay.checkpoint import UnverifiedError
from assay.engine import Engine
from assay.integrations.dspy import Grounded, GroundingMetric

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
RIGHT, WRONG = "Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."
OPINION = "I think it is beautiful."
METRIC = GroundingMetric(Engine(judge="lexical"))
ASKED = {"context": [SOURCE], "question": "How high is Everest?"}


def examples(number):
    return [dspy.Example(**ASKED).with_inputs("context", "question")] * number


def test_a_program_is_evaluated():
    with dspy.context(lm=DummyLM([{"answer": RIGHT}, {"answer": WRONG}, {"answer": OPINION}])):
        program = dspy.Predict("context, question -> answer")
        found = dspy.Evaluate(devset=examples(3), metric=METRIC, num_threads=1)(program)
    assert [score for *_, score in found.results] == [1.0, 0.0, 0.0]
    assert found.score == pytest.approx(33.33)


def test_demonstrations_are_chosen_only_where_all_claims_hold():
    example, [mixed] = examples(1)[0], [dspy.Prediction(answer=f"{RIGHT} It was first climbed in 1963.")]
    assert METRIC(example, mixed) == 0.5
    assert METRIC(example, mixed, trace=[]) is False
    assert METRIC(example, dspy.Prediction(answer=RIGHT), trace=[]) is True
    with dspy.context(lm=DummyLM([{"answer": WRONG}, {"answer": RIGHT}])):
        program = dspy.Predict("context, question -> answer")
        teach = dspy.BootstrapFewShot(metric=METRIC, max_bootstrapped_demos=2, max_labeled_demos=0)
        made = teach.compile(
            program, trainset=[dspy.Example(**ASKED, n=n).with_inputs("context", "question") for n in (1, 2)]
        )
    assert [demo["answer"] for demo in made.demos] == [RIGHT]


def test_feedback_says_what_is_wrong():
    found = GroundingMetric(METRIC.engine, feedback=True)(examples(1)[0], dspy.Prediction(answer=WRONG))
    assert found.score == 0.0
    assert "8,849" in found.feedback


def test_an_assertion_tries_again_and_raises_in_the_end():
    with dspy.context(lm=DummyLM([{"answer": WRONG}, {"answer": RIGHT}])):
        assert Grounded(dspy.Predict("context, question -> answer"), tries=2, metric=METRIC)(**ASKED).answer == RIGHT
    with (
        dspy.context(lm=DummyLM([{"answer": WRONG}, {"answer": WRONG}])),
        pytest.raises(UnverifiedError, match="REFUTED") as raised,
    ):
        Grounded(dspy.Predict("context, question -> answer"), tries=2, metric=METRIC)(**ASKED)
    assert raised.value.checked.answer == WRONG


def test_the_reward_works_with_best_of_n():
    with dspy.context(lm=DummyLM([{"answer": WRONG}, {"answer": RIGHT}])):
        program = dspy.BestOfN(dspy.Predict("context, question -> answer"), N=2, reward_fn=METRIC.reward, threshold=1.0)
        assert program(**ASKED).answer == RIGHT


def test_fields_of_other_names_are_named():
    metric = GroundingMetric(METRIC.engine, answer="reply", context="pages")
    assert metric(dspy.Example(pages=[SOURCE]), dspy.Prediction(reply=RIGHT)) == 1.0
