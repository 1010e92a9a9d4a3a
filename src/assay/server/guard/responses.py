"""OpenAI's responses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from functools import partial
from typing import Any, ClassVar

from assay.server.guard.wire import Event, Slot, StreamPiece, TextKey, dicts, not_an_answer, usage_facts
from assay.server.problems import Problem

# The field that shows text, by the type of a part.
_TEXTS = {"output_text": "text", "text": "text", "refusal": "refusal", "reasoning_text": "text", "summary_text": "text"}
_KINDS = {  # the events of each kind of text: the list of an item it stands in, the index into it, its field when done
    "response.output_text": ("content", "content_index", "text"),
    "response.refusal": ("content", "content_index", "refusal"),
    "response.reasoning_text": ("content", "content_index", "text"),
    "response.reasoning_summary_text": ("summary", "summary_index", "text"),
}
_PARTS = {"response.content_part": "content", "response.reasoning_summary_part": "summary"}
_ENDS = ("response.completed", "response.incomplete")


class ResponsesWire:
    """Responses: items with parts, streamed as typed and numbered events that repeat each text when it is done."""

    path: ClassVar[str] = "responses"
    operation: ClassVar[str] = "chat"
    provider: ClassVar[str] = "openai"

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.complete, self.tail = False, b""
        self._read: set[TextKey] = set()
        # What the client has been sent of the answer, from which a stopped one is closed.
        self._number = 0
        self._response: Event = {"id": "resp_assay", "object": "response", "output": []}
        self._items: dict[int, dict[str, Any]] = {}
        self._done: set[tuple[int, str, int]] = set()
        self._items_done: set[int] = set()

    def messages(self, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        given = body.get("input")
        if given is not None and not isinstance(given, str | list):
            raise Problem(400, "'input' is a text or a list of items")
        found: list[Mapping[str, Any]] = []
        if body.get("instructions"):
            found.append({"role": "system", "content": body["instructions"]})
        if isinstance(given, str):
            return [*found, {"role": "user", "content": given}]
        for item in dicts(given):
            if "role" in item:
                found.append({"role": item["role"], "content": item.get("content")})
            elif "output" in item:  # the result of a tool
                found.append({"role": "tool", "content": item["output"]})
        return found

    def slots(self, answer: Mapping[str, Any]) -> list[Slot]:
        if not isinstance(answer.get("output"), list):
            raise not_an_answer("output")
        return [slot for index, item in enumerate(answer["output"]) for slot in _item_slots(index, item)]

    def stop(self, answer: dict[str, Any], choice: int) -> None:
        answer |= {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}

    def events(self, answer: Mapping[str, Any]) -> Iterator[Event]:
        begun = {**answer, "output": [], "status": "in_progress"}
        yield {"type": "response.created", "response": begun, "sequence_number": 0}
        for index, item in enumerate(dicts(answer.get("output"))):
            yield from _item_events(index, item)
        ended = "incomplete" if answer.get("status") == "incomplete" else "completed"
        yield {"type": f"response.{ended}", "response": dict(answer), "sequence_number": 0}

    def is_failure(self, event: Event) -> bool:
        return event.get("type") in ("error", "response.failed") or bool(event.get("error"))

    def pieces(self, event: Event) -> Iterable[StreamPiece]:
        kind = str(event.get("type"))
        family, _, step = kind.rpartition(".")
        if family in _KINDS and step == "delta" and isinstance(text := event.get("delta"), str):
            key = _key(event, *_KINDS[family][:2])
            self._read.add(key)
            yield StreamPiece(event, key, text)
            return
        for slot in self._repeated(event):  # a server may give a text whole and never piece by piece
            if slot.key not in self._read:
                self._read.add(slot.key)
                yield StreamPiece(None, slot.key, slot.text)
        self.complete |= kind in _ENDS
        yield StreamPiece(event, last=kind in _ENDS)

    def _repeated(self, event: Event) -> list[Slot]:
        """The texts that an event repeats."""
        kind = str(event.get("type"))
        family, _, step = kind.rpartition(".")
        if family in _KINDS and step == "done":
            place, index, field = _KINDS[family]
            return [Slot(_key(event, place, index), event.get(field) or "", partial(event.__setitem__, field))]
        if family in _PARTS and isinstance(part := event.get("part"), dict):
            place = _PARTS[family]
            return _part_slots(_key(event, place, f"{place}_index"), part)
        if family == "response.output_item" and isinstance(item := event.get("item"), dict):
            return _item_slots(event.get("output_index") or 0, item)
        if kind in _ENDS and isinstance(response := event.get("response"), dict):
            return self.slots(response)
        return []

    def with_text(self, event: Event, text: str) -> Event:
        return event | {"delta": text} | ({"logprobs": []} if "logprobs" in event else {})

    def rewrite(self, event: Event, texts: Mapping[TextKey, str], stopped: set[int]) -> Event:
        event = deepcopy(event)
        for slot in self._repeated(event):
            if slot.key in texts and slot.text:
                slot.put(texts[slot.key])
        if event.get("type") in _ENDS and stopped:
            self.stop(event["response"], 0)
            event["type"] = "response.incomplete"
        return event

    def attach(self, event: Event | None, note: Mapping[str, Any]) -> Event:
        told = event or {"type": "response.completed", "response": self._response, "sequence_number": 0}
        return told | {"assay": dict(note), "response": told["response"] | {"assay": dict(note)}}

    def closing(self, note: Mapping[str, Any], say: str = "") -> Iterator[Event]:
        for index in sorted(self._items.keys() - self._items_done):
            yield from _item_events(index, self._items[index] | {"status": "incomplete"}, self._done, opened=True)
        if say:
            content = [{"type": "output_text", "text": say, "annotations": [], "logprobs": []}]
            item = {"id": "msg_assay", "type": "message", "role": "assistant", "status": "incomplete"}
            yield from _item_events(max(self._items, default=-1) + 1, item | {"content": content})
        response = self._response | {"output": [self._items[index] for index in sorted(self._items)]}
        self.stop(response, 0)
        yield self.attach({"type": "response.incomplete", "response": response, "sequence_number": 0}, note)

    def sent(self, event: Event) -> Event:
        if "sequence_number" in event:  # events may have been cut in two or left out
            event = event | {"sequence_number": self._number}
            self._number += 1
        kind, index = str(event.get("type")), event.get("output_index") or 0
        family, _, step = kind.rpartition(".")
        if isinstance(response := event.get("response"), dict):
            self._response = response
        elif kind == "response.output_item.added":
            self._items[index] = deepcopy(event["item"])
        elif kind == "response.output_item.done":
            self._items[index] = event["item"]
            self._items_done.add(index)
        elif family in _PARTS and index in self._items:
            place = _PARTS[family]
            if step == "added":
                self._items[index].setdefault(place, []).append(deepcopy(event["part"]))
            else:
                self._done.add((index, place, event.get(f"{place}_index") or 0))
        elif family in _KINDS and step == "delta":
            place, number, _ = _KINDS[family]
            parts = self._items.get(index, {}).get(place) or []
            if (event.get(number) or 0) < len(parts):
                part = parts[event.get(number) or 0]
                field = _TEXTS.get(str(part.get("type")), "text")
                part[field] = (part.get(field) or "") + event["delta"]
        return event

    def error(self, problem: Problem) -> Event:
        told = {"message": problem.detail, "code": problem.kind, "param": None}
        return {"type": "error", **told, "error": told | {"type": problem.kind}, "sequence_number": 0}

    def facts(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        response = answer.get("response") if "response" in answer else answer
        if not isinstance(response, Mapping) or "model" not in response:
            return {}
        found = {"gen_ai.response.id": response.get("id"), "gen_ai.response.model": response["model"]}
        if (ended := response.get("status")) in ("completed", "incomplete"):
            reason = (response.get("incomplete_details") or {}).get("reason")
            found["gen_ai.response.finish_reasons"] = [reason or ("stop" if ended == "completed" else ended)]
        return found | usage_facts(response.get("usage"), "input_tokens", "output_tokens")


def _key(event: Event, place: str, index: str) -> TextKey:
    return TextKey(0, f"output.{event.get('output_index') or 0}.{place}.{event.get(index) or 0}")


def _part_slots(key: TextKey, part: dict[str, Any]) -> list[Slot]:
    field = _TEXTS.get(str(part.get("type")))
    if field is None or not isinstance(text := part.get(field), str) or not text:
        return []

    def put(text: str) -> None:
        part[field] = text
        if part.get("annotations"):
            part["annotations"] = []  # their offsets were those of the text that stood here

    return [Slot(key, text, put)]


def _item_slots(index: int, item: Any) -> list[Slot]:
    return [
        slot
        for place in ("summary", "content")
        if isinstance(item, dict)
        for number, part in enumerate(item.get(place) or [])
        if isinstance(part, dict)
        for slot in _part_slots(TextKey(0, f"output.{index}.{place}.{number}"), part)
    ]


def _item_events(
    index: int, item: dict[str, Any], done: set[tuple[int, str, int]] | None = None, *, opened: bool = False
) -> Iterator[Event]:
    """The events of one whole item; of an `opened` one those that are still to come."""
    at = {"item_id": item.get("id"), "output_index": index, "sequence_number": 0}
    if not opened:
        bare = item | {place: [] for place in ("summary", "content") if isinstance(item.get(place), list)}
        yield {"type": "response.output_item.added", "item": bare | {"status": "in_progress"}, **at}
    for family, place in _PARTS.items():
        for number, part in enumerate(item.get(place) or []):
            field = _TEXTS.get(str(part.get("type")))
            place_at = at | {f"{place}_index": number}
            if (index, place, number) in (done or ()):
                continue
            name = "reasoning_summary_text" if place == "summary" else str(part.get("type"))
            if not opened:
                yield {"type": f"{family}.added", "part": part | ({field: ""} if field else {}), **place_at}
                if field:
                    yield {"type": f"response.{name}.delta", "delta": part[field], "logprobs": [], **place_at}
            if field:
                yield {"type": f"response.{name}.done", field: part[field], "logprobs": [], **place_at}
            yield {"type": f"{family}.done", "part": part, **place_at}
    yield {"type": "response.output_item.done", "item": item, **at}
