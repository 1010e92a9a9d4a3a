"""OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from functools import partial
from typing import Any, ClassVar

from assay.server.guard.wire import DONE, Event, Slot, StreamPiece, TextKey, dicts, not_an_answer, usage_facts
from assay.server.problems import Problem

# In the order in which a model writes them; different servers name the reasoning differently.
VISIBLE = ("reasoning_content", "reasoning", "content", "refusal")
_PART_TEXTS = ("text", "refusal", "output_text", "thinking")
_HEAD = ("id", "created", "model", "system_fingerprint", "service_tier")


class ChatWire:
    """Chat completions: chunks with deltas, closed by [DONE]."""

    path: ClassVar[str] = "chat/completions"
    operation: ClassVar[str] = "chat"
    provider: ClassVar[str] = "openai"

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.complete, self.tail = False, DONE
        options = body.get("stream_options")
        self._usage_asked = isinstance(options, Mapping) and bool(options.get("include_usage"))
        self._head: Event = {}
        self._opened = False

    def messages(self, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        messages = body.get("messages")
        if not isinstance(messages, list) or not messages or not all(isinstance(item, dict) for item in messages):
            raise Problem(400, "'messages' is a list of at least one message object")
        return list(messages)

    def slots(self, answer: Mapping[str, Any]) -> list[Slot]:
        if not isinstance(answer.get("choices"), list):
            raise not_an_answer("choices")
        return [
            Slot(TextKey(number, name), text, partial(put_text, message, name))
            for number, choice in enumerate(answer["choices"])
            if isinstance(choice, dict) and isinstance(message := choice.get("message"), dict)
            for name, text in visible_texts(message).items()
        ]

    def stop(self, answer: dict[str, Any], choice: int) -> None:
        answer["choices"][choice]["finish_reason"] = "content_filter"

    def events(self, answer: Mapping[str, Any]) -> Iterator[Event]:
        head = {name: answer[name] for name in _HEAD if name in answer} | {"object": "chat.completion.chunk"}
        for number, choice in enumerate(dicts(answer.get("choices"))):
            message = choice.get("message")
            delta = dict(message) if isinstance(message, dict) else {}
            if calls := dicts(delta.get("tool_calls")):
                delta["tool_calls"] = [{"index": place, **call} for place, call in enumerate(calls)]
            one = {"index": number, "logprobs": choice.get("logprobs"), "finish_reason": None}
            yield head | {"choices": [one | {"delta": {"role": "assistant", **delta}}]}
            yield head | {"choices": [one | {"delta": {}, "finish_reason": choice.get("finish_reason") or "stop"}]}
        if self._usage_asked and answer.get("usage"):
            yield head | {"choices": [], "usage": answer["usage"]}

    def is_failure(self, event: Event) -> bool:
        return bool(event.get("error"))

    def pieces(self, event: Event) -> Iterable[StreamPiece]:
        """One text a piece; a finish reason comes after the text that shares its chunk."""
        if not self._head:
            self._head = {name: event[name] for name in _HEAD if name in event} | {"object": "chat.completion.chunk"}
        rest = []
        for choice in dicts(event.get("choices")):
            delta: dict[str, Any] = given if isinstance(given := choice.get("delta"), dict) else {}
            texts = visible_texts(delta)
            role = {"role": delta["role"]} if "role" in delta and texts else {}  # goes with the text, never behind it
            for name in texts:
                alone = choice | {"delta": role | {name: delta[name]}, "finish_reason": None}
                key = TextKey(choice.get("index") or 0, name)
                yield StreamPiece(_without_usage(event) | {"choices": [alone]}, key, texts[name])
            left = {name: value for name, value in delta.items() if name not in texts and name not in role}
            if choice.get("finish_reason") or left or not texts:
                rest.append(choice | {"delta": left} | ({"logprobs": None} if texts else {}))
        ends = any(choice.get("finish_reason") for choice in rest)
        self.complete |= ends
        if rest or not event.get("choices"):
            yield StreamPiece(event | {"choices": rest}, last=ends)
        elif event.get("usage"):
            yield StreamPiece(event | {"choices": []})

    def with_text(self, event: Event, text: str) -> Event:
        choice = event["choices"][0]
        delta = dict(choice["delta"])
        for name in delta.keys() - {"role"}:
            put_text(delta, name, text)
        return event | {"choices": [choice | {"delta": delta, "logprobs": None}]}

    def rewrite(self, event: Event, texts: Mapping[TextKey, str], stopped: set[int]) -> Event:
        choices = [
            choice | {"finish_reason": "content_filter"}
            if choice.get("finish_reason") and (choice.get("index") or 0) in stopped
            else choice
            for choice in event["choices"]
        ]
        return event | {"choices": choices}

    def attach(self, event: Event | None, note: Mapping[str, Any]) -> Event:
        return (self._head | {"choices": []} if event is None else event) | {"assay": dict(note)}

    def closing(self, note: Mapping[str, Any], say: str = "") -> Iterator[Event]:
        if say or not self._opened:
            yield self._chunk({"role": "assistant", "content": say})
        yield self._chunk({}, "content_filter") | {"assay": dict(note)}

    def sent(self, event: Event) -> Event:
        self._opened = True
        return event

    def error(self, problem: Problem) -> Event:
        return {"error": {"message": problem.detail, "type": problem.kind, "param": None, "code": problem.kind}}

    def facts(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        found = {"gen_ai.response.id": answer.get("id"), "gen_ai.response.model": answer.get("model")}
        reasons = [one["finish_reason"] for one in dicts(answer.get("choices")) if one.get("finish_reason")]
        if reasons:
            found["gen_ai.response.finish_reasons"] = reasons
        return found | usage_facts(answer.get("usage"), "prompt_tokens", "completion_tokens")

    def _chunk(self, delta: Event, finish_reason: str | None = None) -> Event:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return self._head | {"choices": [choice]}


def _without_usage(event: Event) -> Event:
    return {name: value for name, value in event.items() if name != "usage"}


def visible_texts(message: Mapping[str, Any]) -> dict[str, str]:
    """The texts of a message or of a delta by field; the parts of a list are read as one text, as they are shown."""
    found = {}
    for name in VISIBLE:
        value = message.get(name)
        if isinstance(value, list):
            value = "".join(_part_text(part) for part in value)
        if isinstance(value, str) and value:
            found[name] = value
    return found


def put_text(message: MutableMapping[str, Any], name: str, text: str) -> None:
    """Replaces the text of a field; in a list of parts the first one with text carries it, and the others go."""
    value = message.get(name)
    if not isinstance(value, list):
        message[name] = text
        return
    told = [part for part in value if _part_text(part)]
    rest = [part for part in value if not _part_text(part)]
    first: Any = {"type": "text", "text": text} if isinstance(told[0], dict) else text
    message[name] = [first, *rest]


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    return "".join(value for name in _PART_TEXTS if isinstance(value := part.get(name), str))
