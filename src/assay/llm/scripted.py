"""A generator that says what it was told to say: for tests, for demonstrations, and to replay what a model once said.

>>> from assay.llm import Message
>>> from assay.llm.waiting import run
>>> run(Scripted(["Everest is 8,849 m high."]).complete([Message("user", "How high is Everest?")])).text
'Everest is 8,849 m high.'
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Unpack

from assay.errors import GeneratorError, UsageError
from assay.llm.values import CallOptions, Completion, Message, Sampling

Reply = str | Completion | BaseException | Callable[[Sequence[Message]], str | Completion]
"""What to say: a text, a whole completion, an exception to raise, or a function of the messages that gives either."""

_TOKEN = re.compile(r"(?<!\s)\s*+\S++")


@dataclass(frozen=True)
class Call:
    """What a scripted generator was asked."""

    messages: tuple[Message, ...]
    options: dict[str, Any] = field(default_factory=dict)


class Scripted:
    """Gives the replies in order, keeps every call in `calls`, and fails loudly when asked once too often.

    `delay` is the time in seconds between two streamed tokens.
    """

    def __init__(self, replies: Reply | Iterable[Reply], *, name: str = "scripted", delay: float = 0.0) -> None:
        single = isinstance(replies, str | Completion | BaseException) or callable(replies)
        self._replies: list[Reply] = [replies] if single else list(replies)  # type: ignore[arg-type, list-item]
        self.name = name
        self.delay = delay
        self.calls: list[Call] = []

    @classmethod
    def load(cls, path: Path) -> Scripted:
        """The replies of a file: a JSON list of texts, or texts between lines of `---`."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise UsageError(f"cannot read the script {path}: {problem}") from problem
        if path.suffix != ".json":
            return cls([part.strip("\n") for part in re.split(r"(?m)^---\s*$", text)])
        try:
            replies = json.loads(text)
        except ValueError as problem:
            raise UsageError(f"{path} is not valid JSON: {problem}") from problem
        if not isinstance(replies, list) or not all(isinstance(reply, str) for reply in replies):
            raise UsageError(f"{path}: a script is a JSON list of texts")
        return cls(replies)

    async def complete(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> Completion:
        reply = self._next(messages, asdict(Sampling(**options)))
        if isinstance(reply, Completion):
            return reply
        prompt = sum(self.count_tokens(message.content) for message in messages)
        return Completion(reply, self.name, prompt, self.count_tokens(reply))

    async def stream(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> AsyncIterator[str]:
        reply = self._next(messages, asdict(Sampling(**options)))
        text = reply.text if isinstance(reply, Completion) else reply
        done = 0
        for match in _TOKEN.finditer(text):
            await asyncio.sleep(self.delay)
            done = match.end()
            yield match.group()
        if text[done:]:
            yield text[done:]

    def count_tokens(self, text: str) -> int:
        return len(_TOKEN.findall(text))

    def _next(self, messages: Sequence[Message], options: dict[str, Any]) -> str | Completion:
        self.calls.append(Call(tuple(messages), options))
        if len(self.calls) > len(self._replies):
            raise GeneratorError(f"the script has {len(self._replies)} replies, and was asked for one more")
        reply = self._replies[len(self.calls) - 1]
        if isinstance(reply, BaseException):
            raise reply
        return reply if isinstance(reply, str | Completion) else reply(messages)
