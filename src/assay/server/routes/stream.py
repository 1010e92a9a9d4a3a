"""An answer played or written token by token, and checked meanwhile."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.responses import StreamingResponse

from assay.server.bodies import StreamIn
from assay.server.problems import Problem
from assay.server.routes.parts import At, Desk, Reader
from assay.server.sse import frame, respond
from assay.server.wire import check_length, documents_of, show_documents

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
async def stream(body: StreamIn, desk: At, caller: Reader) -> StreamingResponse:
    if body.answer is None and not body.question:
        raise Problem(422, "give an answer to play, or a question to be answered")
    if body.answer is not None:
        check_length(body.answer, desk.settings)
    documents = documents_of(body.sources, desk.settings)
    play = await desk.gate.run(lambda: Play(desk, caller.workspace, caller.name, body, documents))
    if desk.streams >= desk.settings.streams:
        raise Problem(429, "too many streams are open", kind="capacity", headers={"Retry-After": "2"})
    desk.streams += 1

    def release() -> None:
        desk.streams -= 1

    return respond(play.frames(), desk.settings.stream_seconds, release)


class Play:
    """One stream: where its text comes from and what it is checked against."""

    def __init__(self, desk: Desk, workspace: str, user: str, body: StreamIn, documents: list[Document]) -> None:
        self.desk, self.workspace, self.user, self.body, self.documents = desk, workspace, user, body, documents
        # Somebody is watching: even a short answer is worth checking.
        self.engine: Engine = desk.house.engine(workspace, body.judge, {"exempt_tokens": 0})
        recall = body.use_memory or (body.answer is None and not documents)
        self.memory: Memory | None = desk.house.memory(workspace) if recall else None

    async def frames(self) -> AsyncIterator[bytes]:
        from assay import inline

        events = inline.guard(
            self._texts(),
            memory=self.memory,
            sources=self.documents,
            question=self.body.question,
            engine=self.engine,
            release=self.body.release,
        )
        async for event in events:
            told = event.to_dict()
            if event.kind == "halt":
                self.desk.metrics.halts.inc()
            if event.kind == "done":
                told |= await self.desk.gate.run(self._record, event.report, event.run)
            yield frame(event.kind, told)

    def _record(self, report: Report, run: Run | None) -> dict[str, Any]:
        """The run id and the documents of what was written."""
        self.desk.metrics.count(report)
        shown = {"run_id": None, "documents": show_documents(report.documents)}
        if not self.desk.settings.record or run is None or not report.answer:
            return shown
        ledger = self.desk.house.ledger(self.workspace)
        return shown | {"run_id": ledger.record(run, user=self.user, memory=self.memory)}

    async def _texts(self) -> AsyncIterator[str]:
        if self.body.answer is None:
            async for piece in self._written():
                yield piece
            return
        pause = 1 / self.body.tokens_per_second if self.body.tokens_per_second else 0
        for piece in _PIECES.findall(self.body.answer):
            yield piece
            await asyncio.sleep(pause)

    async def _written(self) -> AsyncIterator[str]:
        """What the model writes from the passages that the question finds."""
        from assay.repair.writer import cite_stream

        generator, messages, passages = await self.desk.gate.run(self._prompt)
        pause = 1 / self.body.tokens_per_second if self.body.tokens_per_second else 0
        async for text in cite_stream(generator.stream(messages), passages):
            for piece in _PIECES.findall(text) if pause else [text]:
                yield piece
                await asyncio.sleep(pause)

    def _prompt(self) -> tuple[Generator, list[Message], list[Passage]]:
        from assay.llm.delimit import Block, fence, fence_passages
        from assay.llm.prompt import load_prompt
        from assay.repair.asking import check_question
        from assay.repair.gather import gather

        policy = self.engine.policy
        question = check_question(self.body.question or "", policy)
        passages = list(gather(question, self.memory, self.documents, policy))
        if not passages:
            raise Problem(422, "there is nothing to answer this from: give sources, or add documents first")
        messages = load_prompt("writer", home="assay.repair").fill(
            sources=fence_passages(passages, policy.writer_passage_tokens),
            question=fence([Block("question", question)]),
        )
        return self.desk.house.generator(self.body.model), messages, passages
