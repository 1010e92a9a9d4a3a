"""The two forms of a lattice answer, read into claims with their pointers.

The pointer form is one claim a line, with its pointers in square brackets anywhere in the line:

>>> [(claim.text, claim.pointers) for claim in read_pointer_answer("Paris is in France [e1, E4].\\nSo it goes.").claims]
[('Paris is in France.', ('E1', 'E4')), ('So it goes.', ())]

The JSON form, `{"claims": [{"text": …, "evidence_ids": […]}]}`, is read leniently on syntax and strictly on meaning:

>>> parsed = read_json_answer('{"claims": [{"text": "Paris is in France", "evidence_ids": ["E1", "E2')
>>> parsed.claims[0].pointers  # the id that was cut off could have been E2 or E21
('E1',)
>>> parsed.fixups
('close_string', 'close_bracket', 'close_brace')
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

from assay.lattice.json_repair import LIST, OBJECT, STRAIGHT, STRING, JsonNode, find_object, read_object
from assay.lattice.result import AnswerForm
from assay.types import Span


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    """A claim as written: its words, the pointers it cites, and where it stands in the answer."""

    text: str
    pointers: tuple[str, ...]
    span: Span
    problem: str = ""  # what makes it unreadable as a claim, e.g. "text is a number"


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The claims of an answer, the repairs it took to read them, or why it cannot be read."""

    form: AnswerForm
    answer: str
    claims: tuple[ParsedClaim, ...] = ()
    fixups: tuple[str, ...] = ()
    unreadable: str = ""


def _unique_pointers(pointers: Iterable[str]) -> tuple[str, ...]:
    """The pointers in upper case, each once, in the order of first mention."""
    return tuple(dict.fromkeys(pointer.strip().upper() for pointer in pointers))


# The pointer form

# A bracket never reaches over another opening bracket, so a line of a million of them is still read once.
_BRACKET = re.compile(r"\[([^\[\]\r\n]*)\]")
_SEPARATOR = re.compile(r"[\s,;&]+(?:and[\s,;&]+)?", re.IGNORECASE)
_POINTER = re.compile(r"E(?:[0-9]{1,9}|[0-9a-f]{8})\Z", re.IGNORECASE)
_LIST_MARK = re.compile(r"(?:[-*+•–]|#{1,6}|[0-9]{1,3}[.)])[ \t]+")
_SPACE_BEFORE_STOP = re.compile(r"(?<!\s)[ \t]+(?=[.,;:!?](?:\s|\Z))")
_SPACES = re.compile(r"\s+")


def read_pointer_answer(answer: str) -> ParsedAnswer:
    """Every line with a word or a tag as a claim; rules and fences ("---", "```") say nothing and are passed over."""
    return ParsedAnswer(AnswerForm.POINTER, answer, tuple(_read_lines(answer)))


def has_tag(answer: str) -> bool:
    """Whether the answer cites anything by pointer."""
    return any(_pointers_in(bracket) for bracket in _BRACKET.finditer(answer))


def _read_lines(answer: str) -> Iterator[ParsedClaim]:
    offset = 0
    for line in answer.splitlines(keepends=True):
        if not line.isspace() and (claim := _read_line(line, offset)):
            yield claim
        offset += len(line)


def _read_line(line: str, offset: int) -> ParsedClaim | None:
    stripped = line.strip()
    start = len(line) - len(line.lstrip())
    if mark := _LIST_MARK.match(stripped):
        start += mark.end()
        stripped = stripped[mark.end() :]
    pointers: list[str] = []
    pieces: list[str] = []
    at = 0
    for bracket in _BRACKET.finditer(stripped):
        if cited := _pointers_in(bracket):
            pointers += cited
            pieces.append(stripped[at : bracket.start()])
            at = bracket.end()
    pieces.append(stripped[at:])
    text = _tidy(" ".join(pieces)) if pointers else stripped
    if not pointers and not any(sign.isalnum() for sign in stripped):
        return None
    return ParsedClaim(text, _unique_pointers(pointers), Span(offset + start, offset + start + len(stripped)))


def _pointers_in(bracket: re.Match[str]) -> list[str]:
    """The pointers of a bracket that holds nothing else; "[Edison]" and "[E1, p. 3]" are the author's own words."""
    pieces = [piece for piece in _SEPARATOR.split(bracket[1]) if piece]
    return pieces if pieces and all(_POINTER.match(piece) for piece in pieces) else []


