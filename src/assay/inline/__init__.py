"""The streaming guard: verification while an answer is being written.

async for event in guard(stream, memory=memory):
    if event.kind == "token":
        print(event.text, end="")

In a plain loop it is `for event in guard(...)`.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.inline.events import (
    BranchEvent,
    ClaimEvent,
    DoneEvent,
    Event,
    FindingEvent,
    HaltEvent,
    RetractEvent,
    TokenEvent,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from assay.engine import Engine, Source
    from assay.epistemic import EpistemicConfig
    from assay.judges import Judge
    from assay.llm import Generator
    from assay.memory import Memory
    from assay.policy import Policy

__all__ = [
    "BranchEvent",
    "ClaimEvent",
    "DoneEvent",
    "Event",
    "Events",
    "FindingEvent",
    "HaltEvent",
    "RetractEvent",
    "TokenEvent",
    "guard",
]


def guard(
    stream_or_client: Any,
    *,
    memory: Memory | None = None,
    sources: Iterable[Source] | Source = (),
    question: str | None = None,
    policy: Policy | None = None,
    engine: Engine | None = None,
    judge: str | Judge | None = None,
    release: str | None = None,
    generator: Generator | str | None = None,
    epistemic: EpistemicConfig | bool = False,
    executor: Executor | None = None,
) -> Any:
    """A guarded stream, or a client whose answers are guarded.

    A stream is anything that gives text piece by piece, asynchronously or not; the result gives events in an
    asynchronous or a plain loop. An OpenAI or Anthropic client comes back as one that is used in the same way.
    `release` is `stream` (text is shown at once and a refuted sentence is retracted), `hold` (a sentence is shown once
    it is checked) or `end` (nothing is shown before all is checked); without it the policy decides. With a `generator`,
    a halted answer is written again from the sources, at most `max_branches` times: a `BranchEvent` event says that the
    text begins anew. With `epistemic` the whole text is also checked for whether it used its evidence;
    `DoneEvent.epistemic` has the outcome, and by `on_failure` the text with flags, the best of further tries (by the
    `generator`), or the question for a person.
    Many streams may share the threads of an `executor`; without one each stream is checked in a thread of its own.

    >>> stream = ["The mill opened ", "in 1950. ", "It is white."]
    >>> events = list(guard(stream, sources=["The mill opened in 1900."], judge="lexical"))
    >>> [type(event).__name__ for event in events if isinstance(event, HaltEvent | DoneEvent)]
    ['HaltEvent', 'DoneEvent']
    """
    from assay.inline.branching import AnswerRewriter, guard_with_rewrites
    from assay.inline.checker import StreamChecker
    from assay.inline.stream_guard import guard_stream

    chosen, way = _settle(policy, engine, judge, release)
    given = _sources(sources, memory)
    if hasattr(stream_or_client, "chat") or hasattr(stream_or_client, "messages"):
        from assay.inline.clients import wrap_client

        if generator is not None or epistemic:
            raise UsageError("a client is its own generator; a generator and epistemic checks go with a stream")
        return wrap_client(stream_or_client, chosen, given, question, way)
    stream = _pieces(stream_or_client)
    checker = StreamChecker(chosen, given, question)
    rewriter = None if generator is None else AnswerRewriter(generator, question, given, chosen.policy)

    def events() -> AsyncIterator[Event]:
        guarded = (
            guard_stream(stream, checker, way, executor)
            if rewriter is None
            else guard_with_rewrites(stream, checker, way, rewriter, executor)
        )
        if not epistemic:
            return guarded
        from assay.inline.epistemic import check_at_end

        config = None if epistemic is True else epistemic
        return check_at_end(guarded, chosen, config, question, None if rewriter is None else rewriter.generator)

    return Events(events)


class Events:
    """The events of one guarded stream, for `async for` or for `for`; they can be gone through once."""

    def __init__(self, make: Callable[[], AsyncIterator[Event]]) -> None:
        self._make = make
        self._events: AsyncIterator[Event] | None = None

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> Event:
        if self._events is None:
            self._events = self._make()
        return await anext(self._events)

    async def aclose(self) -> None:
        if self._events is None:
            self._events = self._make()
        await self._events.aclose()  # type: ignore[attr-defined]

    def __iter__(self) -> Iterator[Event]:
        from assay.inline.async_bridge import iterate

        return iterate(lambda: self)


def _settle(
    policy: Policy | None, engine: Engine | None, judge: str | Judge | None, release: str | None
) -> tuple[Engine, str]:
    from assay.engine import Engine
    from assay.policy import RELEASES

    if engine is not None and policy is not None and engine.policy != policy:
        raise UsageError("give a policy or an engine, not both: the engine has a policy of its own")
    if engine is not None and judge is not None:
        raise UsageError("give a judge or an engine, not both: the engine has a judge of its own")
    chosen = engine if engine is not None else Engine(policy, "cascade" if judge is None else judge)
    way = release or chosen.policy.release
    if way not in RELEASES:
        raise UsageError(f"release is one of {', '.join(RELEASES)}, not {way!r}")
    return chosen, way


def _sources(sources: Iterable[Source] | Source, memory: Memory | None) -> list[Source]:
    from assay.engine.request import list_sources

    return [*list_sources(sources), *([] if memory is None else [memory])]


def _pieces(stream: Any) -> AsyncIterator[str]:
    if isinstance(stream, str):
        raise UsageError("a stream gives text piece by piece; to check a whole text use assay.check")
    if isinstance(stream, AsyncIterable):
        return aiter(stream)
    if isinstance(stream, Iterable):
        from assay.inline.async_bridge import read_in_thread

        return read_in_thread(stream)
    raise UsageError(f"a {type(stream).__name__} is neither a stream of text nor a client that can be guarded")
