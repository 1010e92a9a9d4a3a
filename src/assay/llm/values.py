"""What goes into a text generator and what comes out of one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypedDict, Unpack, runtime_checkable

Schema = Mapping[str, Any]
"""A JSON schema that a completion has to fit."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation; the role is `system`, `user` or `assistant`."""

    role: str
    content: str

    def __post_init__(self) -> None:
        if self.role not in ("system", "user", "assistant"):
            raise ValueError(f"a message comes from system, user or assistant, not from {self.role!r}")

    def to_dict(self) -> dict[str, str]:
        return {"role": self.role, "content": self.content}


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """How likely a token was (natural logarithm), and the likeliest ones in its place."""

    token: str
    logprob: float
    top: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Completion:
    """A generated text, what it took to make it, and why it ended (`stop`, `length`, …).

    `cost_usd` is None where the model's price is not known.
    """

    text: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    logprobs: tuple[TokenLogprob, ...] | None = None
    finish_reason: str = "stop"


class CallOptions(TypedDict, total=False):
    """How a text is asked for, as keyword arguments; `Sampling` has the defaults. A stream heeds the first three."""

    temperature: float
    max_tokens: int
    seed: int | None
    schema: Schema | None
    logprobs: int


@dataclass(frozen=True, slots=True)
class Sampling:
    """The options of one call, the defaults filled in."""

    temperature: float = 0.0
    max_tokens: int = 512
    seed: int | None = None
    schema: Schema | None = None
    logprobs: int = 0

    def chat_request(self, messages: Sequence[Message], *, strict: bool = False, **more: Any) -> dict[str, Any]:
        """The body of a request in OpenAI's chat protocol."""
        request = more | {
            "messages": [message.to_dict() for message in messages],
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }
        if self.seed is not None:
            request["seed"] = self.seed
        if self.schema is not None:
            shape = {"name": "reply", "schema": dict(self.schema)} | ({"strict": True} if strict else {})
            request["response_format"] = {"type": "json_schema", "json_schema": shape}
        return request | ({"logprobs": True, "top_logprobs": self.logprobs} if self.logprobs else {})


@runtime_checkable
class Generator(Protocol):
    """Anything that writes text; `assay.llm.waiting.run` waits for it where nothing else is asynchronous."""

    name: str

    async def complete(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> Completion: ...

    def stream(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> AsyncIterator[str]: ...

    def count_tokens(self, text: str) -> int: ...
