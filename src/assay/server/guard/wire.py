"""What the guard needs to know of a protocol: where its answers show text, and how its streams are put together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from assay.server.problems import Problem

Event = dict[str, Any]
DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True, order=True)
class TextKey:
    """Which text of an answer: that of a field of a choice. Parts with the same key are read as one text."""

    choice: int
    field: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a whole answer that shows text, and how to replace it."""

    key: TextKey
    text: str
    put: Callable[[str], None]


@dataclass(slots=True)
class StreamPiece:
    """A stretch of a stream: an event, and the text it shows.

    An event that repeats a text shows none. A text that no event of its own carries has a piece without an event.
    """

    event: Event | None
    key: TextKey | None = None
    text: str = ""
    last: bool = False  # says how the answer ended; the report goes out with it
    gap: int = 0  # characters between this text and the one before, in the text that is checked


class Wire(Protocol):
    """One protocol, and the state of one answer in it."""

    path: ClassVar[str]
    operation: ClassVar[str]  # as OpenTelemetry names it
    provider: ClassVar[str]
    complete: bool  # whether the stream has said that the answer is whole
    tail: bytes  # what follows the last event

    def messages(self, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """The conversation of a request, each message with a role and a content."""

    def slots(self, answer: Mapping[str, Any]) -> list[Slot]:
        """The texts of a whole answer; 502 if it is not one."""

    def stop(self, answer: dict[str, Any], choice: int) -> None:
        """Marks a choice as stopped by the guard."""

    def events(self, answer: Mapping[str, Any]) -> Iterator[Event]:
        """A whole answer as the events of a stream."""

    def is_failure(self, event: Event) -> bool: ...

    def pieces(self, event: Event) -> Iterable[StreamPiece]: ...

    def with_text(self, event: Event, text: str) -> Event:
        """The event with another text in place of its own."""

    def rewrite(self, event: Event, texts: Mapping[TextKey, str], stopped: set[int]) -> Event:
        """An event that shows no text of its own, after texts were replaced and choices stopped."""

    def attach(self, event: Event | None, note: Mapping[str, Any]) -> Event:
        """The last event with the report; without an event, one of the guard's own."""

    def closing(self, note: Mapping[str, Any], say: str = "") -> Iterator[Event]:
        """The events that end a stopped answer after what has been sent, `say` being its last words."""

    def sent(self, event: Event) -> Event:
        """Takes note of an event that goes out now; the event as it goes out."""

    def error(self, problem: Problem) -> Event: ...

    def facts(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Model, id, usage and finish reasons of an answer or of an event, as OpenTelemetry names them."""


def encode(event: Event) -> bytes:
    """An event on the wire; protocols that name their events do so by `type`."""
    data = b"data: " + json.dumps(event, separators=(",", ":")).encode("ascii") + b"\n\n"
    kind = event.get("type")
    return f"event: {kind}\n".encode("ascii", "replace") + data if isinstance(kind, str) else data


def text_of(content: Any) -> str:
    """The words of a content: a text, a part, or a list of parts; tool results and documents are read too."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n\n".join(text for part in content if (text := text_of(part)))
    if not isinstance(content, Mapping):
        return ""
    match content.get("type"):
        case "text" | "input_text" | "output_text":
            return text_of(content.get("text"))
        case "tool_result" | "content":
            return text_of(content.get("content"))
        case "search_result":
            return "\n\n".join(filter(None, (text_of(content.get("title")), text_of(content.get("content")))))
        case "document":
            source = content.get("source")
            if not isinstance(source, Mapping):
                return ""
            return text_of(source.get("data")) if source.get("type") == "text" else text_of(source)
        case _:
            return ""


def usage_facts(usage: Any, given: str, written: str) -> dict[str, Any]:
    """The token counts of a usage object."""
    if not isinstance(usage, Mapping):
        return {}
    names = {"gen_ai.usage.input_tokens": given, "gen_ai.usage.output_tokens": written}
    return {name: usage[field] for name, field in names.items() if isinstance(usage.get(field), int)}


def not_an_answer(what: str) -> Problem:
    return Problem(502, f"the upstream answered without {what}", kind="upstream-answer")


def dicts(value: Any) -> Sequence[dict[str, Any]]:
    """The objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
