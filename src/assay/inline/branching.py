"""Writing a halted answer again: the next attempt is guarded like the first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.engine import Source
from assay.inline.events import Branch, Done, Event
from assay.inline.inspector import Inspector
from assay.inline.watch import watch
from assay.policy import Policy
from assay.types import Action

if TYPE_CHECKING:
    from assay.llm import Generator

_TEMPERATURE = 0.7  # other sampling, once the other prompt has been tried


class Rewriter:
    """A generator with the question and the sources that an answer is written from."""

    def __init__(
        self, generator: Generator | str, question: str | None, sources: Sequence[Source], policy: Policy
    ) -> None:
        from assay.llm import make_generator

        self.question, self.sources, self.policy = question, sources, policy
        self.generator = make_generator(generator, policy=policy) if isinstance(generator, str) else generator

    def write(self, number: int, before: str) -> AsyncIterator[str]:
        """The text of an attempt, by another prompt and then by other sampling; `before` is the halted answer."""
        from assay.engine.sources import read
        from assay.llm.delimit import Block, fence, fence_passages
        from assay.llm.prompt import load_prompt
        from assay.repair.gather import gather
        from assay.repair.writer import cite_stream

        documents, memories, _ = read(self.sources)
        asked = self.question or before
        passages = gather(asked, memories[0] if memories else None, documents, self.policy)
        messages = load_prompt("branch" if number == 1 else "writer", home="assay.repair").fill(
            sources=fence_passages(passages, self.policy.writer_passage_tokens),
            question=fence([Block("question", asked)]),
        )
        temperature = 0.0 if number == 1 else _TEMPERATURE
        limit = self.policy.writer_max_tokens
        text = self.generator.stream(messages, temperature=temperature, seed=number, max_tokens=limit)
        return cite_stream(text, passages)


async def watch_branches(
    stream: AsyncIterator[str], inspector: Inspector, release: str, rewriter: Rewriter
) -> AsyncIterator[Event]:
    """The events of a stream and of the attempts after a halt, with one `Done` at the end.

    It is about the attempt that passed; if none did, about the best of them, whose text is in its report.
    """
    from assay.repair.score import rank

    most = inspector.policy.max_branches
    tried: list[Done] = []
    for number in range(most + 1):
        last: Done | None = None
        async for event in watch(stream, inspector, release):
            if isinstance(event, Done):
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
        yield Branch(number + 1)
        stream = rewriter.write(number + 1, last.report.answer)
