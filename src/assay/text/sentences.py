"""Sentences by rule, in one pass: where a stop ends one, and where it belongs to "Dr.", "3.14" or "J. R. R. Tolkien".

>>> text = "Dr. Li paid 3.5 € in May. Was it fair? No."
>>> [sentence.span.of(text) for sentence in split_sentences(text)]
['Dr. Li paid 3.5 € in May.', 'Was it fair?', 'No.']
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from assay.text.abbreviations import BEFORE_NAME, BEFORE_NUMBER, INNER, OPENERS, OTHER
from assay.text.blocks import find_blocks
from assay.types import Span


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, bullet, heading, table row or code block, without its marks."""

    span: Span
    kind: str


# Every run of stops is looked at once, whatever follows it: a text of a million dots is one run.
_STOP = re.compile(r"(?:[.!?…‽]++|[。！？｡．؟।॥۔︒]++)[\"'”’»)\]}*_`」』）】〉》]*+")
_WIDE = frozenset("。！？｡．؟।॥۔︒")
# "It rose.[1] Then" and "It rose. [1] Then": the anchor goes with the sentence it backs.
_ANCHOR = re.compile(
    r"[ \t]{0,2}(?:\[(?:\^?\d{1,4}(?:[ ]?[-–,;][ ]?\d{1,4})*|E\d{1,4}(?:[ ]?[,;][ ]?E\d{1,4})*|cite:[^\[\]\s]{1,80})\]"
    r"|\((?:[Ss]ources?|[Ss]rc|[Rr]ef|[Ss]ee)\b[^()\n]{0,300}\)\.?)"
)
_LAST_WORD = re.compile(r"[^\s\"'“‘(\[{«*_`/\-–—]*$")
_NEXT_WORD = re.compile(r"[\"'“‘«(\[*_`]{0,3}([^\W_]*)")
_DOTTED = re.compile(r"[^\W\d_]{1,2}(?:\.[^\W\d_]{1,3})+")
_WORD_REACH = 24
_PASSAGE = 4_000  # characters; a whole document is split once and not kept


def split_sentences(text: str) -> list[Sentence]:
    """The sentences in order; only white space and the marks of lists, headings and tables lie outside."""
    return list(_split_short(text)) if len(text) <= _PASSAGE else _split_text(text)


@lru_cache(maxsize=1024)  # the words, the numbers and the model each want the sentences of a passage
def _split_short(text: str) -> tuple[Sentence, ...]:
    return tuple(_split_text(text))


def _split_text(text: str) -> list[Sentence]:
    found: list[Sentence] = []
    for block in find_blocks(text):
        if block.kind in ("prose", "bullet"):
            pieces = _split(text, block.start, block.end)
        else:
            pieces = iter(((block.start, block.end),))
        for start, end in pieces:
            if span := _trimmed(text, start, end):
                found.append(Sentence(span, block.kind))
    return found


def _trimmed(text: str, start: int, end: int) -> Span | None:
    stretch = text[start:end]
    kept = stretch.strip()
    if not kept:
        return None
    start += len(stretch) - len(stretch.lstrip())
    return Span(start, start + len(kept))


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences of one paragraph."""
    at = start
    while stop := _STOP.search(text, at, end):
        at = stop.end()
        while anchor := _ANCHOR.match(text, at, end):
            at = anchor.end()
        if _ends_sentence(text, start, stop, at, end):
            yield start, at
            start = at
    if start < end:
        yield start, end


def _ends_sentence(text: str, start: int, stop: re.Match[str], at: int, end: int) -> bool:
    """Whether a sentence ends with this run of stops; `at` is where the anchors behind it end."""
    mark = text[stop.start()]
    if mark in _WIDE:
        return True
    if at < end and not text[at].isspace():
        return False
    after = _skip_space(text, at, end)
    if after == end:
        return True
    following = _NEXT_WORD.match(text, after, end)
    word = following[1] if following else ""
    if len(word) == 1 and following and text.startswith(".", following.end()):
        # The "A" of "J. A. Smith" is no article.
        word = word + "."
    lower = word[:1].islower()
    if stop.group()[0] != "." or len(stop.group()) > 1:
        return _ends_loudly(stop.group(), lower)
    return _ends_at_dot(text, start, stop.start(), word, lower)


def _skip_space(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at


def _ends_loudly(marks: str, lower: bool) -> bool:
    """For "!", "?", "…" and stops inside quotes: '"Really?" he asked' and "Yahoo! said" go on."""
    return not lower or marks.rstrip(")*_]") in ("?", "??", "?!", ".")


def _ends_at_dot(text: str, start: int, dot: int, following: str, lower: bool) -> bool:
    """For a single full stop with a space behind it."""
    word = _word_before(text, start, dot)
    known = word.lower()
    if word.isdecimal():
        # "1. First" is a number of a list, "in 1990. Then" an end.
        return not lower and text[start:dot].strip() != word
    if known in BEFORE_NAME or (known in BEFORE_NUMBER and following[:1].isdigit()):
        return False
    opens = following.lower() in OPENERS and not lower
    if len(word) == 1 and word.isalpha():
        # "John F. Kennedy" goes on, "vitamin C. It" does not.
        return opens or (not word.isupper() and not lower)
    if known in INNER:
        return False
    if known in OTHER or _DOTTED.fullmatch(word):
        # "the U.S. Army" goes on, "in the U.S. The" does not.
        return opens
    return not lower or (len(word) > 3 and word.isalpha())


def _word_before(text: str, start: int, dot: int) -> str:
    match = _LAST_WORD.search(text, max(start, dot - _WORD_REACH), dot)
    return match.group() if match else ""
