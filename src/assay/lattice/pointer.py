"""The pointer form: one claim a line, with its pointers in square brackets anywhere in the line.

>>> [(claim.text, claim.pointers) for claim in read_pointer_answer("Paris is in France [e1, E4].\\nSo it goes.").claims]
[('Paris is in France.', ('E1', 'E4')), ('So it goes.', ())]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.lattice.draft import Draft, DraftClaim, collapse
from assay.lattice.kinds import Form
from assay.types import Span

# A bracket never reaches over another opening bracket, so a line of a million of them is still read once.
_BRACKET = re.compile(r"\[([^\[\]\r\n]*)\]")
_SEPARATOR = re.compile(r"[\s,;&]+(?:and[\s,;&]+)?", re.IGNORECASE)
_POINTER = re.compile(r"E(?:[0-9]{1,9}|[0-9a-f]{8})\Z", re.IGNORECASE)
_LIST_MARK = re.compile(r"(?:[-*+•–]|#{1,6}|[0-9]{1,3}[.)])[ \t]+")
_SPACE_BEFORE_STOP = re.compile(r"(?<!\s)[ \t]+(?=[.,;:!?](?:\s|\Z))")
_SPACES = re.compile(r"\s+")


def read_pointer_answer(answer: str) -> Draft:
    """Every line with a word or a tag as a claim; rules and fences ("---", "```") say nothing and are passed over."""
    return Draft(Form.POINTER, answer, tuple(_read_lines(answer)))


def has_tag(answer: str) -> bool:
    """Whether the answer cites anything by pointer."""
    return any(_pointers_in(bracket) for bracket in _BRACKET.finditer(answer))


def _read_lines(answer: str) -> Iterator[DraftClaim]:
    offset = 0
    for line in answer.splitlines(keepends=True):
        if not line.isspace() and (claim := _read_line(line, offset)):
            yield claim
        offset += len(line)


def _read_line(line: str, offset: int) -> DraftClaim | None:
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
    return DraftClaim(text, collapse(pointers), Span(offset + start, offset + start + len(stripped)))


def _pointers_in(bracket: re.Match[str]) -> list[str]:
    """The pointers of a bracket that holds nothing else; "[Edison]" and "[E1, p. 3]" are the author's own words."""
    pieces = [piece for piece in _SEPARATOR.split(bracket[1]) if piece]
    return pieces if pieces and all(_POINTER.match(piece) for piece in pieces) else []


def _tidy(text: str) -> str:
    """The claim without the holes its tags leave ("France [E1]." → "France.")."""
    text = _SPACE_BEFORE_STOP.sub("", _SPACES.sub(" ", text).strip())
    return text if any(sign.isalnum() for sign in text) else ""
