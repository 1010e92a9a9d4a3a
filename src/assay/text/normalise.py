"""Text brought to a normal form, with a map from every stretch of the result back to the raw text.

The map is sparse: it keeps only the places where the length changed ("a  b" → "a b"), layer by layer, so that a
five-megabyte source costs a few thousand entries and not a list of five million offsets.

>>> mapped = fold("  The  CAFE\\u0301 ")
>>> mapped.text
'the café'
>>> mapped.to_original(4, 8).of(mapped.original)
'CAFE\\u0301'
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from assay.confusables import Edit, find_disguises
from assay.errors import UsageError
from assay.types import Span

_LIGATURE = re.compile("[\ufb00-\ufb06]")  # "ﬁnal" in the text of a PDF is "final"


@dataclass(frozen=True, slots=True)
class EditLayer:
    """Where each changed stretch starts and ends, in the text before and after; all else moved along unchanged."""

    starts: list[int]
    ends: list[int]
    new_starts: list[int]
    new_ends: list[int]

    @classmethod
    def of(cls, lengths: Iterable[tuple[int, int, int]]) -> EditLayer:
        """The layer of changes given as (start, end, new length)."""
        starts: list[int] = []
        ends: list[int] = []
        new_starts: list[int] = []
        new_ends: list[int] = []
        shift = 0
        for start, end, length in lengths:
            starts.append(start)
            ends.append(end)
            new_starts.append(start + shift)
            new_ends.append(start + shift + length)
            shift += length - (end - start)
        return cls(starts, ends, new_starts, new_ends)

    @classmethod
    def apply(cls, text: str, edits: list[Edit]) -> tuple[str, EditLayer | None]:
        """The text with the edits made, and their layer (none if no edit was made)."""
        if not edits:
            return text, None
        pieces: list[str] = []
        done = 0
        for start, end, new in edits:
            pieces.append(text[done:start])
            pieces.append(new)
            done = end
        pieces.append(text[done:])
        return "".join(pieces), cls.of((start, end, len(new)) for start, end, new in edits)

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """The smallest stretch before the changes that made `[start, end)` after them."""
        first = self._start_before(start)
        return (first, first) if start == end else (first, self._end_before(end - 1))

    def _start_before(self, offset: int) -> int:
        at = bisect_right(self.new_starts, offset) - 1
        if at < 0:
            return offset
        if offset < self.new_ends[at]:
            return self.starts[at]
        return self.ends[at] + offset - self.new_ends[at]

    def _end_before(self, last: int) -> int:
        at = bisect_right(self.new_starts, last) - 1
        if at < 0:
            return last + 1
        if last < self.new_ends[at]:
            return self.ends[at]
        return self.ends[at] + last + 1 - self.new_ends[at]


@dataclass(frozen=True)
class Mapped:
    """A text made from another one, and the way back."""

    original: str
    text: str
    _layers: tuple[EditLayer, ...] = field(default=(), repr=False, compare=False)

    def to_original(self, start: int, end: int) -> Span:
        """The smallest span of `original` that produced `text[start:end]`."""
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"{start}–{end} is not a stretch of a text of {len(self.text)} characters")
        for layer in reversed(self._layers):
            start, end = layer.to_original(start, end)
        return Span(start, end)

    def then(self, step: Callable[[str], Mapped]) -> Mapped:
        """This text after one more step, still mapped to the first original."""
        after = step(self.text)
        return Mapped(self.original, after.text, self._layers + after._layers)


def fold(text: str) -> Mapped:
    """The normal form norm-v1: NFC, white space runs as one space, trimmed, lower case."""
    composed, first = _compose(text)
    spaced, second = _squeeze(composed)
    lowered, third = _lower(spaced)
    return Mapped(text, lowered, tuple(layer for layer in (first, second, third) if layer))


def strip_markup(text: str, markup: str) -> Mapped:
    """The prose of a text in `markup`: plain, markdown, html or wikitext."""
    if markup == "plain":
        return Mapped(text, text)
    finder = _FINDERS.get(markup)
    if finder is None:
        raise UsageError(f"unknown markup {markup!r}; use plain, {', '.join(sorted(_FINDERS))}")
    prose, layer = EditLayer.apply(text, finder(text))
    return Mapped(text, prose, (layer,) if layer else ())


def reveal(text: str) -> Mapped:
    """The text as it looks: without zero-width and bidirectional marks, with Latin letters for their lookalikes."""
    shown, layer = EditLayer.apply(text, find_disguises(text))
    return Mapped(text, shown, (layer,) if layer else ())


def normalise(text: str, markup: str = "plain") -> Mapped:
    """The prose of a text, as it looks, in its normal form, with ligatures written out."""
    prose = strip_markup(text, markup)
    return (prose if text.isascii() else prose.then(reveal).then(_split_ligatures)).then(fold)


def _split_ligatures(text: str) -> Mapped:
    edits = [(m.start(), m.end(), unicodedata.normalize("NFKC", m[0])) for m in _LIGATURE.finditer(text)]
    plain, layer = EditLayer.apply(text, edits)
    return Mapped(text, plain, (layer,) if layer else ())


def _find_markdown(text: str) -> list[Edit]:
    from assay.text.markdown import find_markdown

    return find_markdown(text)


def _find_html(text: str) -> list[Edit]:
    from assay.text.markup import find_html

    return find_html(text)


def _find_wikitext(text: str) -> list[Edit]:
    from assay.text.markup import find_wikitext

    return find_wikitext(text)


_FINDERS: dict[str, Callable[[str], list[Edit]]] = {
    "markdown": _find_markdown,
    "html": _find_html,
    "wikitext": _find_wikitext,
}

_SPACES = re.compile(r"\s\s+")
_CHUNK = 1024
# The standard library sorts combining marks in quadratic time: a longer pile of them on one letter is left as it is.
_LONGEST_PILE = 256


def _squeeze(text: str) -> tuple[str, EditLayer | None]:
    """White space runs as one space, ends trimmed; a lone newline becomes a space without an entry in the map."""
    words = text.split()
    if not words:
        return "", EditLayer.of([(0, len(text), 0)]) if text else None
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    edits: list[tuple[int, int, int]] = [(0, first, 0)] if first else []
    edits += [(match.start(), match.end(), 1) for match in _SPACES.finditer(text, first, last)]
    if last < len(text):
        edits.append((last, len(text), 0))
    return " ".join(words), EditLayer.of(edits) if edits else None


def _lower(text: str) -> tuple[str, EditLayer | None]:
    """Lower case; 'İ' is the one letter that grows by it ('i' and a dot above)."""
    edits = [(match.start(), match.end(), 2) for match in re.finditer("İ", text)]
    return text.lower(), EditLayer.of(edits) if edits else None


def _compose(text: str) -> tuple[str, EditLayer | None]:
    """NFC, with an entry for each letter that changed its length."""
    if text.isascii():
        return text, None
    joining, changing = _classify(text)
    if not joining and not changing:
        return text, None
    edits: list[Edit] = []
    cluster = _cluster_pattern(joining, changing)
    for start, end in _chunks(text, joining):
        if end - start <= 4 * _CHUNK and unicodedata.is_normalized("NFC", text[start:end]):
            continue
        for match in cluster.finditer(text, start, end):
            letters = match.group()
            if len(letters) <= _LONGEST_PILE and (composed := unicodedata.normalize("NFC", letters)) != letters:
                edits.append((match.start(), match.end(), composed))
    return EditLayer.apply(text, edits)


def _classify(text: str) -> tuple[str, str]:
    """The characters of the text that may join the one before, and those that change by themselves."""
    beyond = sorted(char for char in set(text) if char > "\u02ff")
    joining = "".join(char for char in beyond if _joins(char))
    changing = "".join(char for char in beyond if char not in joining and not unicodedata.is_normalized("NFC", char))
    return joining, changing


def _joins(char: str) -> bool:
    """Whether composition can tie a character to the one before: marks, and the vowels and finals of Hangul."""
    return unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff" or "\U00016d40" <= char <= "\U00016d7f"


def _cluster_pattern(joining: str, changing: str) -> re.Pattern[str]:
    """A letter with the characters that join it, or a character that changes alone."""
    parts = []
    if joining:
        parts.append(f"[^{re.escape(joining)}]?[{re.escape(joining)}]+")
    if changing:
        parts.append(f"[{re.escape(changing)}]")
    return re.compile("|".join(parts), re.DOTALL)


def _chunks(text: str, joining: str) -> Iterator[tuple[int, int]]:
    """Stretches that can be composed each on its own: none starts with a character that joins the one before."""
    start, marks = 0, frozenset(joining)
    while start < len(text):
        end = min(start + _CHUNK, len(text))
        while end < len(text) and text[end] in marks:
            end += 1
        yield start, end
        start = end
