"""Writing a halted answer again; each attempt is guarded like the first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.engine import Source
from assay.inline.checker import StreamChecker
from assay.inline.events import BranchEvent, DoneEvent, Event
from assay.inline.stream_guard import guard_stream
from assay.policy import Policy
from assay.types import Action

if TYPE_CHECKING:
    from assay.llm import Generator

_TEMPERATURE = 0.7  # other sampling, once the other prompt has been tried


class AnswerRewriter:
    """A generator with the question and the sources that an answer is written from."""

    def __init__(
        self, generator: Generator | str, question: str | None, sources: Sequence[Source], policy: Policy
    ) -> None:
        from assay.llm import make_generator

        self.question, self.sources, self.policy = question, sources, policy
        self.generator = make_generator(generator, policy=policy) if isinstance(generator, str) else generator

    def write(self, number: int, before: str) -> AsyncIterator[str]:
        """The text of an attempt, by another prompt and then by other sampling; `before` is the halted answer."""
        from assay.engine.request import read_sources
        from assay.llm.delimit import Block, fence, fence_passages
        from assay.llm.prompt import load_prompt
        from assay.repair.case import gather
        from assay.repair.writer import cite_stream

        documents, memories, _ = read_sources(self.sources)
        asked = self.question or before
        passages = gather(asked, memories[0] if memories else None, documents, self.policy)
        messages = load_prompt("branch" if number == 1 else "writer", home="assay.repair").fill(
            sources=fence_passages(passages),
            question=fence([Block("question", asked)]),
        )
        temperature = 0.0 if number == 1 else _TEMPERATURE
        limit = self.policy.writer_max_tokens
        text = self.generator.stream(messages, temperature=temperature, seed=number, max_tokens=limit)
        return cite_stream(text, passages)


async def guard_with_rewrites(
    stream: AsyncIterator[str],
    checker: StreamChecker,
    release: str,
    rewriter: AnswerRewriter,
    executor: Executor | None = None,
) -> AsyncIterator[Event]:
    """The events of a stream and of the attempts after a halt, with one `DoneEvent` at the end.

    It is about the attempt that passed; if none did, about the best of them, whose text is in its report.
    """
    from assay.repair.score import rank

    most = checker.policy.max_branches
    tried: list[DoneEvent] = []
    for number in range(most + 1):
        last: DoneEvent | None = None
        async for event in guard_stream(stream, checker, release, executor):
            if isinstance(event, DoneEvent):
                last = event
            else:
                yield event
        assert last is not None
        tried.append(last)
        if not last.halted:
            yield replace(last, branches=number)
            return
        if number == most:
            best = max(tried, key=lambda done: rank(done.report))
            yield replace(best, report=replace(best.report, action=Action.ABSTAIN), branches=number)
            return
        yield BranchEvent(number + 1)
        stream = rewriter.write(number + 1, last.report.answer)
