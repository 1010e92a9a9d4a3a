"""A given or newly written answer, streamed token by token and checked meanwhile."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.responses import StreamingResponse

from assay.server.auth import Caller
from assay.server.bodies import StreamIn
from assay.server.problems import Problem
from assay.server.responses import show_documents, show_rating
from assay.server.sources import check_length, documents_of
from assay.server.sse import frame, respond
from assay.server.state import AppState, Reader, State

if TYPE_CHECKING:
    from assay.engine import Engine, Run
    from assay.llm import Generator, Message
    from assay.memory import Memory
    from assay.types import Document, Passage, Report

router = APIRouter(tags=["stream"])

_PIECES = re.compile(r"\s*\S+|\s+\Z")

EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events: token, claim, finding, halt, retract, done; error if the stream itself fails",
        "content": {"text/event-stream": {"schema": {"type": "object", "properties": {"event": {}, "data": {}}}}},
    }
}


@router.post(
    "/v1/stream",
    summary="Watch an answer being checked while it is written",
    responses=EVENTS,
    response_class=StreamingResponse,
)
async def stream(body: StreamIn, state: State, caller: Reader) -> StreamingResponse:
    if body.answer is None and not body.question:
        raise Problem(422, "give an answer to play, or a question to be answered")
    if body.answer is not None:
        check_length(body.answer, state.settings)
    documents = documents_of(body.sources, state.settings)
    answer = await state.pool.run(AnswerStream, state, caller, body, documents)
    release = await state.slots.take()
    return respond(answer.frames(), state.settings.stream_seconds, release)


class AnswerStream:
    """One stream: where its text comes from and what it is checked against."""

    def __init__(self, state: AppState, caller: Caller, body: StreamIn, documents: list[Document]) -> None:
        self.state, self.caller, self.body, self.documents = state, caller, body, documents
        # The stream is watched live, so even a short answer is checked.
        self.engine: Engine = state.workspaces.engine(caller.workspace, body.judge, {"exempt_tokens": 0})
        recall = body.use_memory or (body.answer is None and not documents)
        self.memory: Memory | None = state.workspaces.memory(caller.workspace) if recall else None
        self.pause = 1 / body.tokens_per_second if body.tokens_per_second else 0

    async def frames(self) -> AsyncIterator[bytes]:
        from assay import inline

        events = inline.guard(
            self._texts(),
            memory=self.memory,
            sources=self.documents,
            question=self.body.question,
            engine=self.engine,
            release=self.body.release,
            executor=self.state.pool.executor,
        )
        async for event in events:
            told = event.to_dict()
            if event.kind == "halt":
                self.state.metrics.halts.inc()
            if event.kind == "done":
                told |= await self.state.pool.run(self._record, event.report, event.run)
            yield frame(event.kind, told)

    def _record(self, report: Report, run: Run | None) -> dict[str, Any]:
        """The run id and the documents of what was written."""
        self.state.metrics.count(report)
        shown = {"run_id": None, "documents": show_documents(report.documents), "rating": show_rating(report)}
        if not self.state.settings.record or run is None or not report.answer:
            return shown
        ledger = self.state.workspaces.ledger(self.caller.workspace)
        return shown | {"run_id": ledger.record(run, user=self.caller.name, memory=self.memory)}

    async def _texts(self) -> AsyncIterator[str]:
        if self.body.answer is None:
            async for piece in self._written():
                yield piece
            return
        for piece in _PIECES.findall(self.body.answer):
            yield piece
            await asyncio.sleep(self.pause)

    async def _written(self) -> AsyncIterator[str]:
        """What the model writes from the passages that the question finds."""
        from assay.repair.writer import cite_stream

        generator, messages, passages = await self.state.pool.run(self._prompt)
        async for text in cite_stream(generator.stream(messages), passages):
            for piece in _PIECES.findall(text) if self.pause else [text]:
                yield piece
                await asyncio.sleep(self.pause)

    def _prompt(self) -> tuple[Generator, list[Message], list[Passage]]:
        from assay.llm.delimit import Block, fence, fence_passages
        from assay.llm.prompt import load_prompt
        from assay.repair.asking import check_question
        from assay.repair.case import gather

        policy = self.engine.policy
        question = check_question(self.body.question or "")
        passages = list(gather(question, self.memory, self.documents, policy))
        if not passages:
            raise Problem(422, "there is nothing to answer this from: give sources, or add documents first")
        messages = load_prompt("writer", home="assay.repair").fill(
            sources=fence_passages(passages),
            question=fence([Block("question", question)]),
        )
        return self.state.workspaces.generator(self.body.model), messages, passages
