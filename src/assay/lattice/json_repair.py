"""A JSON reader that forgives syntax and reports by name every repair it made; it never adds a word of its own.

One pass over the text with an explicit stack, so time is linear and nesting cannot exhaust the interpreter. What it
cannot read it refuses with the place and the reason.

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


@dataclass(frozen=True, slots=True)
class JsonString:
    """A string and the place of its content; `cut` when the answer ended inside it."""

    value: str
    start: int
    end: int
    cut: bool = False


@dataclass(frozen=True, slots=True)
class JsonScalar:
    """A number, true, false or null: nothing the answer format has a use for, so it is kept unread."""

    start: int
    end: int


@dataclass(slots=True)
class JsonArray:
    """A list of nodes."""

    start: int
    end: int = 0
    items: list[JsonNode] = field(default_factory=list)


@dataclass(slots=True)
class JsonObject:
    """Keys with their nodes, in order; a key written twice is there twice."""

    start: int
    end: int = 0
    members: list[tuple[str, JsonNode]] = field(default_factory=list)

    def get_all(self, key: str) -> list[JsonNode]:
        return [value for name, value in self.members if name == key]


JsonNode = JsonString | JsonScalar | JsonArray | JsonObject


@dataclass(frozen=True, slots=True)
class RepairedJson:
    """The object an answer holds with the repairs it took, or why there is none."""

    value: JsonObject | None
    fixups: tuple[str, ...] = ()
    problem: str = ""


class _UnreadableError(Exception):
    """The text is not JSON even with every repair."""


_CURLY = "“”„‟"
STRAIGHT = str.maketrans(_CURLY, '"' * len(_CURLY))
_START = re.compile(rf'\{{\s*["{_CURLY}]')
_PLAIN = re.compile(r'[^"\\]*')
_PLAIN_IN_CURLY = re.compile(rf"[^{_CURLY}\\]*")
_SPACE = re.compile(r"\s*")
_SCALAR = re.compile(r"[A-Za-z0-9+\-.]+")
_LITERAL = re.compile(r"(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\Z")
_HEX = re.compile(r"[0-9a-fA-F]{4}")
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
    """The state of one pass: the open containers, the key that waits for a value, what was repaired."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.fixups: dict[str, None] = {}
        self.stack: list[JsonArray | JsonObject] = []
        self.keys: list[str | None] = []  # for each open container, the key whose value is due
        self.after_comma = False

    def read(self) -> JsonObject:
        """The object that starts here; the position ends behind it."""
        root = JsonObject(self.at)
        self.at += 1
        self._open(root)
        while self.stack:
            self.at = self._space()
            if self.at == len(self.text):
                self._close_all()
            elif isinstance(self.stack[-1], JsonObject) and self.keys[-1] is None:
                self._read_key(self.stack[-1])
            else:
                self._read_value()
        return root

    def _space(self) -> int:
        found = _SPACE.match(self.text, self.at)
        return found.end() if found else self.at

    def _fail(self, expected: str) -> _UnreadableError:
        return _UnreadableError(f"expected {expected} at character {self.at}, found {self.text[self.at]!r}")

    def _open(self, node: JsonArray | JsonObject) -> None:
        if len(self.stack) == _DEEPEST:
            raise _UnreadableError(f"nested more than {_DEEPEST} levels deep at character {self.at}")
        self.stack.append(node)
        self.keys.append(None)
        self.after_comma = False

    def _read_key(self, node: JsonObject) -> None:
        """One key and its colon, or the end of the object."""
        sign = self.text[self.at]
        if sign == "}":
            self._end()
            return
        if node.members and not self.after_comma:
            raise self._fail("a comma or a closing brace")
        if sign != '"' and sign not in _CURLY:
            raise self._fail("a key in double quotes")
        key = self._read_string()
        self.at = self._space()
        if key.cut or self.at == len(self.text):
            self._repair("drop_partial_key")
            return
        if self.text[self.at] != ":":
            raise self._fail(f"a colon after the key {key.value!r}")
        self.at += 1
        self.keys[-1] = key.value
        self.after_comma = False

    def _read_value(self) -> None:
        """One value, or the end of the list."""
        node = self.stack[-1]
        sign = self.text[self.at]
        if isinstance(node, JsonArray):
            if sign == "]":
                self._end()
                return
            if node.items and not self.after_comma:
                raise self._fail("a comma or a closing bracket")
        self.after_comma = False
        if sign == "{":
            self.at += 1
            self._open(JsonObject(self.at - 1))
        elif sign == "[":
            self.at += 1
            self._open(JsonArray(self.at - 1))
        elif sign == '"' or sign in _CURLY:
            text = self._read_string()
            if text.cut:
                self._repair("close_string")
            self._place(text)
        else:
            self._place(self._read_scalar())

    def _read_scalar(self) -> JsonScalar:
        found = _SCALAR.match(self.text, self.at)
        if not found:
            raise self._fail("a value")
        whole = found.end() < len(self.text)
        if whole and not _LITERAL.match(found.group()):
            raise self._fail("a value")
        self.at = found.end()
        return JsonScalar(found.start(), found.end())

    def _place(self, value: JsonNode) -> None:
        """Hands a finished value to its container and takes the comma behind it."""
        node = self.stack[-1]
        if isinstance(node, JsonArray):
            node.items.append(value)
        else:
            node.members.append((self.keys[-1] or "", value))
            self.keys[-1] = None
        self.at = self._space()
        if self.at < len(self.text) and self.text[self.at] == ",":
            self.at += 1
            self.after_comma = True

    def _end(self) -> None:
        """The innermost container is complete."""
        if self.after_comma:
            self._repair("trailing_comma")
        self.at += 1
        self._pop()

    def _pop(self) -> None:
        node = self.stack.pop()
        self.keys.pop()
        node.end = self.at
        self.after_comma = False
        if self.stack:
            self._place(node)

    def _close_all(self) -> None:
        """The text ended too early: drops what dangles and closes what is open."""
        while self.stack:
            if self.keys[-1] is not None:
                self._repair("drop_partial_key")
            if self.after_comma:
                self._repair("strip_trailing_comma")
            self._repair("close_brace" if isinstance(self.stack[-1], JsonObject) else "close_bracket")
            self._pop()

    def _repair(self, name: str) -> None:
        self.fixups.setdefault(name)

    def _read_string(self) -> JsonString:
        """The string that starts here; curly marks may stand for the straight ones, on both sides."""
        curly = self.text[self.at] in _CURLY
        if curly:
            self._repair("curly_quotes")
        plain = _PLAIN_IN_CURLY if curly else _PLAIN
        start = self.at + 1
        at = start
        pieces: list[str] = []
        while True:
            found = plain.match(self.text, at)
            if found:
                pieces.append(found.group())
                at = found.end()
            if at == len(self.text):
                return self._cut_string(pieces, start)
            if self.text[at] != "\\":
                self.at = at + 1
                return JsonString(_join(pieces), start, at)
            escaped, at = self._read_escape(at)
            if at < 0:
                return self._cut_string(pieces, start)
            pieces.append(escaped)

    def _cut_string(self, pieces: list[str], start: int) -> JsonString:
        self.at = len(self.text)
        value = _join(pieces)
        if value and "\ud800" <= value[-1] <= "\udbff":
            value = value[:-1]  # the first half of an emoji is not what the author wrote
        return JsonString(value, start, self.at, cut=True)

    def _read_escape(self, at: int) -> tuple[str, int]:
        """What a backslash stands for and where it ends; -1 when the text ends inside it."""
        sign = self.text[at + 1 : at + 2]
        if sign in _ESCAPES:
            return _ESCAPES[sign], at + 2
        if sign == "u":
            digits = _HEX.match(self.text, at + 2)
            if digits:
                return chr(int(digits.group(), 16)), at + 6
            if len(self.text) < at + 6 and all(digit in "0123456789abcdefABCDEF" for digit in self.text[at + 2 :]):
                return "", -1
        elif not sign:
            return "", -1
        self.at = at
        raise self._fail("a JSON escape")


def _join(pieces: list[str]) -> str:
    """The pieces as one string, with escaped surrogate pairs joined into the signs they stand for."""
    text = "".join(pieces)
    if any("\ud800" <= piece <= "\udfff" for piece in pieces if len(piece) == 1):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text
