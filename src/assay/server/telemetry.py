"""Request ids, the access log and Prometheus metrics."""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import sys
import time
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.server.problems import problem_of, problem_response
from assay.server.tracing import RequestSpan, note_report, request_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.repair import Attempt
    from assay.types import Report

log = logging.getLogger("assay.server")

_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{8,64}\Z")
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"


class Metrics:
    """The counters of one app; several worker processes share them through a folder of the Prometheus client."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        one: Any = {"registry": self._registry}
        self.requests = Counter("assay_requests", "Requests answered.", ["method", "route", "status"], **one)
        self.seconds = Histogram("assay_request_seconds", "Time to answer.", ["route"], buckets=_SECONDS, **one)
        self.in_flight = Gauge("assay_in_flight", "Requests being answered.", multiprocess_mode="livesum", **one)
        self.waiting = Gauge("assay_waiting", "Requests waiting for a thread.", multiprocess_mode="livesum", **one)
        self.claims = Counter("assay_claims", "Claims judged.", ["verdict"], **one)
        self.answers = Counter("assay_answers", "Answers judged.", ["verdict", "action"], **one)
        self.halts = Counter("assay_halts", "Streams halted.", **one)
        self.corrections = Counter("assay_corrections_triggered", "Answers that were corrected or tried to be.", **one)
        self.improved = Counter("assay_corrections_improved", "Corrections that gave a better answer.", **one)
        self.flags = Counter("assay_risk_flags", "Risk flags and fallbacks on reports.", ["kind"], **one)

    def count(self, report: Report) -> None:
        note_report(report)
        self.answers.labels(report.verdict.value, report.action.value).inc()
        for verdict, number in report.counts.items():
            if number:
                self.claims.labels(verdict).inc(number)
        for flag in report.risk_flags:
            self.flags.labels(flag.kind).inc()

    def count_corrections(self, attempts: Sequence[Attempt]) -> None:
        """One answer on which a correction was tried, and whether it came out better."""
        if attempts:
            self.corrections.inc()
            if any(attempt.improved for attempt in attempts):
                self.improved.inc()

    def render(self) -> bytes:
        if MULTIPROCESS not in os.environ:
            return generate_latest(self._registry)
        shared = CollectorRegistry()
        multiprocess.MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
        return generate_latest(shared)


class TelemetryMiddleware:
    """The outermost middleware: gives each request an id and standard headers, then logs and counts it."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        with request_span(_method(scope), scope["path"], headers) as span:
            await self._answer(scope, receive, send, headers.get("x-request-id", ""), span)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, given: str, span: RequestSpan) -> None:
        request_id = given if _GIVEN_ID.match(given) else secrets.token_hex(12)
        scope.setdefault("state", {})["request_id"] = request_id
        status = 0
        began = time.perf_counter()

        async def add_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                # An upstream of the guard has an id of its own, which its clients look for.
                headers["X-Assay-Request-ID" if "x-request-id" in headers else "X-Request-ID"] = request_id
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("X-Frame-Options", "DENY")
                # Data of a workspace is not cached; the page is revalidated, so that an upgrade shows.
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith("/v1/") else "no-cache")
            await send(message)

        self.metrics.in_flight.inc()
        try:
            await self.app(scope, receive, add_headers)
        except Exception as error:
            log.error("a request failed", exc_info=error, extra={"request_id": request_id})
            if status:  # half of the answer is out: breaking off is all that is left
                raise
            await problem_response(problem_of(error), scope)(scope, receive, add_headers)
        finally:
            self.metrics.in_flight.dec()
            self._log(scope, request_id, status, time.perf_counter() - began, span)

    def _log(self, scope: Scope, request_id: str, status: int, seconds: float, span: RequestSpan) -> None:
        route = getattr(scope.get("route"), "path", None) or ("/" if scope["path"] == "/" else "other")
        method = _method(scope)
        span.end(route, status)
        self.metrics.requests.labels(method, route, str(status)).inc()
        self.metrics.seconds.labels(route).observe(seconds)
        caller = scope["state"].get("caller")
        log.info(
            "%s %s %d",
            method,
            route,
            status,
            extra={
                "request_id": request_id,
                "method": method,
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 2),
                "workspace": getattr(caller, "workspace", ""),
                "key": getattr(caller, "name", ""),
            },
        )


_METHODS = {"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"}


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in _METHODS else "other"


_FIELDS = ("request_id", "method", "route", "status", "ms", "workspace", "key")


class JsonFormatter(logging.Formatter):
    """One JSON object a line; texts of requests are never logged."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)


def log_to_stderr(form: str) -> None:
    """Sends the server's log to standard error, as JSON lines or as plain text."""
    handler = logging.StreamHandler(sys.stderr)
    plain = "%(asctime)s %(levelname)-7s %(message)s"
    handler.setFormatter(JsonFormatter() if form == "json" else logging.Formatter(plain))
    for name in ("assay", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO)
    logging.getLogger("uvicorn.access").disabled = True
