"""RAGAS: groundedness without a language model, as a metric of its collections or of `evaluate`.

await Groundedness().ascore(response=..., retrieved_contexts=[...])
evaluate(dataset, metrics=[SingleTurnGroundedness()])
check_many(rows_of(dataset))  # the same samples as full reports: rows_of reads an EvaluationDataset
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

from assay.integrations.adapter import assess, missing_framework, rows_of

try:
    from ragas.dataset_schema import SingleTurnSample
    from ragas.metrics.base import MetricType, SingleTurnMetric
    from ragas.metrics.collections.base import BaseMetric
    from ragas.metrics.result import MetricResult
except ImportError as problem:
    raise missing_framework("RAGAS", "ragas") from problem

__all__ = ["Groundedness", "SingleTurnGroundedness", "rows_of"]

_COLUMNS = {"user_input:optional", "response", "retrieved_contexts"}


class Groundedness(BaseMetric):  # type: ignore[misc]
    """The share of a response's claims that its contexts support, with the reason.

    A response with nothing to check has the value NaN, which is how RAGAS leaves a sample out of a mean.
    """

    def __init__(self, engine: Any = None, name: str = "groundedness") -> None:
        self.engine = engine
        super().__init__(name=name)

    async def ascore(
        self, response: str, retrieved_contexts: Sequence[str], user_input: str | None = None
    ) -> MetricResult:
        found = await asyncio.to_thread(assess, response, retrieved_contexts, user_input, engine=self.engine)
        return MetricResult(value=found.score_or(nan), reason=found.reason)


@dataclass
class SingleTurnGroundedness(SingleTurnMetric):  # type: ignore[misc]
    """The same for `ragas.evaluate`."""

    name: str = "groundedness"
    engine: Any = None
    _required_columns: dict[MetricType, set[str]] = field(default_factory=lambda: {MetricType.SINGLE_TURN: _COLUMNS})

    def init(self, run_config: Any) -> None:
        """There is no model to set up."""

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
        metric = Groundedness(self.engine)
        return float((await metric.ascore(sample.response, sample.retrieved_contexts, sample.user_input)).value)

    async def _ascore(self, row: dict[str, Any], callbacks: Any = None) -> float:
        return await self._single_turn_ascore(SingleTurnSample(**row), callbacks)
