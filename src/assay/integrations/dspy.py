"""DSPy: a metric for `Evaluate` and the optimizers, a reward for `Refine`, and an assertion.

dspy.Evaluate(devset=devset, metric=GroundingMetric())(program)
dspy.GEPA(metric=GroundingMetric(feedback=True), ...).compile(program, ...)
Grounded(dspy.ChainOfThought("context, question -> answer"), tries=3)(context=..., question=...)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.checkpoint import CheckedAnswer, UnverifiedError
from assay.integrations.adapter import Outcome, assess, missing_framework, row_of

try:
    import dspy
except ImportError as problem:
    raise missing_framework("DSPy", "dspy") from problem

if TYPE_CHECKING:
    from assay.engine import Engine


class GroundingMetric:
    """The share of a prediction's claims that its context supports; when demonstrations are chosen, whether all hold.

    Fields are found by their usual names (`answer`, `context`, `question`) unless named. `unscored` is what an answer
    with nothing to check counts: DSPy needs a number, and 0 keeps an optimizer from learning to say nothing.
    With `feedback` the score comes with what is wrong, as GEPA reads it.
    """

    def __init__(
        self,
        engine: Engine | None = None,
        *,
        answer: str = "",
        context: str = "",
        question: str = "",
        unscored: float = 0.0,
        feedback: bool = False,
    ) -> None:
        self.engine, self.unscored, self.feedback = engine, unscored, feedback
        self.fields = {"answer": answer, "context": context, "question": question}

    def outcome(self, example: Any, prediction: Any) -> Outcome:
        row = row_of(prediction, example, **self.fields)
        return assess(row["answer"], row["sources"], row["question"], engine=self.engine)

    def __call__(
        self, example: Any, prediction: Any, trace: Any = None, pred_name: Any = None, pred_trace: Any = None
    ) -> Any:
        found = self.outcome(example, prediction)
        if self.feedback:
            return dspy.Prediction(score=found.score_or(self.unscored), feedback=found.reason)
        return found.score_or(self.unscored) if trace is None else found.passed

    def reward(self, inputs: dict[str, Any], prediction: Any) -> float:
        """For `dspy.Refine` and `dspy.BestOfN`, with a threshold of 1.0."""
        return self.outcome(inputs, prediction).score_or(self.unscored)


class Grounded(dspy.Module):  # type: ignore[misc]
    """A program whose answers are asserted: it is tried until one is grounded, and raises `UnverifiedError` if none is.

    DSPy has no assertions of its own any more; this stands on `dspy.BestOfN`, which replaced them.
    """

    def __init__(self, program: Any, tries: int = 3, metric: GroundingMetric | None = None) -> None:
        super().__init__()
        self.metric = metric or GroundingMetric()
        self.program = dspy.BestOfN(program, N=tries, reward_fn=self._passed, threshold=1.0)

    def _passed(self, inputs: dict[str, Any], prediction: Any) -> float:
        found = self.metric.outcome(inputs, prediction)
        return 1.0 if found.passed else found.score_or(0.0) * 0.99  # all claims may hold while a citation does not

    def forward(self, **inputs: Any) -> Any:
        best = self.program(**inputs)
        found = self.metric.outcome(inputs, best)
        if not found.passed:
            raise UnverifiedError(CheckedAnswer(found.report.answer, found.report, False))
        return best
