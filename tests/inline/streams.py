"""Sources, answers and streams that the tests of the guard share."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

SOURCE = (
    "Mount Everest is 8,849 m high. It was first climbed in 1953. Everest lies on the border of Nepal and China. "
    "The Nile flows through Egypt. The Eiffel Tower was built in 1889. The Eiffel Tower stands in Paris. "
    "The Danube flows through Vienna. Lake Baikal is 1,642 m deep."
)
GOOD = (
    "Mount Everest is 8,849 m high. The Nile flows through Egypt. Everest lies on the border of Nepal and China. "
    "The Danube flows through Vienna. Lake Baikal is 1,642 m deep."
)
WRONG = "The Eiffel Tower was built in 1899."
AFTER = " The Eiffel Tower stands in Paris. The Danube flows through Vienna."
BAD = f"{GOOD} {WRONG}{AFTER}"


def tokens(text: str) -> list[str]:
    return re.findall(r"\s*\S+|\s+$", text)


async def flow(text: str, pause: float = 0.0, closed: list[str] | None = None) -> AsyncIterator[str]:
    """The tokens of a text; `closed` learns how the stream ended."""
    try:
        for token in tokens(text):
            await asyncio.sleep(pause)
            yield token
        if closed is not None:
            closed.append("ended")
    except BaseException as problem:
        if closed is not None:
            closed.append(type(problem).__name__)
        raise
