"""Clients of providers, used as before, whose answers are guarded."""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from assay.engine import Engine, Source
from assay.errors import UsageError
from assay.inline.bridges import iterate, read_in_thread
from assay.inline.dialects import Anthropic, Dialect, OpenAI
from assay.inline.events import Done, Halt, Retract, Token
from assay.inline.inspector import Inspector
from assay.inline.watch import watch
from assay.types import Report


def wrap_client(
    client: Any, engine: Engine, sources: Sequence[Source], question: str | None, release: str
) -> GuardedClient:
    """The client with its one guarded way to ask; the ways around it are closed."""
    guarding = Guarding(engine, sources, question, release)
    dialect: Dialect = OpenAI() if hasattr(client, "chat") else Anthropic()
    return GuardedClient(client, dialect, guarding)


class GuardedClient:
    """Everything of the client that does not write answers is as it was.

    `chat.completions.create` (OpenAI) or `messages.create` (Anthropic) is guarded; other calls that write text are
    refused, so that nothing goes out unguarded by oversight.
    """

    def __init__(self, client: Any, dialect: Dialect, guarding: Guarding) -> None:
        self._client, self._dialect, self._guarding = client, dialect, guarding

    def __getattr__(self, name: str) -> Any:
        if name in self._dialect.closed:
            raise UsageError(f"{name} is not guarded; use {self._dialect.open_way}")
        found = getattr(self._client, name)
        if name == self._dialect.path[0]:
            return _Road(found, self._dialect.path[1:], self._dialect, self._guarding)
        if name in ("with_options", "copy"):
            return lambda **options: GuardedClient(found(**options), self._dialect, self._guarding)
        return found


class _Road:
    """The way from the client to the guarded call."""

    def __init__(self, inner: Any, path: tuple[str, ...], dialect: Dialect, guarding: Guarding) -> None:
        self._inner, self._path, self._dialect, self._guarding = inner, path, dialect, guarding

    def __getattr__(self, name: str) -> Any:
        if name != self._path[0]:
            raise UsageError(f"{name} is not guarded; use {self._dialect.open_way}")
        found = getattr(self._inner, name)
        if len(self._path) > 1:
            return _Road(found, self._path[1:], self._dialect, self._guarding)
        return lambda **options: self._guarding.ask(found, self._dialect, options)


class Guarding:
    """What is needed to guard one call."""

    def __init__(self, engine: Engine, sources: Sequence[Source], question: str | None, release: str) -> None:
        self.engine, self.sources, self.question, self.release = engine, sources, question, release

    def ask(self, call: Any, dialect: Dialect, options: Mapping[str, Any]) -> Any:
        """The answer to a call, in the form the client gives it: at once or awaited, whole or streamed."""
        dialect.check(options)
        inspector = Inspector(self.engine, self.sources, self.question or dialect.question_of(options))
        given = call(**options)
        if inspect.isawaitable(given):
            return self._later(given, dialect, inspector, streamed=bool(options.get("stream")))
        if options.get("stream"):
            return GuardedStream(Relay(dialect, inspector, self.release), given)
        return self._whole(given, dialect, inspector)

    async def _later(self, given: Any, dialect: Dialect, inspector: Inspector, streamed: bool) -> Any:
        answer = await given
        if streamed:
            return AsyncGuardedStream(Relay(dialect, inspector, self.release), answer)
        return await asyncio.to_thread(self._whole, answer, dialect, inspector)

    def _whole(self, answer: Any, dialect: Dialect, inspector: Inspector) -> Any:
        """A whole answer with its report beside it; held back if it is refuted and `release` is hold."""
        text = dialect.whole_text(answer)
        exempt = inspector.is_exempt(text)
        report = inspector.exempt_report(text) if exempt else inspector.examine(text).report
        refuted = next((finding for finding in report.findings if inspector.halts(finding)), None)
        halt = None if refuted is None else Halt(refuted.explanation, refuted)
        withheld = halt is not None and self.release == "hold"
        note = {"report": report.to_dict(), "halt": None if halt is None else halt.to_dict(), "withheld": withheld}
        return dialect.annotate(answer, note, _abstention(report, halt) if withheld and halt else None)


def _abstention(report: Report, halt: Halt) -> str:
    from assay.abstention import abstain

    return abstain(report, halt.reason).text


class Relay:
    """Passes a provider's chunks on as the guard releases their text, and ends the stream properly when it halts."""

    def __init__(self, dialect: Dialect, inspector: Inspector, release: str) -> None:
        self.dialect, self.inspector, self.release = dialect, inspector, release
        self.halt: Halt | None = None
        self.retract: Retract | None = None
        self.done: Done | None = None

    async def run(self, source: AsyncIterator[Any]) -> AsyncIterator[Any]:
        waiting: deque[tuple[Any, int]] = deque()
        last: Any = None

        async def texts() -> AsyncIterator[str]:
            nonlocal last
            written = 0
            try:
                async for chunk in source:
                    last = chunk
                    text = self.dialect.text_of(chunk)
                    written += len(text)
                    waiting.append((chunk, written))
                    if text:
                        yield text
            finally:
                await _close(source)

        released = 0
        events = watch(texts(), self.inspector, self.release)
        passed: list[Any] = []
        try:
            async for event in events:
                match event:
                    case Token(text):
                        released += len(text)
                        while waiting and waiting[0][1] <= released:
                            passed.append(waiting[0][0])
                            yield waiting.popleft()[0]
                    case Halt():
                        self.halt = event
                    case Retract():
                        self.retract = event
                    case Done():
                        self.done = event
        finally:
            await events.aclose()  # type: ignore[attr-defined]
        if self.halt is None:
            while waiting:
                yield waiting.popleft()[0]
            return
        for chunk in self.dialect.closing(passed, last, self.note()):
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


class GuardedStream:
    """A guarded stream for a plain loop; `halt`, `retract` and `done` tell how it went."""

    def __init__(self, relay: Relay, stream: Any) -> None:
        self._relay = relay
        self._items: Iterator[Any] = iterate(lambda: relay.run(read_in_thread(stream)))

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return next(self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._items.close()  # type: ignore[attr-defined]

    @property
    def halt(self) -> Halt | None:
        return self._relay.halt

    @property
    def retract(self) -> Retract | None:
        return self._relay.retract

    @property
    def done(self) -> Done | None:
        return self._relay.done


class AsyncGuardedStream:
    """The same for an asynchronous loop."""

    def __init__(self, relay: Relay, stream: Any) -> None:
        self._relay = relay
        self._items = relay.run(aiter(stream))

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        return await anext(self._items)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._items.aclose()  # type: ignore[attr-defined]

    @property
    def halt(self) -> Halt | None:
        return self._relay.halt

    @property
    def retract(self) -> Retract | None:
        return self._relay.retract

    @property
    def done(self) -> Done | None:
        return self._relay.done
