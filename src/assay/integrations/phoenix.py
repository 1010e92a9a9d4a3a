"""Phoenix: verifications as OpenTelemetry spans, reports as annotations of spans, and an evaluator for experiments.

engine = traced(Engine(), tracers=phoenix.otel.register())
annotate(Client(), report)  # the active span, or span_id="..."
client.experiments.run_experiment(dataset=dataset, task=task, evaluators=[evaluator()])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.integrations.adapter import Outcome, assess_task, missing_framework
from assay.integrations.otel import TracedEngine
from assay.integrations.otel import traced as traced_engine
from assay.types import Report

try:
    from openinference.semconv.trace import OpenInferenceSpanKindValues, SpanAttributes
    from opentelemetry import trace
    from phoenix.client import Client
except ImportError as problem:
    raise missing_framework("Phoenix", "phoenix") from problem

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

    from assay.engine import Engine


def traced(engine: Engine | None = None, *, tracers: TracerProvider | None = None) -> TracedEngine:
    """An engine whose verifications Phoenix shows as guardrail spans; texts are not put on spans."""
    kind = {SpanAttributes.OPENINFERENCE_SPAN_KIND: OpenInferenceSpanKindValues.GUARDRAIL.value}
    return traced_engine(engine, tracers=tracers, attributes=kind)


def annotate(client: Client, report: Report, span_id: str | None = None) -> None:
    """Annotates a span, the active one unless its id is given, with verdict, score and reason."""
    context = trace.get_current_span().get_span_context()
    if span_id is None and not context.is_valid:
        raise UsageError("no span is active: annotate inside a span, or give its span_id")
    client.spans.add_span_annotation(
        span_id=span_id or trace.format_span_id(context.span_id),
        annotation_name="groundedness",
        annotator_kind="CODE",
        **_result(Outcome(report)),
    )


def evaluator(engine: Engine | None = None) -> Callable[..., dict[str, Any]]:
    """An evaluator; the context is found by its usual names in the output of the task, its metadata or its input."""

    def groundedness(output: Any, input: Any, metadata: Any) -> dict[str, Any]:
        return _result(assess_task(output, input, metadata, engine=engine))

    return groundedness


def _result(found: Outcome) -> dict[str, Any]:
    told = {"label": found.report.verdict.value, "explanation": found.reason}
    return told if found.score is None else {**told, "score": found.score}
