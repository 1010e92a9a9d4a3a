"""Assay as a Model Context Protocol server: an assistant checks its own answers before it gives them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NotRequired

from typing_extensions import TypedDict  # the standard library's is not enough for schemas before Python 3.12

from assay.errors import AssayError, UsageError, missing_extra
from assay.policy import Policy
from assay.types import Document, sha256_of

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from assay.engine import Engine, Source
    from assay.memory import Memory

INSTRUCTIONS = (
    "Checks claim by claim whether an answer is backed by its sources. Call verify before giving an answer that was "
    "written from sources; correct what is REFUTED, and say so where evidence is INSUFFICIENT. Every finding quotes "
    "the source with exact offsets."
)


class SourceText(TypedDict):
    """A source: its text, and an id and a title if it has them."""

    text: str
    id: NotRequired[str]
    title: NotRequired[str]


class CitedStep(TypedDict):
    """One step of reasoning: what is claimed, and the ids of the sources it cites."""

    claim: str
    cites: NotRequired[list[str]]


@dataclass(frozen=True)
class McpTools:
    """The tools, with an engine and a memory that are opened when first used."""

    place: str = ".assay/memory"
    workspace: str = "default"
    judge: str = "cascade"
    policy: Policy = field(default_factory=Policy)
    embedder: str | None = None

    @cached_property
    def engine(self) -> Engine:
        from assay.engine import Engine

        return Engine(self.policy, self.judge)

    @cached_property
    def memory(self) -> Memory:
        from assay.memory import Memory

        return Memory(self.place, policy=self.policy, workspace=self.workspace, embedder=self.embedder)

    def verify(self, answer: str, sources: Sequence[str | SourceText], question: str | None, use_memory: bool) -> Any:
        given: list[Source] = [*documents_of(sources)]
        if use_memory:
            given.append(self.memory)
        return self.engine.check(answer, sources=given, question=question).to_dict()

    def retrieve(self, query: str, k: int) -> Any:
        found = self.memory.retrieve(query, k)
        return {
            "passages": [
                {
                    "text": item.text,
                    "document_id": item.document_id,
                    "title": item.document.title,
                    "start": item.start,
                    "end": item.end,
                    "similarity": round(item.similarity, 6),
                }
                for item in found
            ]
        }

    def add_documents(self, documents: Sequence[SourceText]) -> Any:
        if not documents:
            raise UsageError("there is no document to add")
        result = self.memory.add(documents_of(documents, stored=True))
        return {
            "added": list(result.added),
            "updated": list(result.updated),
            "unchanged": list(result.unchanged),
            "passages": result.passages,
        }

    def audit_reasoning(
        self, steps: Sequence[CitedStep], sources: Sequence[str | SourceText], question: str | None
    ) -> Any:
        from assay.epistemic import audit_reasoning

        found = audit_reasoning(
            [dict(step) for step in steps],
            documents_of(sources),
            question=question,
            policy=self.policy,
            judge=self.engine.judged_by,
        )
        return {"steps": [item.to_dict() for item in found], "flagged": sum(item.is_flagged for item in found)}

    def detect_hallucinations(self, response: str, context: Sequence[str | SourceText], question: str | None) -> Any:
        from assay.epistemic import detect_hallucinations

        found = detect_hallucinations(
            response, documents_of(context), question=question, policy=self.policy, judge=self.engine.judged_by
        )
        return found.to_dict()


def documents_of(sources: Sequence[str | SourceText], *, stored: bool = False) -> list[Document]:
    """Texts as documents; a text that reads like a path is still only a text."""
    documents: dict[str, Document] = {}
    for number, source in enumerate(sources, 1):
        given: SourceText = {"text": source} if isinstance(source, str) else source
        if not given["text"].strip():
            raise UsageError(f"source {number} is empty")
        identity = given.get("id") or (f"text-{sha256_of(given['text'])[:12]}" if stored else f"source-{number}")
        if identity in documents and documents[identity].text != given["text"]:
            raise UsageError(f"two sources have the id {identity!r}; each needs its own")
        documents[identity] = Document(identity, given["text"], title=given.get("title", ""))
    return list(documents.values())


def encodable(value: Any) -> Any:
    """A value whose texts can be sent: a lone surrogate, which UTF-8 has no place for, is shown as '?'."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {encodable(key): encodable(item) for key, item in value.items()}
    return [encodable(item) for item in value] if isinstance(value, list | tuple) else value


def make_server(tools: McpTools) -> MCPServer[Any]:
    """A server with the five tools; judging runs in a thread, so that the session stays responsive."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError as problem:
        raise missing_extra("the MCP server", "mcp") from problem
    from assay import __version__

    server: MCPServer[Any] = MCPServer("assay", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")

    async def work(job: Callable[..., Any], *args: Any) -> dict[str, Any]:
        try:
            found: dict[str, Any] = encodable(await asyncio.to_thread(job, *args))
        except AssayError as problem:
            raise ToolError(encodable(str(problem))) from problem
        return found

    @server.tool()
    async def verify(
        answer: str,
        sources: list[str | SourceText] | None = None,
        question: str | None = None,
        use_memory: bool = False,
    ) -> dict[str, Any]:
        """Check an answer against sources, claim by claim; use_memory also searches the stored documents.

        Each claim comes back SUPPORTED, REFUTED, INSUFFICIENT or NOT_CHECKABLE with the quoted evidence and its place.
        """
        return await work(tools.verify, answer, sources or [], question, use_memory)

    @server.tool()
    async def retrieve(query: str, k: int = 5) -> dict[str, Any]:
        """Find the passages of the stored documents that settle a query, best first."""
        return await work(tools.retrieve, query, k)

    @server.tool()
    async def add_documents(documents: list[SourceText]) -> dict[str, Any]:
        """Store documents as evidence; one with a known id replaces it."""
        return await work(tools.add_documents, documents)

    @server.tool()
    async def audit_reasoning(
        steps: list[CitedStep], sources: list[str | SourceText], question: str | None = None
    ) -> dict[str, Any]:
        """Check each step of a chain of reasoning against the sources it cites by id."""
        return await work(tools.audit_reasoning, steps, sources, question)

    @server.tool()
    async def detect_hallucinations(
        response: str, context: list[str | SourceText], question: str | None = None
    ) -> dict[str, Any]:
        """Find the claims of a response that its context does not carry, and what to tell the writer."""
        return await work(tools.detect_hallucinations, response, context, question)

    return server
