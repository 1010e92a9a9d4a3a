"""LlamaIndex: the answer of a query engine checked against its source nodes, and a memory as its retriever.

report = check_response(query_engine.query(question), question)
RetrieverQueryEngine.from_args(retriever(memory), llm=llm)
evaluator().evaluate_response(question, response).passing
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from assay.integrations.adapter import assess, missing_framework, sources_of
from assay.types import Report

try:
    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as problem:
    raise missing_framework("LlamaIndex", "llamaindex") from problem

if TYPE_CHECKING:
    from assay.engine import Engine, Source
    from assay.memory import Memory


def check_response(response: Any, question: str | None = None, *, engine: Engine | None = None) -> Report:
    """The report on the response of a query engine, against the nodes it was written from."""
    return assess(str(response), documents_of(response.source_nodes), question, engine=engine).report


def documents_of(nodes: Iterable[Any]) -> list[Source]:
    """Nodes, with or without a score, as sources: each named after the file it was cut from, with its page."""
    plain = [getattr(scored, "node", scored) for scored in nodes]
    return sources_of([{"text": node.get_content(), "metadata": node.metadata, "id": node.node_id} for node in plain])


class LlamaIndexRetriever(BaseRetriever):  # type: ignore[misc]
    """The passages of a memory as nodes."""

    def __init__(self, memory: Memory, k: int = 5) -> None:
        self._memory, self._k = memory, k
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [
            NodeWithScore(
                node=TextNode(
                    text=item.text,
                    start_char_idx=item.start,
                    end_char_idx=item.end,
                    metadata={
                        "source": item.document_id,
                        "title": item.document.title,
                        "page": item.document.page_at(item.start),
                        "heading": item.document.heading_at(item.start),
                    },
                ),
                score=item.similarity,
            )
            for item in self._memory.retrieve(query_bundle.query_str, self._k)
        ]


class LlamaIndexEvaluator(BaseEvaluator):  # type: ignore[misc]
    """Passes what is grounded; the score is the share of claims that are supported. It needs no language model."""

    def __init__(self, engine: Engine | None = None) -> None:
        self._engine = engine

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: Any) -> None:
        pass

    async def aevaluate(
        self, query: str | None = None, response: str | None = None, contexts: Sequence[str] | None = None, **_: Any
    ) -> EvaluationResult:
        found = await asyncio.to_thread(assess, response, contexts, query, engine=self._engine)
        return EvaluationResult(
            query=query,
            response=response,
            contexts=contexts,
            passing=found.report.grounded,
            score=found.score,
            feedback=str(found.report),
        )


def retriever(memory: Memory, k: int = 5) -> BaseRetriever:
    """A retriever over a memory, for any query engine."""
    return LlamaIndexRetriever(memory, k)


def evaluator(engine: Engine | None = None) -> BaseEvaluator:
    """An evaluator for LlamaIndex's batch runners."""
    return LlamaIndexEvaluator(engine)
