"""DeepEval: groundedness as a metric for `evaluate`, `assert_test` and `deepeval test run`; no language model is asked.

evaluate(test_cases=dataset.test_cases, metrics=[GroundednessMetric()])
check_many(rows_of(dataset.test_cases))  # the same cases as full reports
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from assay.integrations.adapter import Outcome, assess, missing_framework, rows_of

try:
    from deepeval.errors import MissingTestCaseParamsError
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase
except ImportError as problem:
    raise missing_framework("DeepEval", "deepeval") from problem

if TYPE_CHECKING:
    from assay.engine import Engine

__all__ = ["GroundednessMetric", "rows_of"]


class GroundednessMetric(BaseMetric):  # type: ignore[misc]
    """The share of an output's claims that its retrieval context (or else its context) supports.

    A test passes from `threshold` on; 1.0 also asks that the citations hold. A case with nothing to check is skipped.
    """

    def __init__(self, threshold: float = 1.0, engine: Engine | None = None) -> None:
        self.threshold, self.engine = threshold, engine
        self.async_mode, self.include_reason, self.evaluation_cost = True, True, 0.0

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float | None:
        context = test_case.retrieval_context or test_case.context
        if test_case.actual_output is None or context is None:
            raise MissingTestCaseParamsError("groundedness needs actual_output and retrieval_context (or context)")
        found = assess(test_case.actual_output, context, test_case.input, engine=self.engine)
        return self._settle(found)

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **options: Any) -> float | None:
        return await asyncio.to_thread(self.measure, test_case)

    def _settle(self, found: Outcome) -> float | None:
        self.score, self.reason, self.skipped = found.score, found.reason, found.score is None
        enough = found.score is not None and found.score >= self.threshold
        self.success = self.skipped if found.score is None else enough and (self.threshold < 1.0 or found.passed)
        self.evaluation_model, self.error = found.report.model, None
        return found.score

    def is_successful(self) -> bool:
        return self.error is None and bool(self.success)

    @property
    def __name__(self) -> str:
        return "Groundedness"
