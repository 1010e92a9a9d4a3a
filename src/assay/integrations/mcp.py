"""Assay as a Model Context Protocol server: an assistant checks its own answers before it gives them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, cast

from typing_extensions import TypedDict  # the standard library's is not enough for schemas before Python 3.12

from assay.errors import AssayError, UsageError, missing_extra
from assay.policy import Policy
from assay.types import Document, sha256_of

try:
    from pydantic import Field
except ImportError as problem:  # it comes with the protocol's own library
    raise missing_extra("the MCP server", "mcp") from problem

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from assay.engine import Engine, Source
    from assay.memory import Memory

INSTRUCTIONS = (
    "Checks claim by claim whether an answer is backed by its sources. Call verify before giving an answer that was "
    "written from sources; correct what is REFUTED, and say so where evidence is INSUFFICIENT. Every finding quotes "
    "the source with exact offsets."
)


class GivenText(TypedDict):
    """A source: its text, and an id and a title if it has them."""

    text: Annotated[str, Field(description="The words of the source, as they are.")]
    id: NotRequired[Annotated[str, Field(description="The name findings and citations call it by.")]]
    title: NotRequired[str]


class SourceFile(TypedDict):
    """A source that is a file or a folder on the server's machine: text, Markdown, HTML, PDF, Word, …."""

    path: Annotated[str, Field(description="Absolute, or relative to a folder the server was given.")]


AnySource = str | GivenText | SourceFile


class CitedStep(TypedDict):
    """One step of reasoning: what is claimed, and the ids of the sources it cites."""

    claim: Annotated[str, Field(description="What this step asserts, as one sentence.")]
    cites: NotRequired[Annotated[list[str], Field(description="The ids of the sources it rests on.")]]


Sources = Annotated[
    list[AnySource],
    Field(description="What it is checked against: plain texts, {text, id, title}, or {path} of a file or folder."),
]
Question = Annotated[str | None, Field(description="The question that was answered, if there was one.")]
Whole = Annotated[
    bool, Field(description="Return everything, also what passed, instead of only what failed and its quotes.")
]


@dataclass(frozen=True)
class McpTools:
    """The tools, with an engine and a memory that are opened when first used."""

    place: str = ".assay/memory"
    workspace: str = "default"
    judge: str = "cascade"
    policy: Policy = field(default_factory=Policy)
    embedder: str | None = None
    folders: tuple[Path, ...] = ()  # where files may be read

    @cached_property
    def engine(self) -> Engine:
        from assay.engine import Engine

        return Engine(self.policy, self.judge)

    @cached_property
    def memory(self) -> Memory:
        from assay.memory import Memory

        return Memory(self.place, policy=self.policy, workspace=self.workspace, embedder=self.embedder)

    def verify(
        self, answer: str, sources: Sequence[AnySource], question: str | None, use_memory: bool, whole: bool = False
    ) -> Any:
        given: list[Source] = [*self._documents(sources)]
        if use_memory:
            given.append(self.memory)
        report = self.engine.check(answer, sources=given, question=question).to_dict()
        return report if whole else compact(report)

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
                    "sha256": item.sha256,
                }
                for item in found
            ]
        }

    def add_documents(self, documents: Sequence[AnySource]) -> Any:
        if not documents:
            raise UsageError("there is no document to add")
        result = self.memory.add(self._documents(documents, stored=True))
        return {
            "added": list(result.added),
            "updated": list(result.updated),
            "unchanged": list(result.unchanged),
            "passages": result.passages,
        }

    def audit_reasoning(
        self, steps: Sequence[CitedStep], sources: Sequence[AnySource], question: str | None, whole: bool = False
    ) -> Any:
        from assay.epistemic import audit_reasoning

        found = audit_reasoning(
            [dict(step) for step in steps],
            self._documents(sources),
            question=question,
            policy=self.policy,
            judge=self.engine.judged_by,
        )
        flagged = [item for item in found if item.is_flagged]
        shown = [item.to_dict() for item in (found if whole else flagged)]
        steps_shown = shown if whole else [_keep(step, _STEP) for step in shown]
        return {"steps": steps_shown, "checked": len(found), "flagged": len(flagged)}

    def detect_hallucinations(
        self, response: str, context: Sequence[AnySource], question: str | None, whole: bool = False
    ) -> Any:
        from assay.epistemic import detect_hallucinations

        found = detect_hallucinations(
            response, self._documents(context), question=question, policy=self.policy, judge=self.engine.judged_by
        )
        shown = found.to_dict()
        if whole:
            return shown
        failing = [_keep(claim, _STEP) for claim in shown["claims"] if claim["is_flagged"] or claim["doubt"]]
        return _keep(shown, _HALLUCINATIONS) | {"claims": failing}

    def _documents(self, sources: Sequence[AnySource], *, stored: bool = False) -> list[Document]:
        """Texts and files as documents."""
        texts = [source for source in sources if isinstance(source, str) or "text" in source]
        files = [cast("SourceFile", one)["path"] for one in sources if not isinstance(one, str) and "path" in one]
        return [*documents_of(texts, stored=stored), *self._read(files)]

    def _read(self, paths: Sequence[str]) -> list[Document]:
        from assay.memory.readers import read_sources

        documents: list[Document] = []
        for path in paths:
            tried = [(folder / path).resolve() for folder in self.folders]
            place = next((one for one in tried if one.exists() and self._allows(one)), None)
            if place is None:
                known = ", ".join(map(str, self.folders)) or "none: start it with --files FOLDER"
                raise UsageError(f"there is no file {path!r} in the folders this server may read ({known})")
            result = read_sources([place])
            if not result.documents:
                raise UsageError(f"{path} cannot be read: {'; '.join(item.reason for item in result.refused)}")
            documents += result.documents
        return documents

    def _allows(self, place: Path) -> bool:
        return any(place.is_relative_to(folder.resolve()) for folder in self.folders)


