"""A streamed answer, guarded: chunks from the upstream in, chunks of the same shape out."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.abstention import abstain
from assay.server.guard.answers import AnswerGuard, worst_note
from assay.server.guard.messages import VISIBLE, visible_texts

if TYPE_CHECKING:
    from assay.server.state import AppState

DONE = b"data: [DONE]\n\n"
_BREAK = "\n\n"


@dataclass
class ChunkBuilder:
    """What the chunks of one answer have in common, learnt from the first of them."""

    head: dict[str, Any] = field(default_factory=dict)
    finish_reason: str = "stop"
    trailing: list[dict[str, Any]] = field(default_factory=list)  # chunks without a choice: usage
    asides: list[dict[str, Any]] = field(default_factory=list)  # tool calls: passed on as they are

    def chunk(self, delta: dict[str, Any], finish_reason: str | None = None, **extra: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return sse(self.head | {"choices": [choice]} | extra)

    def take(self, chunk: dict[str, Any]) -> dict[str, str]:
        """The texts of an upstream chunk by field; everything else about it is noted here."""
        if not self.head:
            known = ("id", "created", "model", "system_fingerprint", "service_tier")
            self.head = {name: chunk[name] for name in known if name in chunk} | {"object": "chat.completion.chunk"}
        choices = chunk.get("choices")
        if not choices or not isinstance(choices[0], dict):
            self.trailing.append(chunk)
            return {}
        choice = choices[0]
        self.finish_reason = choice.get("finish_reason") or self.finish_reason
        delta = choice.get("delta") or {}
        aside = {name: value for name, value in delta.items() if name not in (*VISIBLE, "role") and value}
        if aside:
            self.asides.append(aside)
        return visible_texts(delta)

    def flush(self) -> list[bytes]:
        """Asides that have not gone out yet."""
        waiting, self.asides = self.asides, []
        return [self.chunk(aside) for aside in waiting]

    def end(self, finish_reason: str | None, note: dict[str, Any]) -> list[bytes]:
        """The last chunk with the reason and the note, what the upstream sent after its own, the mark of the end."""
        last = self.chunk({}, finish_reason or self.finish_reason, assay=note)
        return [*self.flush(), last, *(sse(chunk) for chunk in self.trailing), DONE]


class FieldMap:
    """Puts the fields of a streamed message into one text, so that they are guarded together, and takes it apart."""

    def __init__(self) -> None:
        self._runs: deque[tuple[str, int]] = deque()  # the field of the next characters; none for a break between two
        self._last = ""

    def add(self, name: str, text: str) -> str:
        """What a piece of a field adds to the one text; another field begins with a paragraph of its own."""
        gap = _BREAK if self._last and name != self._last else ""
        self._last = name
        self._runs.extend([("", len(gap)), (name, len(text))])
        return gap + text

    def split(self, text: str) -> Iterator[tuple[str, str]]:
        """The pieces of the next stretch of the text, each with its field."""
        while text and self._runs:
            name, size = self._runs.popleft()
            piece, text = text[:size], text[size:]
            if len(piece) < size:
                self._runs.appendleft((name, size - len(piece)))
            if name and piece:
                yield name, piece


def sse(value: Any) -> bytes:
    return b"data: " + json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n\n"


async def guarded(state: AppState, guard: AnswerGuard, chunks: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    """The chunks that go out to the client, whatever the mode."""
    builder = ChunkBuilder()
    handle = {"annotate": _annotate, "repair": _wait}.get(guard.request.mode, _check_live)
    async for chunk in handle(state, guard, chunks, builder):
        yield chunk


async def _annotate(
    state: AppState, guard: AnswerGuard, chunks: AsyncIterator[dict[str, Any]], builder: ChunkBuilder
) -> AsyncIterator[bytes]:
    """Everything goes through at once; the verdicts come with the last chunk."""
    written: dict[str, str] = {}
    opened = False
    async for chunk in chunks:
        texts = builder.take(chunk)
        if not opened:
            opened = True
            yield builder.chunk({"role": "assistant", "content": ""})
        for aside in builder.flush():
            yield aside
        for name, text in texts.items():
            written[name] = written.get(name, "") + text
            yield builder.chunk({name: text})
    note: dict[str, Any] = {"mode": guard.request.mode}
    if written:
        note = worst_note({name: await state.pool.run(guard.settle, text) for name, text in written.items()})
    for last in builder.end(None, note):
        yield last


async def _wait(
    state: AppState, guard: AnswerGuard, chunks: AsyncIterator[dict[str, Any]], builder: ChunkBuilder
) -> AsyncIterator[bytes]:
    """The answer is waited for, settled as a whole and then sent."""
    written: dict[str, str] = {}
    async for chunk in chunks:
        for name, text in builder.take(chunk).items():
            written[name] = written.get(name, "") + text
    yield builder.chunk({"role": "assistant", "content": ""})
    if not written:
        for last in builder.end(None, {"mode": guard.request.mode}):
            yield last
        return
    outcomes = {name: await state.pool.run(guard.settle, text) for name, text in written.items()}
    for name, outcome in outcomes.items():
        yield builder.chunk({name: outcome.text})
    stopped = next((outcome.finish_reason for outcome in outcomes.values() if outcome.finish_reason), None)
    for last in builder.end(stopped, worst_note(outcomes)):
        yield last


async def _check_live(
    state: AppState, guard: AnswerGuard, chunks: AsyncIterator[dict[str, Any]], builder: ChunkBuilder
) -> AsyncIterator[bytes]:
    """Claims are checked while the text comes; at a refuted one the stream ends with the reason."""
    from assay import inline

    request = guard.request
    engine, memory = await asyncio.to_thread(lambda: (guard.engine, guard.memory))

    fields = FieldMap()

    async def texts() -> AsyncIterator[str]:
        async for chunk in chunks:
            for name, text in builder.take(chunk).items():
                yield fields.add(name, text)

    note: dict[str, Any] = {"mode": request.mode, "sources": request.origin}
    opened, halt = False, None
    events = inline.guard(
        texts(),
        memory=memory,
        sources=list(request.documents),
        question=request.question,
        engine=engine,
        release="hold" if request.mode == "hold" else "stream",
    )
    async for event in events:
        if not opened:
            opened = True
            yield builder.chunk({"role": "assistant", "content": ""})
        for aside in builder.flush():
            yield aside
        match event.kind:
            case "token":
                for name, text in fields.split(event.text):
                    yield builder.chunk({name: text})
            case "halt":
                halt = event
                state.metrics.halts.inc()
                note |= {"halt": {key: value for key, value in event.to_dict().items() if key != "kind"}}
            case "retract":
                note |= {"retract": {key: value for key, value in event.to_dict().items() if key != "kind"}}
            case "done":
                abstention = abstain(event.report, halt.reason) if halt else None
                run_id = await state.pool.run(guard.record, event.report, event.run, abstention)
                note |= guard.note(event.report, run_id) | {"tokens_exposed": event.tokens_exposed}
    if not opened:
        yield builder.chunk({"role": "assistant", "content": ""})
    for last in builder.end("content_filter" if halt else None, note):
        yield last
