"""Langfuse: a report as scores of a trace or an observation, and an evaluator for its experiments.

with langfuse.start_as_current_observation(name="answer", as_type="generation"):
    score_current(langfuse, assay.check(answer, sources))
langfuse.run_experiment(name="nightly", data=rows, task=task, evaluators=[evaluator()])
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

from assay.integrations.adapter import Outcome, assess_task, missing_framework
from assay.types import Report

try:
    from langfuse import Evaluation, Langfuse
except ImportError as problem:
    raise missing_framework("Langfuse", "langfuse") from problem

if TYPE_CHECKING:
    from assay.engine import Engine


def score_current(client: Langfuse, report: Report) -> None:
    """Scores the active OpenTelemetry span of Langfuse: `grounded` and, where something was checked, `groundedness`."""
    for score in _scores(Outcome(report)):
        client.score_current_span(**score)


def score(client: Langfuse, report: Report, *, trace_id: str, observation_id: str | None = None) -> None:
    """Scores a trace that has ended, or one of its observations."""
    for one in _scores(Outcome(report)):
        client.create_score(trace_id=trace_id, observation_id=observation_id, **one)


def evaluator(engine: Engine | None = None) -> Callable[..., Awaitable[list[Evaluation]]]:
    """An evaluator; the context is found by its usual names in the output of the task, its metadata or its input."""

    async def grounding(*, input: Any, output: Any, metadata: Any = None, **_: Any) -> list[Evaluation]:
        found = await asyncio.to_thread(assess_task, output, input, metadata, engine=engine)
        return [Evaluation(**one) for one in _scores(found)]

    return grounding


def _scores(found: Outcome) -> Iterator[dict[str, Any]]:
    metadata = {"verdict": found.report.verdict.value, "counts": found.report.counts, "model": found.report.model}
    common = {"comment": found.reason, "metadata": metadata}
    yield {"name": "grounded", "value": float(found.passed), "data_type": "BOOLEAN", **common}
    if found.score is not None:
        yield {"name": "groundedness", "value": found.score, "data_type": "NUMERIC", **common}
