import itertools

import pytest

pytest.importorskip("langfuse", reason="pip install 'assay-check[langfuse]', or make test-frameworks")
from langfuse import Langfuse

from assay import check
from assay.engine import Engine
from assay.integrations.langfuse import evaluator, score, score_current
from tests.integrations.http_recorder import recording

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
RIGHT, WRONG = "Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."
OPINION = "I think it is beautiful."

KEYS = itertools.count()  # clients with the same key share what sends, and with it its end


@pytest.fixture
def langfuse():
    """Langfuse's own client, which sends to a server of this test."""

    with recording(lambda path, body: {}) as (address, seen):
        client = Langfuse(public_key=f"pk-lf-{next(KEYS)}", secret_key="sk-lf-test", base_url=address, flush_at=1)
        yield client, seen
        client.shutdown()


def scores(client, seen):
    client.flush()
    found = [one for path, body in seen if path == "/api/public/scores" for one in body]
    return {one["name"]: one for one in found}


def test_the_active_observation_is_scored(langfuse):
    client, seen = langfuse
    with client.start_as_current_observation(name="answer", as_type="generation", output=WRONG) as observation:
        score_current(client, check(WRONG, [SOURCE], judge="lexical"))
    told = scores(client, seen)
    assert (told["grounded"]["value"], told["grounded"]["dataType"]) == (0.0, "BOOLEAN")
    assert told["groundedness"]["value"] == 0.0
    assert told["grounded"]["observationId"] == observation.id
    assert "8,849" in told["grounded"]["comment"]
    assert told["grounded"]["metadata"]["verdict"] == "REFUTED"
    assert any("otel" in path for path, _ in seen)  # the observation itself goes out as an OpenTelemetry span


def test_a_trace_is_scored_later_and_nothing_to_check_has_no_number(langfuse):
    client, seen = langfuse
    score(client, check(OPINION, [SOURCE], judge="lexical"), trace_id="0" * 31 + "1")
    told = scores(client, seen)
    assert told.keys() == {"grounded"}
    assert told["grounded"]["value"] == 1.0
    assert told["grounded"]["traceId"] == "0" * 31 + "1"


def test_an_experiment_is_evaluated(langfuse):
    client, _ = langfuse
    rows = [{"input": text, "metadata": {"context": SOURCE}} for text in (RIGHT, WRONG)]
    found = client.run_experiment(
        name="nightly",
        data=rows,
        task=lambda *, item, **_: item["input"],
        evaluators=[evaluator(Engine(judge="lexical"))],
    )
    values = {one.output: {told.name: told.value for told in one.evaluations} for one in found.item_results}
    assert values[RIGHT] == {"grounded": 1.0, "groundedness": 1.0}
    assert values[WRONG] == {"grounded": 0.0, "groundedness": 0.0}