def _tidy(text: str) -> str:
    """The claim without the holes its tags leave ("France [E1]." → "France.")."""
    text = _SPACE_BEFORE_STOP.sub("", _SPACES.sub(" ", text).strip())
    return text if any(sign.isalnum() for sign in text) else ""


# The JSON form


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the answer format, for structured output and for checking by others."""
    from importlib.resources import files

    text = files("assay.lattice").joinpath("schema.json").read_text(encoding="utf-8")
    return cast("dict[str, Any]", json.loads(text))


def read_json_answer(answer: str) -> ParsedAnswer:
    """The claims of a JSON answer; whatever cannot be read safely makes the whole answer unreadable."""
    parsed = _parse_json(answer)
    straight = answer.translate(STRAIGHT)
    if straight == answer or _is_whole(parsed):
        return parsed
    # Curly and straight marks are mixed: a string that one kind opens and the other closes seemed to go on.
    mixed = _parse_json(straight)
    if mixed.unreadable or not (parsed.unreadable or _is_whole(mixed) or _size(mixed) > _size(parsed)):
        return parsed
    return replace(mixed, answer=answer, fixups=tuple(dict.fromkeys(("curly_quotes", *mixed.fixups))))


def _is_whole(parsed: ParsedAnswer) -> bool:
    """Whether every claim was read to its end, and no pointer beyond its own."""
    beyond = any('"' in pointer.translate(STRAIGHT) for claim in parsed.claims for pointer in claim.pointers)
    sound = not parsed.unreadable and not beyond and not any(claim.problem for claim in parsed.claims)
    return sound and not {"close_string", "drop_partial_key"} & set(parsed.fixups)


def _size(parsed: ParsedAnswer) -> tuple[int, int]:
    return len(parsed.claims), sum(len(claim.pointers) for claim in parsed.claims)


def _parse_json(answer: str) -> ParsedAnswer:
    reading = read_object(answer)
    problem = reading.problem
    claims: list[JsonNode] = []
    if reading.value is not None:
        found = reading.value.get_all("claims")
        if len(found) != 1:
            problem = 'the object has no "claims"' if not found else 'the object has "claims" more than once'
        elif found[0].kind != LIST:
            problem = f'"claims" is {found[0].kind}, not a list'
        else:
            claims = found[0].items
    return ParsedAnswer(AnswerForm.JSON, answer, tuple(_read_claim(node) for node in claims), reading.fixups, problem)


def looks_like_json(answer: str) -> bool:
    """Whether the answer holds a JSON object with claims, whole or cut off."""
    start = find_object(answer)
    return start >= 0 and answer.find("claims", start) >= 0


def _read_claim(node: JsonNode) -> ParsedClaim:
    span = Span(node.start, node.end)
    if node.kind != OBJECT:
        return ParsedClaim("", (), span, f"it is {node.kind}, not an object")
    text, text_problem = _read_text(node)
    pointers, pointer_problem = _read_pointers(node)
    if text is not None:
        span = Span(text.start, text.end)
    return ParsedClaim(text.text if text else "", pointers, span, text_problem or pointer_problem)


def _read_text(node: JsonNode) -> tuple[JsonNode | None, str]:
    found = node.get_all("text")
    if len(found) != 1:
        return None, 'it has no "text"' if not found else 'it has "text" more than once'
    if found[0].kind != STRING:
        return None, f'its "text" is {found[0].kind}, not a string'
    return found[0], ""


def _read_pointers(node: JsonNode) -> tuple[tuple[str, ...], str]:
    found = node.get_all("evidence_ids")
    if not found:
        return (), ""
    if len(found) > 1:
        return (), 'it has "evidence_ids" more than once'
    if found[0].kind != LIST:
        return (), f'its "evidence_ids" is {found[0].kind}, not a list'
    texts = [item for item in found[0].items if item.kind == STRING]
    # An id that was cut off may be the beginning of another one: E1 of E12.
    pointers = _unique_pointers(text.text for text in texts if not text.cut)
    strange = next((item for item in found[0].items if item.kind != STRING), None)
    return pointers, f"one of its evidence ids is {strange.kind}, not a string" if strange is not None else ""
