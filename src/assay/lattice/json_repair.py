"""A JSON reader that forgives syntax and reports by name every repair it made; it never adds a word of its own.

One pass over the text, no deeper than a few levels. What it cannot read it refuses with the place and the reason.

>>> reading = read_object('Sure: {"claims": ["a", "b')
>>> reading.fixups
('close_string', 'close_bracket', 'close_brace', 'prose_trim')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

FIXUPS = (
    "fence",
    "prose_trim",
    "curly_quotes",
    "trailing_comma",
    "close_string",
    "drop_partial_key",
    "strip_trailing_comma",
    "close_brace",
    "close_bracket",
)
"""Every repair, by the name under which it is reported."""


STRING, SCALAR, LIST, OBJECT = "a string", "a number or constant", "a list", "an object"


@dataclass(slots=True)
class JsonNode:
    """A string, list, object or scalar and its place, of a string that of its content.

    `cut` is a string in which the answer ended. A key written twice is twice among the members. The answer format has
    no use for numbers and constants, so their values are not read.
    """

    kind: str
    start: int
    end: int = 0
    text: str = ""
    cut: bool = False
    items: list[JsonNode] = field(default_factory=list)
    members: list[tuple[str, JsonNode]] = field(default_factory=list)

    def get_all(self, key: str) -> list[JsonNode]:
        return [value for name, value in self.members if name == key]


@dataclass(frozen=True, slots=True)
class RepairedJson:
    """The object an answer holds with the repairs it took, or why there is none."""

    value: JsonNode | None
    fixups: tuple[str, ...] = ()
    problem: str = ""


class _UnreadableError(Exception):
    """The text is not JSON even with every repair."""


_CURLY = "“”„‟"
STRAIGHT = str.maketrans(_CURLY, '"' * len(_CURLY))
_START = re.compile(rf'\{{\s*["{_CURLY}]')
_PLAIN = re.compile(r'[^"\\]*')
_PLAIN_IN_CURLY = re.compile(rf"[^{_CURLY}\\]*")
_SCALAR = re.compile(r"[A-Za-z0-9+\-.]+")
_LITERAL = re.compile(r"(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\Z")
_ESCAPE = re.compile(r'\\(["\\/bfnrt]|u[0-9a-fA-F]{4})')
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_INFO = re.compile(r"[A-Za-z0-9_+ -]{0,20}\Z")
_CLOSING = re.compile(r"\r?\n[ \t]*+```")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
# The answer format is four levels deep; anything far deeper is an attack or a broken model.
_DEEPEST = 16


def find_object(answer: str) -> int:
    """Where the first JSON object with a key begins, or -1."""
    found = _START.search(answer)
    return found.start() if found else -1


def read_object(answer: str) -> RepairedJson:
    """The one JSON object in an answer, whatever stands around it."""
    start = find_object(answer)
    if start < 0:
        return RepairedJson(None, problem="there is no JSON object in the answer")
    reader = _JsonReader(answer[: _end_of_fence(answer, start)], start)
    try:
        value = reader.read()
        if find_object(answer[reader.at :]) >= 0:
            raise _UnreadableError("there is a second JSON object behind the first")
    except _UnreadableError as problem:
        return RepairedJson(None, tuple(reader.fixups), str(problem))
    for name in _trims(answer[:start], answer[reader.at :]):
        reader.fixups.setdefault(name)
    return RepairedJson(value, tuple(reader.fixups))


def _end_of_fence(answer: str, start: int) -> int:
    """Where what stands in the Markdown fence around `start` ends; without a fence that is closed, with the answer."""
    fence = answer.rfind("```", 0, start)
    if fence < 0 or not _INFO.match(answer[fence + 3 : start].strip()):
        return len(answer)
    if closing := _CLOSING.search(answer, start):
        return closing.start()
    stripped = answer.rstrip()
    return len(stripped.rstrip("`")) if stripped.endswith("```") else len(answer)


def _trims(before: str, after: str) -> Iterator[str]:
    """The names of what stood around the object: a Markdown fence, prose, or both."""
    before, after = before.strip("\ufeff \t\r\n"), after.strip("\ufeff \t\r\n")
    fence = before.rfind("```")
    if fence >= 0 and _INFO.match(before, fence + 3):
        yield "fence"
        before = before[:fence].rstrip("` \t\r\n")
    if after.startswith("```") or (after and not after.strip("`")):  # a closing fence may be cut short too
        yield "fence"
        after = after.lstrip("`").lstrip()
    if before or after:
        yield "prose_trim"


class _JsonReader:
    """One pass over the text: where it has got to, and what was repaired."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at
        self.fixups: dict[str, None] = {}

    def read(self, depth: int = 0) -> JsonNode:
        """The object or list that starts here, to its end; what the answer broke off in is closed."""
        named = self.text[self.at] == "{"
        node = JsonNode(OBJECT if named else LIST, self.at)
        closing, word = ("}", "brace") if named else ("]", "bracket")
        self.at += 1
        if depth == _DEEPEST:
            raise _UnreadableError(f"nested more than {_DEEPEST} levels deep at character {self.at}")
        key: str | None = None
        comma = False
        while not self._is_at_end():
            if key is None and self.text[self.at] == closing:
                if comma:
                    self._repair("trailing_comma")
                self.at += 1
                node.end = self.at
                return node
            if key is None and (node.items or node.members) and not comma:
                raise self._expected(f"a comma or a closing {word}")
            if named and key is None:
                key = self._read_key()
                comma = comma and key is None
                continue
            value = self._read_value(depth)
            if named:
                node.members.append((key or "", value))
                key = None
            else:
                node.items.append(value)
            comma = not self._is_at_end() and self.text[self.at] == ","
            self.at += comma
        if key is not None:
            self._repair("drop_partial_key")
        if comma:
            self._repair("strip_trailing_comma")
        self._repair(f"close_{word}")
        node.end = self.at
        return node

    def _is_at_end(self) -> bool:
        """Skips white space; whether nothing follows."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at == len(self.text)

    def _expected(self, what: str) -> _UnreadableError:
        return _UnreadableError(f"expected {what} at character {self.at}, found {self.text[self.at]!r}")

    def _repair(self, name: str) -> None:
        self.fixups.setdefault(name)

    def _is_mark(self) -> bool:
        return self.text[self.at] in f'"{_CURLY}'

    def _read_key(self) -> str | None:
        """A key and its colon; None for one that was cut off."""
        if not self._is_mark():
            raise self._expected("a key in double quotes")
        key = self._read_string()
        if self._is_at_end() or key.cut:
            self._repair("drop_partial_key")
            return None
        if self.text[self.at] != ":":
            raise self._expected(f"a colon after the key {key.text!r}")
        self.at += 1
        return key.text

    def _read_value(self, depth: int) -> JsonNode:
        if self.text[self.at] in "{[":
            return self.read(depth + 1)
        if self._is_mark():
            string = self._read_string()
            if string.cut:
                self._repair("close_string")
            return string
        found = _SCALAR.match(self.text, self.at)
        if not found or (found.end() < len(self.text) and not _LITERAL.match(found.group())):
            raise self._expected("a value")
        self.at = found.end()
        return JsonNode(SCALAR, found.start(), found.end())

    def _read_string(self) -> JsonNode:
        """The string that starts here; curly marks may stand for the straight ones, on both sides."""
        plain = _PLAIN
        if self.text[self.at] in _CURLY:
            plain = _PLAIN_IN_CURLY
            self._repair("curly_quotes")
        start = at = self.at + 1
        pieces: list[str] = []
        while True:
            if found := plain.match(self.text, at):
                pieces.append(found.group())
                at = found.end()
            if at == len(self.text) or _CUT_ESCAPE.match(self.text, at):
                break
            if self.text[at] != "\\":
                self.at = at + 1
                return JsonNode(STRING, start, at, _join(pieces))
            escape = _ESCAPE.match(self.text, at)
            if escape is None:
                self.at = at
                raise self._expected("a JSON escape")
            pieces.append(_ESCAPES.get(escape[1]) or chr(int(escape[1][1:], 16)))
            at = escape.end()
        self.at = len(self.text)
        text = _join(pieces)
        if text and "\ud800" <= text[-1] <= "\udbff":
            text = text[:-1]  # the first half of an emoji is not what the author wrote
        return JsonNode(STRING, start, self.at, text, cut=True)


def _join(pieces: list[str]) -> str:
    """The pieces as one string, with escaped surrogate pairs joined into the signs they stand for."""
    text = "".join(pieces)
    if any("\ud800" <= piece <= "\udfff" for piece in pieces if len(piece) == 1):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text
