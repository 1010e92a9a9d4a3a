"""LlamaIndex: the answer of a query engine checked against its source nodes, and a memory as its retriever.

report = check_response(query_engine.query(question), question)
RetrieverQueryEngine.from_args(retriever(memory), llm=llm)
evaluator().evaluate_response(question, response).passing
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import missing_extra
from assay.types import Document, Mark, Report, Verdict
from assay.views import is_grounded

if TYPE_CHECKING:
    from llama_index.core.evaluation import BaseEvaluator
    from llama_index.core.retrievers import BaseRetriever

    from assay.engine import Engine
    from assay.memory import Memory


def check_response(response: Any, question: str | None = None, *, engine: Engine | None = None) -> Report:
    """The report on the response of a query engine, against the nodes it was written from."""
    from assay.engine import Engine

    return (engine or Engine()).check(str(response), sources=documents_of(response.source_nodes), question=question)


def documents_of(nodes: Iterable[Any]) -> list[Document]:
    """Nodes, with or without a score, as sources: each named after the file it was cut from, with its page."""
    from assay.memory.readers import DocumentIds

    names, documents = DocumentIds(), []
    for scored in nodes:
        node = getattr(scored, "node", scored)
        known = node.metadata
        page = str(known.get("page_label") or known.get("page") or "")
        documents.append(
            Document(
                names.assign(str(known.get("file_name") or known.get("source") or node.node_id)),
                node.get_content(),
                title=str(known.get("title") or ""),
                pages=(Mark(0, page),) if page.isdecimal() else (),
                headings=(Mark(0, str(known["heading"])),) if known.get("heading") else (),
            )
        )
    return documents


def retriever(memory: Memory, k: int = 5) -> BaseRetriever:
    """A retriever over a memory, for any query engine."""
    try:
        from llama_index.core.retrievers import BaseRetriever
        from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
    except ImportError as problem:
        raise missing_extra("the LlamaIndex adapter", "llamaindex") from problem

    class MemoryRetriever(BaseRetriever):  # type: ignore[misc]
        """The passages of a memory as nodes."""

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
                for item in memory.retrieve(query_bundle.query_str, k)
            ]

    return MemoryRetriever()


def evaluator(engine: Engine | None = None) -> BaseEvaluator:
    """An evaluator that passes what is grounded; the score is the share of claims that are supported."""
    try:
        from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
    except ImportError as problem:
        raise missing_extra("the LlamaIndex adapter", "llamaindex") from problem
    import asyncio

    from assay.engine import Engine

    checker = engine or Engine()

    class GroundingEvaluator(BaseEvaluator):  # type: ignore[misc]
        """Judges with Assay; it needs no language model and no prompts."""

        def _get_prompts(self) -> dict[str, Any]:
            return {}

        def _update_prompts(self, prompts: Any) -> None:
            pass

        async def aevaluate(
            self,
            query: str | None = None,
            response: str | None = None,
            contexts: Sequence[str] | None = None,
            **_: Any,
        ) -> EvaluationResult:
            sources = [Document(f"context-{number}", text) for number, text in enumerate(contexts or (), 1)]
            report = await asyncio.to_thread(checker.check, response or "", sources, query)
            scored = report.scored
            backed = sum(finding.verdict is Verdict.SUPPORTED for finding in scored)
            return EvaluationResult(
                query=query,
                response=response,
                contexts=contexts,
                passing=is_grounded(report),
                score=backed / len(scored) if scored else None,
                feedback=str(report),
            )

    return GroundingEvaluator()
