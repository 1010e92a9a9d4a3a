"""LangChain: a memory as a retriever, an answer checked at the end of a chain, or by a callback on any chain.

chain = {"context": retriever(memory), "question": RunnablePassthrough()} | answer_step | verifier()
chain.invoke("How high is Everest?")["report"].verdict

callback = GroundingCallback()
agent.invoke(..., config={"callbacks": [callback]})
callback.reports[-1].grounded
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.integrations.adapter import assess, missing_framework, sources_of, text_of
from assay.types import Report

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document as FoundDocument
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable, RunnableLambda
    from langchain_core.tracers.base import BaseTracer
    from langchain_core.tracers.schemas import Run
except ImportError as problem:
    raise missing_framework("LangChain", "langchain") from problem

if TYPE_CHECKING:
    from assay.engine import Engine
    from assay.memory import Memory

__all__ = ["GroundingCallback", "LangChainRetriever", "retriever", "sources_of", "verifier"]


class LangChainRetriever(BaseRetriever):  # type: ignore[misc]
    """The passages of a memory that settle a query, best first; their metadata say where they stand."""

    memory: Any
    k: int = 5

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[FoundDocument]:
        return [
            FoundDocument(
                page_content=item.text,
                metadata={
                    "source": item.document_id,
                    "title": item.document.title,
                    "start": item.start,
                    "end": item.end,
                    "page": item.document.page_at(item.start),
                    "heading": item.document.heading_at(item.start),
                    "similarity": item.similarity,
                },
            )
            for item in self.memory.retrieve(query, self.k)
        ]


def retriever(memory: Memory, k: int = 5) -> LangChainRetriever:
    """A retriever over a memory."""
    return LangChainRetriever(memory=memory, k=k)


def verifier(engine: Engine | None = None) -> Runnable[dict[str, Any], dict[str, Any]]:
    """A step that takes `answer`, `context` and `question` (or `input`), and passes all on with a `report`."""

    def verify(given: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(given, Mapping) or "answer" not in given:
            raise UsageError("the verifier of a chain takes a dictionary with 'answer', 'context' and 'question'")
        question = given.get("question", given.get("input"))
        asked = question if isinstance(question, str) else None
        return {**given, "report": assess(given["answer"], given.get("context"), asked, engine=engine).report}

    return RunnableLambda(verify, name="assay_verifier")


class GroundingCallback(BaseTracer):  # type: ignore[misc]
    """Checks the answer of every chain or agent it is given to, against what its retrievers and tools returned.

    Reports are kept in `reports` and handed to `on_report`. With `raise_error` what that raises ends the chain.
    """

    def __init__(
        self,
        engine: Engine | None = None,
        *,
        sources: Any = (),
        on_report: Callable[[Report], object] | None = None,
        raise_error: bool = False,
    ) -> None:
        super().__init__()
        self.engine, self.sources, self.on_report, self.raise_error = engine, sources, on_report, raise_error
        self.reports: list[Report] = []

    def _persist_run(self, run: Run) -> None:
        """Called by LangChain with the whole tree of steps when the outermost one has ended."""
        if run.error or run.run_type in ("retriever", "tool"):
            return
        sources = [*sources_of(self.sources), *_found(run)]
        report = assess(_last_text(run.outputs), sources, _last_text(run.inputs), engine=self.engine).report
        self.reports.append(report)
        if self.on_report is not None:
            self.on_report(report)


def _found(run: Run) -> Iterator[Any]:
    """What the retrievers and tools of a run returned; a tool that calls a retriever tells its documents only once."""
    for step in run.child_runs:
        below = list(_found(step))
        yield from below
        if step.run_type == "retriever":
            yield from (step.outputs or {}).get("documents", ())
        elif step.run_type == "tool" and not below:
            yield text_of((step.outputs or {}).get("output"))


def _last_text(state: Any) -> str:
    """What an agent's state says last, or the text in a chain's or a model's outputs or inputs."""
    for name in ("messages", "generations"):
        while isinstance(state, Mapping) and state.get(name):
            state = state[name]
            while isinstance(state, list):
                state = state[-1]
    if isinstance(state, Mapping):
        names = ("answer", "output", "result", "question", "input", "query")
        return text_of(next((state[name] for name in names if name in state), state))
    return text_of(state)
