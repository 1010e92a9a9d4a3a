import pytest

pytest.importorskip("phoenix.client", reason="pip install 'assay-check[phoenix]', or make test-frameworks")
pytest.importorskip("phoenix.otel", reason="pip install 'assay-check[phoenix]', or make test-frameworks")
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from phoenix.client import Client
from phoenix.client.resources.experiments.evaluators import create_evaluator
from phoenix.otel import register

from assay import check
from assay.engine import Engine
from assay.errors import UsageError
from assay.integrations.phoenix import annotate, evaluator, traced
from tests.integrations.http_recorder import recording

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
RIGHT, WRONG = "Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."
OPINION = "I think it is beautiful."


@pytest.fixture
def phoenix():
    """Phoenix's own client and tracers, which send to a server of this test."""
    with recording(lambda path, body: {"data": []}) as (address, seen):
        tracers = register(endpoint=f"{address}/v1/traces", set_global_tracer_provider=False, verbose=False)
        yield Client(base_url=address), tracers, seen
        tracers.shutdown()


def test_the_active_span_is_annotated(phoenix):
    client, tracers, seen = phoenix
    with tracers.get_tracer("app").start_as_current_span("answer") as span:
        annotate(client, check(WRONG, [SOURCE], judge="lexical"))
    [told] = next(body["data"] for path, body in seen if "span_annotations" in path)
    assert told["span_id"] == f"{span.get_span_context().span_id:016x}"
    assert (told["name"], told["annotator_kind"]) == ("groundedness", "CODE")
    assert (told["result"]["label"], told["result"]["score"]) == ("REFUTED", 0.0)
    assert "8,849" in told["result"]["explanation"]
    tracers.force_flush()
    assert any(path == "/v1/traces" for path, _ in seen)


def test_an_ended_span_is_annotated_by_its_id_and_nothing_to_check_has_no_number(phoenix):
    client, _, seen = phoenix
    report = check(OPINION, [SOURCE], judge="lexical")
    annotate(client, report, span_id="00000000000000ab")
    [told] = next(body["data"] for path, body in seen if "span_annotations" in path)
    assert told["span_id"] == "00000000000000ab"
    assert told["result"]["label"] == "NOT_CHECKABLE"
    assert "score" not in told["result"]
    with pytest.raises(UsageError, match="no span is active"):
        annotate(client, report)


def test_verifications_are_guardrail_spans_without_texts(phoenix):
    _, tracers, _ = phoenix
    spans = InMemorySpanExporter()
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    traced(Engine(judge="lexical"), tracers=tracers).check(WRONG, [SOURCE])
    [span] = spans.get_finished_spans()
    assert span.attributes["openinference.span.kind"] == "GUARDRAIL"
    assert span.attributes["assay.verdict"] == "REFUTED"
    assert not any("Everest" in str(value) for value in span.attributes.values())


def test_an_experiment_takes_the_evaluator():
    made = create_evaluator()(evaluator(Engine(judge="lexical")))
    told = made.evaluate(output={"answer": WRONG, "contexts": [SOURCE]}, input={"question": "How high?"}, metadata={})
    assert (told["label"], told["score"]) == ("REFUTED", 0.0)
    assert made.evaluate(output=RIGHT, input="How high?", metadata={"context": SOURCE})["score"] == 1.0
