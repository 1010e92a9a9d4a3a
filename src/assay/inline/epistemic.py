"""The epistemic checks at the end of a guarded stream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.inline.events import DoneEvent, Event

if TYPE_CHECKING:
    from assay.engine import Engine
    from assay.epistemic import EpistemicConfig
    from assay.llm import Generator


async def check_at_end(
    events: AsyncIterator[Event],
    engine: Engine,
    config: EpistemicConfig | None,
    question: str | None,
    generator: Generator | None,
) -> AsyncIterator[Event]:
    """The same events; the `DoneEvent` carries what the epistemic checks say about the whole text."""
    from assay.epistemic import Checker, EpistemicConfig
    from assay.epistemic.resolve import resolve

    settings = config or EpistemicConfig.load(policy=engine.policy)
    writer = None if generator is None or generator.name == "extractive" else generator
    try:
        async for event in events:
            if isinstance(event, DoneEvent):
                checker = Checker(engine=engine.unwatched(), config=settings)
                report = event.report
                found = await resolve(checker, report.answer, report.documents, question=question, rewrite=writer)
                event = replace(event, epistemic=found)
            yield event
    finally:
        await events.aclose()  # type: ignore[attr-defined]
