"""A generator whose completions are kept in a file: asked the same again, it answers from there, at once.

A model that writes for a minute is asked once; what verification and repair make of its words can then be run again
as often as they change.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any, Unpack

from assay.errors import UsageError
from assay.llm.values import CallOptions, Completion, Generator, Message, Sampling
from assay.types import sha256_of


class Recorded:
    """Another generator, whose completions are kept in a file of JSON lines; streams are passed on and not kept.

    `replayed_s` is the time that the completions taken from the file once took to write.
    """

    def __init__(self, generator: Generator, path: Path) -> None:
        self.generator, self.path = generator, path
        self.name = generator.name
        self.replayed_s = 0.0
        self._kept = _read(path)

    async def complete(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> Completion:
        if options.get("logprobs"):  # what a token's alternatives were is not kept
            return await self.generator.complete(messages, **options)
        asked = {"model": self.name, "messages": [message.to_dict() for message in messages]}
        asked |= {name: value for name, value in asdict(Sampling(**options)).items() if name != "logprobs"}
        key = sha256_of(json.dumps(asked, sort_keys=True))
        if (row := self._kept.get(key)) is not None:
            self.replayed_s += row["seconds"]
            return Completion(row["text"], row["model"], finish_reason=row["finish_reason"])
        started = perf_counter()
        said = await self.generator.complete(messages, **options)
        row = {"key": key, "text": said.text, "model": said.model, "finish_reason": said.finish_reason}
        self._kept[key] = row | {"seconds": round(perf_counter() - started, 3)}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(self._kept[key], ensure_ascii=False) + "\n")
        return said

    def stream(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> AsyncIterator[str]:
        return self.generator.stream(messages, **options)

    def count_tokens(self, text: str) -> int:
        return self.generator.count_tokens(text)


def _read(path: Path) -> dict[str, dict[str, Any]]:
    if not path.exists():
        return {}
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        return {row["key"]: row for row in rows if row["text"] is not None and row["seconds"] >= 0}
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError) as problem:
        raise UsageError(f"{path} is no record of completions: {problem!r}") from problem
