import json

import pytest

pytest.importorskip("deepeval", reason="pip install 'assay-check[deepeval]', or make test-frameworks")
from deepeval import assert_test, evaluate
from deepeval.dataset import EvaluationDataset
from deepeval.errors import MissingTestCaseParamsError
from deepeval.evaluate.configs import DisplayConfig
from deepeval.test_case import LLMTestCase

from assay import check_many
from assay.batch import check_file
from assay.engine import Engine
from assay.integrations.deepeval import GroundednessMetric, rows_of

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
RIGHT, WRONG = "Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."
OPINION = "I think it is beautiful."
ENGINE = Engine(judge="lexical")


def case(text, **fields):
    return LLMTestCase(input="How high is Everest?", actual_output=text, **({"retrieval_context": [SOURCE]} | fields))


def test_cases_are_evaluated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # it leaves its cache in the folder
    shown = DisplayConfig(show_indicator=False, print_results=False)
    metrics = [GroundednessMetric(engine=ENGINE)]
    found = evaluate([case(RIGHT), case(WRONG), case(OPINION)], metrics=metrics, display_config=shown)
    by_text = {one.actual_output: one for one in found.test_results}
    assert [by_text[text].success for text in (RIGHT, WRONG)] == [True, False]
    [told] = by_text[WRONG].metrics_data
    assert (told.name, told.score) == ("Groundedness", 0.0)
    assert "8,849" in told.reason
    assert not by_text[OPINION].metrics_data  # skipped: nothing to check is not a pass


def test_an_assertion_fails_a_test(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_test(case(RIGHT), [GroundednessMetric(engine=ENGINE)])
    with pytest.raises(AssertionError, match="Groundedness"):
        assert_test(case(WRONG), [GroundednessMetric(engine=ENGINE)])


def test_the_context_of_a_case_will_do_and_a_case_without_any_is_refused():
    metric = GroundednessMetric(engine=ENGINE)
    assert metric.measure(case(RIGHT, retrieval_context=None, context=[SOURCE])) == 1.0
    assert metric.is_successful()
    with pytest.raises(MissingTestCaseParamsError, match="retrieval_context"):
        metric.measure(case(RIGHT, retrieval_context=None))


def test_a_lower_threshold_lets_a_claim_fail():
    metric = GroundednessMetric(threshold=0.5, engine=ENGINE)
    assert metric.measure(case(f"{RIGHT} It was first climbed in 1963.")) == 0.5
    assert metric.is_successful()


def test_a_data_set_is_checked_from_memory_and_from_its_file(tmp_path):
    dataset = EvaluationDataset()
    for text in (RIGHT, WRONG):
        dataset.add_test_case(case(text))
    assert [report.grounded for report in check_many(rows_of(dataset.test_cases), judge="lexical")] == [True, False]
    dataset.save_as("json", str(tmp_path), "cases", include_test_cases=True)
    assert json.loads((tmp_path / "cases.json").read_text())[0]["actual_output"] == RIGHT
    done = check_file(tmp_path / "cases.json", tmp_path / "reports.jsonl", judge="lexical")
    assert (done.checked, done.problems, done.verdicts["REFUTED"]) == (2, [], 1)
