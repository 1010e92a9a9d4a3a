"""OpenTelemetry: a span and metrics for each verification, with whatever exporter the application has set up.

    engine = traced(Engine())

Texts are not put on spans: only counts, verdicts and hashes.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from assay.engine import Engine, Request, Run
from assay.errors import missing_extra

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from assay.types import Report

NAME = "assay"


class TracedEngine(Engine):
    """An engine whose every run is a span `assay.verify` and is counted."""

    def __init__(
        self,
        engine: Engine,
        tracers: TracerProvider | None,
        meters: MeterProvider | None,
        attributes: Mapping[str, str] | None = None,
    ) -> None:
        try:
            from opentelemetry import metrics, trace
        except ImportError as problem:
            raise missing_extra("OpenTelemetry", "otel") from problem
        self.__dict__.update(engine.__dict__)  # the same policy, judge, monitor and cache: nothing is loaded twice
        self._attributes = dict(attributes or {})
        self._tracer = trace.get_tracer(NAME, tracer_provider=tracers)
        meter = metrics.get_meter(NAME, meter_provider=meters)
        self._seconds = meter.create_histogram("assay.verify.duration", "s", "Time to verify an answer.")
        self._claims = meter.create_counter("assay.claims", "{claim}", "Claims judged, by verdict.")

    def run(self, request: Request) -> Run:
        began = perf_counter()
        with self._tracer.start_as_current_span("assay.verify", attributes=self._attributes) as span:
            run = super().run(request)
            for name, value in describe(run.report).items():
                span.set_attribute(name, value)
        self._seconds.record(perf_counter() - began, {"assay.verdict": run.report.verdict.value})
        for verdict, number in run.report.counts.items():
            if number:
                self._claims.add(number, {"assay.verdict": verdict})
        return run


def traced(
    engine: Engine | None = None,
    *,
    tracers: TracerProvider | None = None,
    meters: MeterProvider | None = None,
    attributes: Mapping[str, str] | None = None,
) -> TracedEngine:
    """The engine with telemetry; without providers the application's own are used, without those nothing is sent.

    `attributes` stand on every span, for tools that sort spans by attributes of their own.
    """
    return TracedEngine(engine or Engine(), tracers, meters, attributes)


def describe(report: Report) -> dict[str, Any]:
    """What a span says about a report."""
    shown = report.to_dict()
    attributes: dict[str, Any] = {
        "assay.verdict": shown["verdict"],
        "assay.action": shown["action"],
        "assay.audit_mode": shown["audit_mode"],
        "assay.model": shown["model"],
        "assay.policy_sha256": shown["policy_sha256"],
        "assay.answer_sha256": shown["answer_sha256"],
        "assay.claims": len(shown["claims"]),
        "assay.risk_flags": [flag["kind"] for flag in shown["risk_flags"]],
        "assay.cost_usd": float(shown["cost"]["usd"]),
    }
    attributes |= {f"assay.claims.{name.lower()}": number for name, number in shown["counts"].items()}
    attributes |= {f"assay.ms.{stage}": ms for stage, ms in shown["timings_ms"].items()}
    if shown["confidence"] is not None:
        attributes["assay.confidence"] = shown["confidence"]
    return attributes
