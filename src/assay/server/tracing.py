"""OpenTelemetry spans of a server: one for each request, one for each answer of an upstream, with the verdict on both.

Spans go to the provider of the process; with the setting `otel` the server sets one up that sends them as the OTEL_*
variables say. Names follow the semantic conventions for HTTP and for generative AI; texts are not put on spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assay.errors import missing_extra

try:
    from opentelemetry import propagate, trace

    _SPANS = True
except ImportError:  # an extra; without it there are no spans
    _SPANS = False

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from assay.types import Report

_REQUEST = {  # what a request says of the model, by its names in the protocols
    "model": "gen_ai.request.model",
    "temperature": "gen_ai.request.temperature",
    "top_p": "gen_ai.request.top_p",
    "max_tokens": "gen_ai.request.max_tokens",
    "max_completion_tokens": "gen_ai.request.max_tokens",
    "max_output_tokens": "gen_ai.request.max_tokens",
    "seed": "gen_ai.request.seed",
}


def export() -> None:
    """Sends the spans of this process to a collector, chosen by OTEL_EXPORTER_OTLP_ENDPOINT and its like."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as problem:
        raise missing_extra("sending spans to a collector", "otlp") from problem
    provider = TracerProvider(resource=Resource.create({"service.name": "assay"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


@contextmanager
def request_span(method: str, path: str, headers: Mapping[str, str]) -> Iterator[RequestSpan]:
    """The span of a request, below the one its `traceparent` header names."""
    if not _SPANS:
        yield RequestSpan(None, method)
        return
    tracer = trace.get_tracer("assay.server")
    attributes = {"http.request.method": method, "url.path": path}
    with tracer.start_as_current_span(
        method, propagate.extract(headers), trace.SpanKind.SERVER, attributes, record_exception=False
    ) as span:
        yield RequestSpan(span, method)


class RequestSpan:
    """The span of a request that is being answered."""

    def __init__(self, span: Span | None, method: str) -> None:
        self._span, self._method = span, method

    def end(self, route: str, status: int) -> None:
        if self._span is None:
            return
        self._span.update_name(f"{self._method} {route}")
        self._span.set_attributes({"http.route": route, "http.response.status_code": status})
        if status >= 500:
            self._span.set_status(trace.Status(trace.StatusCode.ERROR))


def note_report(report: Report) -> None:
    """Puts the verdict on the span of the request that is being answered."""
    if _SPANS and (span := trace.get_current_span()).is_recording():
        from assay.integrations.otel import describe

        span.set_attributes(describe(report))


class AnswerSpan:
    """The span of an answer of an upstream."""

    def __init__(self, operation: str, provider: str, address: str, body: Mapping[str, Any]) -> None:
        self._span: Span | None = None
        if not _SPANS:
            return
        place = urlsplit(address)
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": operation,
            "gen_ai.provider.name": provider,
            "server.address": place.hostname or "",
        }
        if place.port:
            attributes["server.port"] = place.port
        attributes |= {
            name: body[key] for key, name in _REQUEST.items() if isinstance(body.get(key), str | int | float)
        }
        self._span = trace.get_tracer("assay.server").start_span(
            f"{operation} {body.get('model', '')}".strip(), kind=trace.SpanKind.CLIENT, attributes=attributes
        )

    def note(self, facts: Mapping[str, Any]) -> None:
        """Model, id, usage and finish reasons, as the upstream said them."""
        if self._span is not None:
            self._span.set_attributes({name: value for name, value in facts.items() if value is not None})

    def note_report(self, report: Report, mode: str) -> None:
        if self._span is not None and self._span.is_recording():
            from assay.integrations.otel import describe

            self._span.set_attributes(describe(report) | {"assay.guard.mode": mode})

    def stopped(self) -> None:
        self.note({"assay.guard.stopped": True})

    def fail(self, kind: str, detail: str) -> None:
        if self._span is not None:
            self._span.set_attribute("error.type", kind)
            self._span.set_status(trace.Status(trace.StatusCode.ERROR, detail))

    def end(self) -> None:
        if self._span is not None:
            self._span.end()
