"""A streamed answer, guarded: chunks from the upstream in, chunks of the same shape out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.server.guard.verdicts import Bench

if TYPE_CHECKING:
    from assay.server.routes.parts import Desk

DONE = b"data: [DONE]\n\n"


@dataclass
class Envelope:
    """What the chunks of one answer have in common, learnt from the first of them."""

    head: dict[str, Any] = field(default_factory=dict)
    finish_reason: str = "stop"
    trailing: list[dict[str, Any]] = field(default_factory=list)  # chunks without a choice: usage
    asides: list[dict[str, Any]] = field(default_factory=list)  # tool calls, refusals: passed on as they are

    def chunk(self, delta: dict[str, Any], finish_reason: str | None = None, **extra: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return sse(self.head | {"choices": [choice]} | extra)

    def take(self, chunk: dict[str, Any]) -> str:
        """The text of an upstream chunk; everything else about it is noted here."""
        if not self.head:
            known = ("id", "created", "model", "system_fingerprint", "service_tier")
            self.head = {name: chunk[name] for name in known if name in chunk} | {"object": "chat.completion.chunk"}
        choices = chunk.get("choices")
        if not choices or not isinstance(choices[0], dict):
            self.trailing.append(chunk)
            return ""
        choice = choices[0]
        self.finish_reason = choice.get("finish_reason") or self.finish_reason
        delta = choice.get("delta") or {}
        aside = {name: value for name, value in delta.items() if name not in ("content", "role") and value}
        if aside:
            self.asides.append(aside)
        return str(delta.get("content") or "")

    def flush(self) -> list[bytes]:
        """Asides that have not gone out yet."""
        waiting, self.asides = self.asides, []
        return [self.chunk(aside) for aside in waiting]

    def end(self, finish_reason: str | None, note: dict[str, Any]) -> list[bytes]:
        """The last chunk with the reason and the note, what the upstream sent after its own, the mark of the end."""
        last = self.chunk({}, finish_reason or self.finish_reason, assay=note)
        return [*self.flush(), last, *(sse(chunk) for chunk in self.trailing), DONE]


def sse(value: Any) -> bytes:
    return b"data: " + json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n\n"


async def guarded(desk: Desk, bench: Bench, chunks: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    """The chunks that go out to the client, whatever the mode."""
    envelope = Envelope()
    how = {"annotate": _annotate, "repair": _wait}.get(bench.wish.mode, _watch)
    async for chunk in how(desk, bench, chunks, envelope):
        yield chunk


async def _annotate(
    desk: Desk, bench: Bench, chunks: AsyncIterator[dict[str, Any]], envelope: Envelope
) -> AsyncIterator[bytes]:
    """Everything goes through at once; the verdicts come with the last chunk."""
    written: list[str] = []
    opened = False
    async for chunk in chunks:
        text = envelope.take(chunk)
        if not opened:
            opened = True
            yield envelope.chunk({"role": "assistant", "content": ""})
        for aside in envelope.flush():
            yield aside
        if text:
            written.append(text)
            yield envelope.chunk({"content": text})
    note: dict[str, Any] = {"mode": bench.wish.mode}
    if written:
        note = (await desk.gate.run(bench.settle, "".join(written))).note
    for last in envelope.end(None, note):
        yield last


async def _wait(
    desk: Desk, bench: Bench, chunks: AsyncIterator[dict[str, Any]], envelope: Envelope
) -> AsyncIterator[bytes]:
    """The answer is waited for, settled as a whole and then sent."""
    written = [envelope.take(chunk) async for chunk in chunks]
    answer = "".join(written)
    yield envelope.chunk({"role": "assistant", "content": ""})
    if not answer:
        for last in envelope.end(None, {"mode": bench.wish.mode}):
            yield last
        return
    outcome = await desk.gate.run(bench.settle, answer)
    yield envelope.chunk({"content": outcome.text})
    for last in envelope.end(outcome.finish_reason, outcome.note):
        yield last


async def _watch(
    desk: Desk, bench: Bench, chunks: AsyncIterator[dict[str, Any]], envelope: Envelope
) -> AsyncIterator[bytes]:
    """Claims are checked while the text comes; at a refuted one the stream ends with the reason."""
    from assay import inline

    wish = bench.wish
    engine, memory = await asyncio.to_thread(lambda: (bench.engine, bench.memory))

    async def texts() -> AsyncIterator[str]:
        async for chunk in chunks:
            text = envelope.take(chunk)
            if text:
                yield text

    note: dict[str, Any] = {"mode": wish.mode, "sources": wish.origin}
    opened, halt = False, None
    events = inline.guard(
        texts(),
        memory=memory,
        sources=list(wish.documents),
        question=wish.question,
        engine=engine,
        release="hold" if wish.mode == "hold" else "stream",
    )
    async for event in events:
        if not opened:
            opened = True
            yield envelope.chunk({"role": "assistant", "content": ""})
        for aside in envelope.flush():
            yield aside
        match event.kind:
            case "token":
                yield envelope.chunk({"content": event.text})
            case "halt":
                halt = event
                desk.metrics.halts.inc()
                note |= {"halt": {key: value for key, value in event.to_dict().items() if key != "kind"}}
            case "retract":
                note |= {"retract": {key: value for key, value in event.to_dict().items() if key != "kind"}}
            case "done":
                run_id = await desk.gate.run(bench.record, event.report, event.run)
                note |= bench.note(event.report, run_id) | {"tokens_exposed": event.tokens_exposed}
    if not opened:
        yield envelope.chunk({"role": "assistant", "content": ""})
    for last in envelope.end("content_filter" if halt else None, note):
        yield last
