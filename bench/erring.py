"""A writer that errs: another's drafts, some of them with one number, date, name or sign changed by program."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from assay.llm.values import Completion, Generator, Message, Schema
from assay.mutations import mutate

KINDS = ("number", "date", "name", "negation")


class Erring:
    """Errs in a share of its drafts; which ones, hangs on the prompt and on the seed, so that a run can be repeated."""

    def __init__(self, generator: Generator, share: float) -> None:
        if not 0 <= share <= 1:
            raise ValueError(share)
        self.generator, self.share = generator, share
        self.name = f"erring:{share:g}"

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        temperature: float = 0.0,
        max_tokens: int = 512,
        seed: int | None = None,
        schema: Schema | None = None,
        logprobs: int = 0,
    ) -> Completion:
        said = await self.generator.complete(messages, max_tokens=max_tokens, schema=schema, logprobs=logprobs)
        dice = random.Random(f"{seed}:{messages[0].content}:{messages[-1].content}")
        return replace(said, model=self.name, text=spoil(said.text, dice) if dice.random() < self.share else said.text)

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        temperature: float = 0.0,
        max_tokens: int = 512,
        seed: int | None = None,
    ) -> AsyncIterator[str]:
        yield (await self.complete(messages, max_tokens=max_tokens, seed=seed)).text

    def count_tokens(self, text: str) -> int:
        return self.generator.count_tokens(text)


def spoil(text: str, dice: random.Random) -> str:
    """The text with one fact changed in one of its lines; as it was if there is none to change."""
    lines = text.splitlines()
    order = list(range(len(lines)))
    dice.shuffle(order)
    for number in order:
        said, bracket, pointer = lines[number].rpartition(" [")
        made = [one for one in mutate(said, dice.randrange(1 << 30), others=lines) if one.kind in KINDS]
        if bracket and made:
            lines[number] = f"{dice.choice(made).text}{bracket}{pointer}"
            return "\n".join(lines)
    return text
