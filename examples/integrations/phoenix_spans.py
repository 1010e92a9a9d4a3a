"""Phoenix: a verification as a guardrail span; with a Phoenix server the answer's span is annotated too.

pip install 'assay-check[phoenix]'; PHOENIX_COLLECTOR_ENDPOINT=http://localhost:6006 if you run a server.
"""

import os

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from assay.integrations.phoenix import annotate, traced

server = os.environ.get("PHOENIX_COLLECTOR_ENDPOINT")
if server:
    from phoenix.otel import register

    tracers = register(project_name="default")
else:
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))

engine = traced(tracers=tracers)
with tracers.get_tracer("app").start_as_current_span("answer"):
    report = engine.check("Mount Everest is 8,489 m high.", ["Mount Everest is 8,849 m high."])
    if server:
        from phoenix.client import Client

        annotate(Client(), report)
