"""A generator that counts what it spends."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from assay.llm.values import Completion, Generator, Message

_SPENT = ("model_calls", "prompt_tokens", "completion_tokens", "cost_usd")


class Metered:
    """The same generator; `spent` is what its completions came to. Quoting sources is no call to a model."""

    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self.name = generator.name
        self.spent: dict[str, float] = dict.fromkeys(_SPENT, 0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)

    async def complete(self, messages: Sequence[Message], **options: Any) -> Completion:
        done = await self._generator.complete(messages, **options)
        if self.name != "extractive":
            self.spent["model_calls"] += 1
            self.spent["prompt_tokens"] += done.prompt_tokens
            self.spent["completion_tokens"] += done.completion_tokens
            self.spent["cost_usd"] += done.cost_usd or 0.0
        return done

    def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[str]:
        return self._generator.stream(messages, **options)

    def count_tokens(self, text: str) -> int:
        return self._generator.count_tokens(text)