_PASSED = ("SUPPORTED", "NOT_CHECKABLE")
_REPORT = ("verdict", "action", "confidence", "audit_mode", "counts", "skipped", "risk_flags", "warnings")
_CLAIM = ("text", "spans", "verdict", "support", "confidence", "explanation", "evidence")
_QUOTE = ("document", "start", "end", "quote", "stance", "page", "heading")
_STEP = ("claim_id", "claim_text", "verdict", "gap_type", "flag_reason", "doubt", "explanation", "evidence")
_HALLUCINATIONS = (
    "total_claims",
    "verified_claims",
    "flagged_claims",
    "doubtful_claims",
    "errors",
    "skipped",
    "all_clear",
    "retry_guidance",
)


def compact(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report without what passed: the verdict, the claims that fail, and their quotes."""
    failing = [_keep(claim, _CLAIM) for claim in report["claims"] if claim["verdict"] not in _PASSED]
    return _keep(report, _REPORT) | {"claims": failing, "claims_checked": len(report["claims"])}


def _keep(value: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Some fields of a result, those that say nothing left out; of evidence what a reader needs to find it."""
    kept = {name: value[name] for name in names if value.get(name) not in (None, "", [], {})}
    if "evidence" in kept:
        kept["evidence"] = [_keep(quote, _QUOTE) for quote in kept["evidence"]]
    return kept


def documents_of(sources: Sequence[str | GivenText | SourceFile], *, stored: bool = False) -> list[Document]:
    """Texts as documents; a text that reads like a path is still only a text."""
    documents: dict[str, Document] = {}
    for number, source in enumerate(sources, 1):
        given: GivenText = {"text": source} if isinstance(source, str) else cast("GivenText", source)
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
        from mcp.types import ToolAnnotations
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

    def looks(title: str) -> ToolAnnotations:
        """A tool that changes nothing, and asks nobody outside."""
        return ToolAnnotations(title=title, read_only_hint=True, idempotent_hint=True, open_world_hint=False)

    @server.tool(annotations=looks("Check an answer against sources"))
    async def verify(
        answer: Annotated[str, Field(description="The answer to check, as a reader would see it.")],
        sources: Annotated[Sources | None, Field(description="What it is checked against; see use_memory.")] = None,
        question: Question = None,
        use_memory: Annotated[bool, Field(description="Also search the stored documents.")] = False,
        whole: Whole = False,
    ) -> dict[str, Any]:
        """Check an answer against sources, claim by claim.

        Returns the verdict, the counts, and each claim that fails (REFUTED, INSUFFICIENT or ERROR) with the quoted
        evidence and its place; claims that hold are only counted unless `whole` is set.
        """
        return await work(tools.verify, answer, sources or [], question, use_memory, whole)

    @server.tool(annotations=looks("Find passages"))
    async def retrieve(
        query: Annotated[str, Field(description="A question or a claim.")],
        k: Annotated[int, Field(ge=1, le=100, description="How many passages.")] = 5,
    ) -> dict[str, Any]:
        """Find the passages of the stored documents that settle a query, best first."""
        return await work(tools.retrieve, query, k)

    @server.tool(
        annotations=ToolAnnotations(
            title="Store documents",
            read_only_hint=False,
            destructive_hint=True,
            idempotent_hint=True,
            open_world_hint=False,
        )
    )
    async def add_documents(documents: Sources) -> dict[str, Any]:
        """Store documents as evidence; one with a known id replaces it."""
        return await work(tools.add_documents, documents)

    @server.tool(annotations=looks("Audit a chain of reasoning"))
    async def audit_reasoning(
        steps: Annotated[list[CitedStep], Field(description="The steps in order.")],
        sources: Sources,
        question: Question = None,
        whole: Whole = False,
    ) -> dict[str, Any]:
        """Check each step of a chain of reasoning against the sources it cites by id; returns the flagged ones."""
        return await work(tools.audit_reasoning, steps, sources, question, whole)

    @server.tool(annotations=looks("Find hallucinations"))
    async def detect_hallucinations(
        response: Annotated[str, Field(description="The response to check.")],
        context: Sources,
        question: Question = None,
        whole: Whole = False,
    ) -> dict[str, Any]:
        """Find the claims of a response that its context does not carry, and what to tell the writer."""
        return await work(tools.detect_hallucinations, response, context, question, whole)

    return server
