"""The text of a message that a reader sees, whichever field it stands in."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

from assay.server.guard.verdicts import Outcome

# In the order in which a model writes them; different servers name the reasoning differently.
VISIBLE = ("reasoning_content", "reasoning", "content", "refusal")
_PART_TEXTS = ("text", "refusal", "output_text", "thinking")
_ORDER = ("REFUTED", "ERROR", "INSUFFICIENT", "SUPPORTED", "NOT_CHECKABLE")


def visible_texts(message: Mapping[str, Any]) -> dict[str, str]:
    """The texts of a message or of a delta by field; the parts of a list are read as one text, as they are shown."""
    found = {}
    for name in VISIBLE:
        value = message.get(name)
        if isinstance(value, list):
            value = "".join(_text_of(part) for part in value)
        if isinstance(value, str) and value:
            found[name] = value
    return found


def put_text(message: MutableMapping[str, Any], name: str, text: str) -> None:
    """Replaces the text of a field; in a list of parts the first one with text carries it, and the others go."""
    value = message.get(name)
    if not isinstance(value, list):
        message[name] = text
        return
    told = [part for part in value if _text_of(part)]
    rest = [part for part in value if not _text_of(part)]
    first: Any = {"type": "text", "text": text} if isinstance(told[0], dict) else text
    message[name] = [first, *rest]


def worst_note(outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
    """The note of the field with the worst verdict; with several fields, its name and the notes of all of them."""
    notes = {name: outcome.note for name, outcome in outcomes.items()}
    name = min(notes, key=lambda one: _ORDER.index(notes[one]["verdict"]))
    return notes[name] if len(notes) == 1 else notes[name] | {"field": name, "fields": notes}


def _text_of(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    return "".join(value for name in _PART_TEXTS if isinstance(value := part.get(name), str))
