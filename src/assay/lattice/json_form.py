"""The JSON form, `{"claims": [{"text": …, "evidence_ids": […]}]}`: lenient on syntax, strict on meaning.

>>> draft = read_json_answer('{"claims": [{"text": "Paris is in France", "evidence_ids": ["E1", "E2')
>>> draft.claims[0].pointers  # the id that was cut off could have been E2 or E21
('E1',)
>>> draft.fixups
('close_string', 'close_bracket', 'close_brace')
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

from assay.lattice.draft import Draft, DraftClaim, collapse
from assay.lattice.kinds import Form
from assay.lattice.repairs import STRAIGHT, Array, Node, Object, Scalar, Text, find_object, read_object
from assay.types import Span


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the answer format, for structured output and for checking by others."""
    from importlib.resources import files

    text = files("assay.lattice").joinpath("schema.json").read_text(encoding="utf-8")
    return cast("dict[str, Any]", json.loads(text))


def read_json_answer(answer: str) -> Draft:
    """The claims of a JSON answer; whatever cannot be read safely makes the whole draft unreadable."""
    draft = _read_draft(answer)
    straight = answer.translate(STRAIGHT)
    if straight == answer or _is_whole(draft):
        return draft
    # Curly and straight marks are mixed: a string that one kind opens and the other closes seemed to go on.
    mixed = _read_draft(straight)
    if mixed.unreadable or not (draft.unreadable or _is_whole(mixed) or _size(mixed) > _size(draft)):
        return draft
    return replace(mixed, answer=answer, fixups=tuple(dict.fromkeys(("curly_quotes", *mixed.fixups))))


def _is_whole(draft: Draft) -> bool:
    """Whether every claim was read to its end."""
    sound = not draft.unreadable and not any(claim.problem for claim in draft.claims)
    return sound and not {"close_string", "drop_partial_key"} & set(draft.fixups)


def _size(draft: Draft) -> tuple[int, int]:
    return len(draft.claims), sum(len(claim.pointers) for claim in draft.claims)


def _read_draft(answer: str) -> Draft:
    reading = read_object(answer)
    problem = reading.problem
    claims: list[Node] = []
    if reading.value is not None:
        found = reading.value.get_all("claims")
        if len(found) != 1:
            problem = 'the object has no "claims"' if not found else 'the object has "claims" more than once'
        elif not isinstance(found[0], Array):
            problem = f'"claims" is {_kind(found[0])}, not a list'
        else:
            claims = found[0].items
    return Draft(Form.JSON, answer, tuple(_read_claim(node) for node in claims), reading.fixups, problem)


def looks_like_json(answer: str) -> bool:
    """Whether the answer holds a JSON object with claims, whole or cut off."""
    start = find_object(answer)
    return start >= 0 and answer.find("claims", start) >= 0


def _read_claim(node: Node) -> DraftClaim:
    span = Span(node.start, node.end)
    if not isinstance(node, Object):
        return DraftClaim("", (), span, f"it is {_kind(node)}, not an object")
    text, text_problem = _read_text(node)
    pointers, pointer_problem = _read_pointers(node)
    if text is not None:
        span = Span(text.start, text.end)
    return DraftClaim(text.value if text else "", pointers, span, text_problem or pointer_problem)


def _read_text(node: Object) -> tuple[Text | None, str]:
    found = node.get_all("text")
    if len(found) != 1:
        return None, 'it has no "text"' if not found else 'it has "text" more than once'
    if not isinstance(found[0], Text):
        return None, f'its "text" is {_kind(found[0])}, not a string'
    return found[0], ""


def _read_pointers(node: Object) -> tuple[tuple[str, ...], str]:
    found = node.get_all("evidence_ids")
    if not found:
        return (), ""
    if len(found) > 1:
        return (), 'it has "evidence_ids" more than once'
    if not isinstance(found[0], Array):
        return (), f'its "evidence_ids" is {_kind(found[0])}, not a list'
    texts = [item for item in found[0].items if isinstance(item, Text)]
    # An id that was cut off may be the beginning of another one: E1 of E12.
    pointers = collapse(text.value for text in texts if not text.cut)
    strange = next((item for item in found[0].items if not isinstance(item, Text)), None)
    return pointers, f"one of its evidence ids is {_kind(strange)}, not a string" if strange is not None else ""


def _kind(node: Node) -> str:
    names = {Text: "a string", Scalar: "a number or constant", Array: "a list", Object: "an object"}
    return names[type(node)]
