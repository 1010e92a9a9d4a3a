"""Clients of providers with the same interface, whose answers are guarded."""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Self

from assay.engine import Engine, Source
from assay.errors import UsageError
from assay.inline.async_bridge import iterate, read_in_thread
from assay.inline.checker import StreamChecker
from assay.inline.events import DoneEvent, HaltEvent, RetractEvent, TokenEvent
from assay.inline.providers import AnthropicAdapter, OpenAIAdapter, ProviderAdapter
from assay.inline.stream_guard import guard_stream
from assay.types import Report


def wrap_client(
    client: Any, engine: Engine, sources: Sequence[Source], question: str | None, release: str
) -> GuardedClient:
    """The client with one guarded call; other calls that write text are refused."""
    call_guard = CallGuard(engine, sources, question, release)
    adapter: ProviderAdapter = OpenAIAdapter() if hasattr(client, "chat") else AnthropicAdapter()
    return GuardedClient(client, adapter, call_guard)


class GuardedClient:
    """Everything of the client that does not write answers is as it was.

    `chat.completions.create` (OpenAI) or `messages.create` (Anthropic) is guarded; other calls that write text are
    refused, so that nothing goes out unguarded by oversight.
    """

    def __init__(self, client: Any, adapter: ProviderAdapter, call_guard: CallGuard) -> None:
        self._client, self._adapter, self._guard = client, adapter, call_guard

    def __getattr__(self, name: str) -> Any:
        if name in self._adapter.closed:
            raise UsageError(f"{name} is not guarded; use {self._adapter.open_way}")
        found = getattr(self._client, name)
        if name == self._adapter.path[0]:
            return _GuardedPath(found, self._adapter.path[1:], self._adapter, self._guard)
        if name in ("with_options", "copy"):
            return lambda **options: GuardedClient(found(**options), self._adapter, self._guard)
        return found


class _GuardedPath:
    """The attributes between the client and its guarded call."""

    def __init__(self, inner: Any, path: tuple[str, ...], adapter: ProviderAdapter, call_guard: CallGuard) -> None:
        self._inner, self._path, self._adapter, self._guard = inner, path, adapter, call_guard

    def __getattr__(self, name: str) -> Any:
        if name != self._path[0]:
            raise UsageError(f"{name} is not guarded; use {self._adapter.open_way}")
        found = getattr(self._inner, name)
        if len(self._path) > 1:
            return _GuardedPath(found, self._path[1:], self._adapter, self._guard)
        return lambda **options: self._guard.ask(found, self._adapter, options)


class CallGuard:
    """Guards the answers of one client."""

    def __init__(self, engine: Engine, sources: Sequence[Source], question: str | None, release: str) -> None:
        self.engine, self.sources, self.question, self.release = engine, sources, question, release

    def ask(self, call: Any, adapter: ProviderAdapter, options: Mapping[str, Any]) -> Any:
        """The answer to a call, in the form the client gives it: at once or awaited, whole or streamed."""
        adapter.check(options)
        checker = StreamChecker(self.engine, self.sources, self.question or adapter.question_of(options))
        given = call(**options)
        if inspect.isawaitable(given):
            return self._await_answer(given, adapter, checker, streamed=bool(options.get("stream")))
        if options.get("stream"):
            return GuardedStream(ChunkRelay(adapter, checker, self.release), given)
        return self._check_whole(given, adapter, checker)

    async def _await_answer(self, given: Any, adapter: ProviderAdapter, checker: StreamChecker, streamed: bool) -> Any:
        answer = await given
        if streamed:
            return AsyncGuardedStream(ChunkRelay(adapter, checker, self.release), answer)
        return await asyncio.to_thread(self._check_whole, answer, adapter, checker)

    def _check_whole(self, answer: Any, adapter: ProviderAdapter, checker: StreamChecker) -> Any:
        """A whole answer with its report beside it; held back if it is refuted and `release` is hold."""
        text = adapter.whole_text(answer)
        exempt = checker.is_exempt(text)
        report = checker.exempt_report(text) if exempt else checker.examine(text).report
        refuted = next((finding for finding in report.findings if checker.halts(finding)), None)
        halt = None if refuted is None else HaltEvent(refuted.explanation, refuted)
        withheld = halt is not None and self.release == "hold"
        note = {"report": report.to_dict(), "halt": None if halt is None else halt.to_dict(), "withheld": withheld}
        return adapter.annotate(answer, note, _abstention(report, halt) if withheld and halt else None)


