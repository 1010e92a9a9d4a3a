"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar

from assay.server.guard.wire import Event, Slot, StreamPiece, TextKey, dicts, not_an_answer, usage_facts
from assay.server.problems import Problem

_TEXTS = {"text": "text", "thinking": "thinking"}  # the field of a block that shows text, by its type


class AnthropicWire:
    """Messages: content blocks, streamed as started, delta and stopped events.

    Neighbouring text blocks are one text: with citations on, a sentence is cut into several.
    """

    path: ClassVar[str] = "messages"
    operation: ClassVar[str] = "chat"
    provider: ClassVar[str] = "anthropic"

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.complete, self.tail = False, b""
        self._keys: dict[int, TextKey] = {}
        self._runs = 0
        self._before = ""
        self._started: set[int] = set()
        self._stopped: set[int] = set()

    def messages(self, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        messages = body.get("messages")
        if not isinstance(messages, list) or not messages or not all(isinstance(item, dict) for item in messages):
            raise Problem(400, "'messages' is a list of at least one message object")
        found: list[Mapping[str, Any]] = [{"role": "system", "content": body["system"]}] if body.get("system") else []
        for message in messages:
            content = message.get("content")
            given = [part for part in dicts(content) if part.get("type") not in ("text", "image")]
            said = [part for part in dicts(content) if part.get("type") == "text"]
            if given and message.get("role") == "user":  # results of tools, documents
                found.append({"role": "tool", "content": given})
            found.append({"role": message.get("role"), "content": said if isinstance(content, list) else content})
        return found

    def slots(self, answer: Mapping[str, Any]) -> list[Slot]:
        if not isinstance(answer.get("content"), list):
            raise not_an_answer("content")
        slots = []
        for index, block in enumerate(answer["content"]):
            key = self._key(index, block) if isinstance(block, dict) else None
            if key is not None and (text := block.get(_TEXTS[block["type"]])):
                slots.append(Slot(key, text, partial(_put, block)))
        return slots

    def stop(self, answer: dict[str, Any], choice: int) -> None:
        answer["stop_reason"] = "refusal"
        answer["content"] = [block for block in answer["content"] if block.get("type") != "text" or block["text"]]

    def events(self, answer: Mapping[str, Any]) -> Iterator[Event]:
        usage = answer.get("usage") or {"input_tokens": 0, "output_tokens": 0}
        opened = {**answer, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        yield {"type": "message_start", "message": opened}
        for index, block in enumerate(dicts(answer.get("content"))):
            yield from _block_events(index, block)
        ended = {"stop_reason": answer.get("stop_reason"), "stop_sequence": answer.get("stop_sequence")}
        yield {"type": "message_delta", "delta": ended, "usage": usage}
        yield {"type": "message_stop"}

    def is_failure(self, event: Event) -> bool:
        return event.get("type") == "error"

    def pieces(self, event: Event) -> Iterable[StreamPiece]:
        kind, index = event.get("type"), event.get("index") or 0
        if kind == "content_block_start" and isinstance(block := event.get("content_block"), dict):
            key = self._key(index, block)
            if key is not None and (text := block.get(_TEXTS[block["type"]])):  # it begins with text already
                empty = block | {_TEXTS[block["type"]]: ""}
                yield StreamPiece(event | {"content_block": empty})
                yield StreamPiece(_delta(index, block["type"], text), key, text)
                return
        elif kind == "content_block_delta" and index in self._keys and isinstance(delta := event.get("delta"), dict):
            field = _TEXTS.get(str(delta.get("type", "")).removesuffix("_delta"))
            if field and isinstance(text := delta.get(field), str) and text:
                yield StreamPiece(event, self._keys[index], text)
                return
        self.complete |= kind == "message_stop"
        yield StreamPiece(event, last=kind == "message_delta")

    def with_text(self, event: Event, text: str) -> Event:
        delta = event["delta"]
        return event | {"delta": delta | {_TEXTS[delta["type"].removesuffix("_delta")]: text}}

    def rewrite(self, event: Event, texts: Mapping[TextKey, str], stopped: set[int]) -> Event:
        if event.get("type") == "message_delta" and stopped:
            return event | {"delta": event["delta"] | {"stop_reason": "refusal"}}
        return event

    def attach(self, event: Event | None, note: Mapping[str, Any]) -> Event:
        if event is None:
            ended = {"stop_reason": "refusal", "stop_sequence": None}
            event = {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 0}}
        return event | {"assay": dict(note)}

    def closing(self, note: Mapping[str, Any], say: str = "") -> Iterator[Event]:
        for index in sorted(self._started - self._stopped):
            yield {"type": "content_block_stop", "index": index}
        if say:
            yield from _block_events(max(self._started, default=-1) + 1, {"type": "text", "text": say})
        yield self.attach(None, note)
        yield {"type": "message_stop"}

    def sent(self, event: Event) -> Event:
        match event.get("type"):
            case "content_block_start":
                self._started.add(event["index"])
            case "content_block_stop":
                self._stopped.add(event["index"])
        return event

    def error(self, problem: Problem) -> Event:
        return {"type": "error", "error": {"type": problem.kind, "message": problem.detail}}

    def facts(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        message = answer.get("message") if answer.get("type") == "message_start" else answer
        found: dict[str, Any] = {}
        if not isinstance(message, Mapping):
            return found
        if "model" in message:
            found |= {"gen_ai.response.id": message.get("id"), "gen_ai.response.model": message["model"]}
        ended = message.get("stop_reason") or (message.get("delta") or {}).get("stop_reason")
        if ended:
            found["gen_ai.response.finish_reasons"] = [ended]
        return found | usage_facts(message.get("usage"), "input_tokens", "output_tokens")

    def _key(self, index: int, block: Mapping[str, Any]) -> TextKey | None:
        """The text a block belongs to; the first of its kind is named by it, later ones are numbered."""
        kind = str(block.get("type"))
        if kind != self._before:
            self._before = kind
            self._runs += kind in _TEXTS
        if kind not in _TEXTS:
            return None
        known = next((key for key in self._keys.values() if key.field.rpartition("-")[2] == str(self._runs)), None)
        key = self._keys[index] = known or TextKey(0, f"{kind}-{self._runs}")
        return key


def _put(block: dict[str, Any], text: str) -> None:
    block[_TEXTS[block["type"]]] = text
    if block.get("citations"):
        block["citations"] = None  # they were of the text that stood here


def _delta(index: int, kind: str, text: str) -> Event:
    return {"type": "content_block_delta", "index": index, "delta": {"type": f"{kind}_delta", _TEXTS[kind]: text}}


def _block_events(index: int, block: dict[str, Any]) -> Iterator[Event]:
    """The events of one whole block."""
    import json

    kind = block.get("type")
    bare: dict[str, Any] = {_TEXTS[kind]: ""} if kind in _TEXTS else {"input": {}} if kind == "tool_use" else {}
    empty = block | bare
    yield {"type": "content_block_start", "index": index, "content_block": empty}
    if kind in _TEXTS:
        yield _delta(index, kind, block[_TEXTS[kind]])
    elif kind == "tool_use":
        given = {"type": "input_json_delta", "partial_json": json.dumps(block.get("input"))}
        yield {"type": "content_block_delta", "index": index, "delta": given}
    yield {"type": "content_block_stop", "index": index}
