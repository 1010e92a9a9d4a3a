"""The writer without a model: the sentences of the sources that answer the question best, in order, once each, cited.

It is a generator like the others: it reads the question and the sources from the fenced blocks of the prompt, and
nothing else of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Unpack

from assay.errors import GeneratorError
from assay.llm.choosing import NOTHING, choose_sentences
from assay.llm.delimit import Block, read_blocks
from assay.llm.values import CallOptions, Completion, Message
from assay.policy import Policy
from assay.text.tokens import count_tokens


class Extractive:
    """Writes by quoting; the same prompt gives the same text always."""

    name = "extractive"

    def __init__(self, *, policy: Policy | None = None) -> None:
        self.policy = policy or Policy()

    async def complete(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> Completion:
        if options.get("schema") is not None or options.get("logprobs"):
            raise GeneratorError("the extractive writer quotes sentences; it gives no JSON and no log-probabilities")
        text = self.write(_last_blocks(messages))
        return Completion(text, self.name, sum(count_tokens(m.content) for m in messages), count_tokens(text))

    async def stream(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> AsyncIterator[str]:
        for piece in self.write(_last_blocks(messages)).splitlines(keepends=True):
            yield piece

    def count_tokens(self, text: str) -> int:
        return count_tokens(text)

    def write(self, blocks: Sequence[Block]) -> str:
        """The chosen sentences, one a line, each with the pointer of its source."""
        question = " ".join(block.text for block in blocks if block.kind == "question")
        sources = [block for block in blocks if block.kind == "source"]
        chosen = choose_sentences(question, sources)
        return "\n".join(f"{sentence.text} [{sentence.source}]" for sentence in chosen) or NOTHING


def _last_blocks(messages: Sequence[Message]) -> list[Block]:
    for message in reversed(messages):
        if message.role == "user":
            return read_blocks(message.content)
    return []
