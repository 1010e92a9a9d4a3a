"""Spans of the server and the guard, by the real SDK."""

import httpx
import pytest

pytest.importorskip("opentelemetry.sdk")
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from assay.server.guard.app import make_guard
from assay.server.settings import Settings
from tests.server.conftest import ANSWER, SOURCE
from tests.server.loopback import running
from tests.server.protocols import make_upstream

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def spans(monkeypatch):
    """The spans that end meanwhile; the provider of this process is put back."""
    made, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(made))
    monkeypatch.setattr(trace, "get_tracer", lambda name, **_: provider.get_tracer(name))
    return made.get_finished_spans


def test_a_request_is_a_span_below_the_callers_with_the_verdict(client, spans):
    body = {"answer": ANSWER, "sources": [SOURCE]}
    assert client.post("/v1/verify", json=body, headers={"traceparent": PARENT}).status_code == 200
    client.get("/v1/documents/none")
    asked, missed = spans()
    assert (asked.name, missed.name) == ("POST /v1/verify", "GET /v1/documents/{document_id:path}")
    assert f"{asked.parent.span_id:016x}" == "b7ad6b7169203331"
    assert asked.attributes["assay.verdict"] == "REFUTED"
    assert asked.attributes["assay.claims.refuted"] == 1
    assert (asked.attributes["http.response.status_code"], missed.attributes["http.response.status_code"]) == (200, 404)
    assert "Everest" not in str(dict(asked.attributes))


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", ["chat/completions", "responses", "messages"])
def test_an_answer_of_the_upstream_is_a_span_by_the_conventions(spans, tmp_path, path, stream):
    with running(make_upstream({"false": ANSWER})) as behind:
        settings = Settings(data=str(tmp_path), judge="lexical", warm=False, upstream=f"{behind}/v1", guard="hold")
        with running(make_guard(settings)) as address:
            body = {"model": "false", "input": "?", "messages": [{"role": "user", "content": "?"}], "max_tokens": 9}
            asked = body | {"sources": [SOURCE], "stream": stream, "stream_options": {"include_usage": True}}
            httpx.post(f"{address}/v1/{path}", json=asked, headers={"anthropic-version": "2023-06-01"})
            httpx.post(f"{address}/v1/{path}", json=asked | {"model": "false/cut", "stream": True})
    answer, request, broken, _ = (
        span for span in spans() if span.name in ("chat false", f"POST /v1/{path}", "chat false/cut")
    )
    said = answer.attributes
    assert answer.parent.span_id == request.context.span_id
    assert said["gen_ai.operation.name"] == "chat"
    assert said["gen_ai.provider.name"] == ("anthropic" if path == "messages" else "openai")
    assert (said["gen_ai.request.model"], said["gen_ai.response.model"]) == ("false", "m-1")
    assert said["gen_ai.request.max_tokens"] == 9
    assert said["gen_ai.response.id"]
    assert (said["assay.verdict"], said["assay.guard.mode"], said["assay.guard.stopped"]) == ("REFUTED", "hold", True)
    if not stream:
        assert (said["gen_ai.usage.input_tokens"], said["gen_ai.usage.output_tokens"]) == (11, 7)
        assert said["gen_ai.response.finish_reasons"]
    assert broken.attributes["error.type"] == "upstream-incomplete"
    assert "assay.verdict" not in broken.attributes


def test_spans_reach_a_collector(tmp_path, monkeypatch):
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    from fastapi import FastAPI, Request
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from starlette.responses import Response

    from assay.server import tracing

    collector, got = FastAPI(), []

    @collector.post("/v1/traces")
    async def take(request: Request):
        got.append(ExportTraceServiceRequest.FromString(await request.body()))
        return Response(b"", media_type="application/x-protobuf")

    with running(collector) as address:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        kept = []
        monkeypatch.setattr(trace, "set_tracer_provider", kept.append)
        tracing.export()
        monkeypatch.setattr(trace, "get_tracer", lambda name: kept[0].get_tracer(name))
        tracing.AnswerSpan("chat", "openai", "http://host:9/v1", {"model": "m"}).end()
        kept[0].shutdown()
    [span] = got[0].resource_spans[0].scope_spans[0].spans
    assert span.name == "chat m"
    assert got[0].resource_spans[0].resource.attributes
