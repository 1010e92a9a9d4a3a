import asyncio
import math

import pytest

pytest.importorskip("ragas", reason="pip install 'assay-check[ragas]', or make test-frameworks", exc_type=ImportError)
from ragas import EvaluationDataset, evaluate
from ragas.dataset_schema import SingleTurnSample

from assay import check_many
from assay.batch import check_file
from assay.engine import Engine
from assay.integrations.ragas import Groundedness, SingleTurnGroundedness, rows_of

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
RIGHT, WRONG = "Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."
OPINION = "I think it is beautiful."
ENGINE = Engine(judge="lexical")


@pytest.fixture
def dataset():
    samples = [
        SingleTurnSample(user_input="How high is Everest?", response=text, retrieved_contexts=[SOURCE])
        for text in (RIGHT, WRONG, OPINION)
    ]
    return EvaluationDataset(samples)


def test_a_metric_of_the_collections_scores_with_a_reason():
    metric = Groundedness(ENGINE)
    wrong = metric.score(response=WRONG, retrieved_contexts=[SOURCE], user_input="How high?")
    assert wrong.value == 0.0
    assert "8,849" in wrong.reason
    assert asyncio.run(metric.ascore(response=RIGHT, retrieved_contexts=[SOURCE])).value == 1.0
    assert math.isnan(metric.score(response=OPINION, retrieved_contexts=[SOURCE]).value)
    batch = metric.batch_score([{"response": RIGHT, "retrieved_contexts": [SOURCE]}] * 2)
    assert [one.value for one in batch] == [1.0, 1.0]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_evaluate_leaves_out_what_has_nothing_to_check(dataset):
    found = evaluate(dataset, metrics=[SingleTurnGroundedness(engine=ENGINE)], show_progress=False)
    assert found["groundedness"][:2] == [1.0, 0.0]
    assert math.isnan(found["groundedness"][2])
    assert found._repr_dict["groundedness"] == 0.5


def test_a_data_set_is_checked_from_memory_and_from_its_file(dataset, tmp_path):
    assert [report.grounded for report in check_many(rows_of(dataset), judge="lexical")] == [True, False, None]
    dataset.to_jsonl(tmp_path / "set.jsonl")
    done = check_file(tmp_path / "set.jsonl", tmp_path / "reports.jsonl", judge="lexical")
    assert (done.checked, done.problems, done.verdicts["REFUTED"]) == (3, [], 1)
