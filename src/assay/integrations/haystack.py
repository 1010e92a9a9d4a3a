"""Haystack: a component that tells grounded replies from others in a pipeline, and an evaluator.

pipeline.add_component("checker", GroundingChecker())
pipeline.connect("llm.replies", "checker.replies")
pipeline.connect("retriever.documents", "checker.documents")
"""

from __future__ import annotations

from typing import Any

from assay.integrations.adapter import Outcome, assess, engine_for, missing_framework, text_of

try:
    from haystack import Document, component
    from haystack.dataclasses import ChatMessage
except ImportError as problem:
    raise missing_framework("Haystack", "haystack") from problem


@component
class GroundingChecker:
    """Passes replies on as `grounded` or `ungrounded`; `outcomes` has the score, reason and failing claims of each.

    An output without a reply is not sent, so that what is connected to it does not run: connect `ungrounded` to a
    fallback, or `feedback` back to the prompt.
    """

    def __init__(self, judge: str = "cascade", policy: str | None = None) -> None:
        self.judge, self.policy = judge, policy

    def warm_up(self) -> None:
        engine_for(self.judge, self.policy).warm()

    @component.output_types(  # type: ignore[untyped-decorator]
        grounded=list[ChatMessage], ungrounded=list[ChatMessage], feedback=str, outcomes=list[dict[str, Any]]
    )
    def run(
        self, replies: list[ChatMessage] | list[str], documents: list[Document], query: str | None = None
    ) -> dict[str, Any]:
        engine = engine_for(self.judge, self.policy)
        found = [(reply, assess(reply, documents, query, engine=engine)) for reply in replies]
        sent: dict[str, Any] = {"outcomes": [outcome.to_dict() for _, outcome in found]}
        for name, passed in (("grounded", True), ("ungrounded", False)):
            if chosen := [_message(reply) for reply, outcome in found if outcome.passed is passed]:
                sent[name] = chosen
        if "ungrounded" in sent:
            sent["feedback"] = "\n".join(outcome.reason for _, outcome in found if not outcome.passed)
        return sent


@component
class GroundingEvaluator:
    """The inputs and outputs of Haystack's FaithfulnessEvaluator, without a language model.

    `score` is the mean over the answers that have something to check, None if none has.
    """

    def __init__(self, judge: str = "cascade", policy: str | None = None) -> None:
        self.judge, self.policy = judge, policy

    @component.output_types(  # type: ignore[untyped-decorator]
        score=float | None, individual_scores=list[float | None], results=list[dict[str, Any]]
    )
    def run(self, questions: list[str], contexts: list[list[str]], predicted_answers: list[str]) -> dict[str, Any]:
        engine = engine_for(self.judge, self.policy)
        rows = zip(predicted_answers, contexts, questions, strict=True)
        found: list[Outcome] = [assess(*row, engine=engine) for row in rows]
        scores = [outcome.score for outcome in found]
        counted = [score for score in scores if score is not None]
        mean = sum(counted) / len(counted) if counted else None
        return {"score": mean, "individual_scores": scores, "results": [outcome.to_dict() for outcome in found]}


def _message(reply: Any) -> ChatMessage:
    return reply if isinstance(reply, ChatMessage) else ChatMessage.from_assistant(text_of(reply))
