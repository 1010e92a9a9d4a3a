"""What a guarded client knows of a provider: where the text of a chunk is, and how a stream ends properly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from assay.errors import UsageError


class ProviderAdapter(Protocol):
    """How a guarded client reads and ends the answers of a provider's library."""

    path: ClassVar[tuple[str, ...]]
    open_way: ClassVar[str]
    closed: ClassVar[frozenset[str]]

    def check(self, options: Mapping[str, Any]) -> None:
        """Refuses a call that cannot be guarded."""

    def question_of(self, options: Mapping[str, Any]) -> str | None: ...

    def text_of(self, chunk: Any) -> str: ...

    def whole_text(self, answer: Any) -> str: ...

    def annotate(self, answer: Any, note: Mapping[str, Any], instead: str | None) -> Any: ...

    def closing(self, passed: Sequence[Any], last: Any, note: Mapping[str, Any]) -> Iterator[Any]:
        """The chunks that end a halted stream, the last of which carries the note as `assay`."""


class OpenAIAdapter:
    """Chat completions."""

    path: ClassVar[tuple[str, ...]] = ("chat", "completions", "create")
    open_way: ClassVar[str] = "chat.completions.create"
    closed: ClassVar[frozenset[str]] = frozenset(
        {"responses", "completions", "beta", "with_raw_response", "with_streaming_response", "realtime"}
    )

    def check(self, options: Mapping[str, Any]) -> None:
        if (options.get("n") or 1) != 1:
            raise UsageError("a guarded call gives one answer: leave out n, or make it 1")

    def question_of(self, options: Mapping[str, Any]) -> str | None:
        return last_question(options.get("messages") or ())

    def text_of(self, chunk: Any) -> str:
        return (chunk.choices[0].delta.content or "") if getattr(chunk, "choices", None) else ""

    def whole_text(self, answer: Any) -> str:
        return (answer.choices[0].message.content or "") if answer.choices else ""

    def annotate(self, answer: Any, note: Mapping[str, Any], instead: str | None) -> Any:
        if instead is not None:
            answer.choices[0].message.content = instead
            answer.choices[0].finish_reason = "content_filter"
        answer.assay = dict(note)
        return answer

    def closing(self, passed: Sequence[Any], last: Any, note: Mapping[str, Any]) -> Iterator[Any]:
        choice = last.choices[0]
        delta = choice.delta.model_copy(update={"content": None, "role": None, "tool_calls": None})
        end = choice.model_copy(update={"delta": delta, "finish_reason": "content_filter"})
        chunk = last.model_copy(update={"choices": [end], "usage": None})
        chunk.assay = dict(note)
        yield chunk


class AnthropicAdapter:
    """Messages."""

    path: ClassVar[tuple[str, ...]] = ("messages", "create")
    open_way: ClassVar[str] = "messages.create"
    closed: ClassVar[frozenset[str]] = frozenset(
        {"completions", "beta", "with_raw_response", "with_streaming_response"}
    )

    def check(self, options: Mapping[str, Any]) -> None:
        return

    def question_of(self, options: Mapping[str, Any]) -> str | None:
        return last_question(options.get("messages") or ())

    def text_of(self, chunk: Any) -> str:
        delta = getattr(chunk, "delta", None)
        if chunk.type != "content_block_delta" or getattr(delta, "type", "") != "text_delta":
            return ""
        return str(getattr(delta, "text", ""))

    def whole_text(self, answer: Any) -> str:
        return "".join(block.text for block in answer.content if block.type == "text")

    def annotate(self, answer: Any, note: Mapping[str, Any], instead: str | None) -> Any:
        if instead is not None:
            blocks = [block for block in answer.content if block.type == "text"]
            answer.content = [blocks[0].model_copy(update={"text": instead, "citations": None})]
            answer.stop_reason = "refusal"
        answer.assay = dict(note)
        return answer

    def closing(self, passed: Sequence[Any], last: Any, note: Mapping[str, Any]) -> Iterator[Any]:
        from anthropic.types import (
            MessageDeltaUsage,
            RawContentBlockStopEvent,
            RawMessageDeltaEvent,
            RawMessageStopEvent,
        )
        from anthropic.types.raw_message_delta_event import Delta

        started = {chunk.index for chunk in passed if chunk.type == "content_block_start"}
        stopped = {chunk.index for chunk in passed if chunk.type == "content_block_stop"}
        for index in sorted(started - stopped):
            yield RawContentBlockStopEvent(type="content_block_stop", index=index)
        usage = MessageDeltaUsage.model_construct(output_tokens=0)
        yield RawMessageDeltaEvent.model_construct(
            type="message_delta", delta=Delta.model_construct(stop_reason="refusal", stop_sequence=None), usage=usage
        )
        end = RawMessageStopEvent(type="message_stop")
        end.assay = dict(note)  # type: ignore[attr-defined]
        yield end


def last_question(messages: Sequence[Any]) -> str | None:
    """What the user asked last, as text."""
    for message in reversed(list(messages)):
        role = message.get("role") if isinstance(message, Mapping) else getattr(message, "role", None)
        content = message.get("content") if isinstance(message, Mapping) else getattr(message, "content", None)
        if role != "user" or content is None:
            continue
        if isinstance(content, str):
            return content
        parts = [part.get("text", "") for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
        return " ".join(parts) or None
    return None
