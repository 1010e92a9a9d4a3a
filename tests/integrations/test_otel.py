from pathlib import Path

import pytest

pytest.importorskip("opentelemetry.sdk")
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from assay.engine import Engine
from assay.integrations.otel import traced

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."


def test_a_verification_is_a_span_with_counts_and_no_text():
    spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    plain = Engine(judge="lexical")
    engine = traced(plain, tracers=tracers, meters=MeterProvider([reader]))
    answer = "Mount Everest is 8,489 m high. It was first climbed in 1953."
    report = engine.check(answer, sources=[SOURCE])
    assert report.verdict is plain.check(answer, sources=[SOURCE]).verdict
    assert engine.judged_by is plain.judged_by

    [span] = spans.get_finished_spans()
    assert span.name == "assay.verify"
    assert span.attributes["assay.verdict"] == "REFUTED"
    assert (span.attributes["assay.claims.refuted"], span.attributes["assay.claims.supported"]) == (1, 1)
    assert not any("Everest" in str(value) for value in span.attributes.values())

    counted = {
        metric.name: metric.data.data_points
        for resource in reader.get_metrics_data().resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert {p.attributes["assay.verdict"]: p.value for p in counted["assay.claims"]} == {"REFUTED": 1, "SUPPORTED": 1}
    assert counted["assay.verify.duration"][0].count == 1


def test_a_failed_verification_is_a_failed_span():
    spans, tracers = InMemorySpanExporter(), TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    with pytest.raises(Exception, match=r"gone\.txt"):
        traced(Engine(judge="lexical"), tracers=tracers).check("The mill opened.", Path("gone.txt"))
    assert spans.get_finished_spans()[0].status.status_code.name == "ERROR"