def _abstention(report: Report, halt: HaltEvent) -> str:
    from assay.abstention import abstain

    return abstain(report, halt.reason).text


class ChunkRelay:
    """Passes a provider's chunks on as the guard releases their text, and ends the stream properly when it halts."""

    def __init__(self, adapter: ProviderAdapter, checker: StreamChecker, release: str) -> None:
        self.adapter, self.checker, self.release = adapter, checker, release
        self.halt: HaltEvent | None = None
        self.retract: RetractEvent | None = None
        self.done: DoneEvent | None = None

    async def run(self, source: AsyncIterator[Any]) -> AsyncIterator[Any]:
        waiting: deque[tuple[Any, int]] = deque()
        last: Any = None

        async def texts() -> AsyncIterator[str]:
            nonlocal last
            written = 0
            try:
                async for chunk in source:
                    last = chunk
                    text = self.adapter.text_of(chunk)
                    written += len(text)
                    waiting.append((chunk, written))
                    if text:
                        yield text
            finally:
                await _close(source)

        released = 0
        events = guard_stream(texts(), self.checker, self.release)
        passed: list[Any] = []
        try:
            async for event in events:
                match event:
                    case TokenEvent(text):
                        released += len(text)
                        while waiting and waiting[0][1] <= released:
                            passed.append(waiting[0][0])
                            yield waiting.popleft()[0]
                    case HaltEvent():
                        self.halt = event
                    case RetractEvent():
                        self.retract = event
                    case DoneEvent():
                        self.done = event
        finally:
            await events.aclose()  # type: ignore[attr-defined]
        if self.halt is None:
            while waiting:
                yield waiting.popleft()[0]
            return
        for chunk in self.adapter.closing(passed, last, self.note()):
            yield chunk

    def note(self) -> dict[str, Any]:
        """What the last chunk of a halted stream carries."""
        return {
            "halt": self.halt.to_dict() if self.halt else None,
            "retract": self.retract.to_dict() if self.retract else None,
            "report": self.done.report.to_dict() if self.done else None,
        }


async def _close(source: Any) -> None:
    for name in ("aclose", "close"):
        close = getattr(source, name, None)
        if close is not None:
            result = close()
            if inspect.isawaitable(result):
                await result
            return


class _StreamOutcome:
    """How a guarded stream ended, in `halt`, `retract` and `done`."""

    _relay: ChunkRelay

    @property
    def halt(self) -> HaltEvent | None:
        return self._relay.halt

    @property
    def retract(self) -> RetractEvent | None:
        return self._relay.retract

    @property
    def done(self) -> DoneEvent | None:
        return self._relay.done


class GuardedStream(_StreamOutcome):
    """A guarded stream for a plain loop."""

    def __init__(self, relay: ChunkRelay, stream: Any) -> None:
        self._relay = relay
        self._items: Iterator[Any] = iterate(lambda: relay.run(read_in_thread(stream)))

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return next(self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._items.close()  # type: ignore[attr-defined]


class AsyncGuardedStream(_StreamOutcome):
    """A guarded stream for an asynchronous loop."""

    def __init__(self, relay: ChunkRelay, stream: Any) -> None:
        self._relay = relay
        self._items = relay.run(aiter(stream))

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        return await anext(self._items)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._items.aclose()  # type: ignore[attr-defined]
