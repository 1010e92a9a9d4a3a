"""The words of a text in the form they are compared in: "Curie's 8,849 m" is `curie`, `s`, `8849`, `m`.

Hyphens and apostrophes part words, thousands commas go, and the signs that change what a number says ("%", "$", a
minus) stay as words of their own; other punctuation is dropped. Two texts with the same words say the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from assay.text.normalise import Mapped, normalise
from assay.text.tokens import STOP_WORDS, WORD, content_words, stem
from assay.text.words import words as word_list
from assay.types import Span

_SIGNS = "%‰$€£¥₹°±<>≤≥=×÷"
# The first branch takes the bulk of English text by the short way.
PIECE = re.compile(rf"[a-z]++(?=[\s.,;:!?)\]\"])|{WORD.pattern}|[{_SIGNS}]|(?<![^\W_])[-−](?=\d)")
"""A word or a sign, in a text that is already in its normal form."""

_DECADE = re.compile(r"(\d{3}0)['’]s")
# "27th" is 27, "100m" is 100 m, "5pm" is 5 pm; "3d" and the magnitudes "5k" and "5bn" are words of their own.
_GLUED = re.compile(r"((?:\d{1,3}(?:,\d{3})++|\d++)(?:\.\d++)?)(?:st|nd|rd|th|(?!(?:k|bn?|mn|tn|d|s|x)\Z)([a-z]{1,4}))")
_PART = re.compile(r"[^'’\-‐‑,]+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})++(?:\.\d++)?")
_BETWEEN = re.compile(r"\d{3}0['’]s(?![^\-‐‑])|[^'’\-‐‑]+")
_NUMBER = re.compile(r"\d[\d,.]*(?:['’]s)?")
_SENTENCE = 1_000  # characters; longer texts are not looked at again and again


def split_piece(piece: str, start: int) -> Iterator[tuple[str, int]]:
    """The comparable words of one piece, each with its place; most pieces are one word and never come here."""
    if piece.isalpha():
        yield piece, start
    elif piece in "-−":
        yield "-", start
    elif _THOUSANDS.fullmatch(piece):
        yield piece.replace(",", ""), start
    else:
        # "co-op" is two words, "1,2,3" three, "2,500-3,000" two: each part is looked at once more for its commas.
        for part in _BETWEEN.finditer(piece):
            if decade := _DECADE.fullmatch(part.group()):
                yield f"{decade[1]}s", start + part.start()
            elif _THOUSANDS.fullmatch(part.group()):
                yield part.group().replace(",", ""), start + part.start()
            elif glued := _GLUED.fullmatch(part.group()):
                yield glued[1].replace(",", ""), start + part.start()
                if glued[2]:
                    yield glued[2], start + part.start() + glued.start(2)
            else:
                yield from ((bit.group(), start + part.start() + bit.start()) for bit in _PART.finditer(part.group()))


def words_of(text: str) -> list[str]:
    """The comparable words of any text.

    >>> words_of("Curie’s 8,849 m — up 5%")
    ['curie', 's', '8849', 'm', 'up', '5', '%']
    """
    return list(_short_words(text)) if len(text) <= _SENTENCE else folded_words(normalise(text).text)


@lru_cache(maxsize=4096)  # a dozen rules look at the same sentence beside the same claim
def _short_words(text: str) -> tuple[str, ...]:
    return tuple(folded_words(normalise(text).text))


def folded_words(text: str) -> list[str]:
    """The comparable words of a text that is already in its normal form."""
    found: list[str] = []
    for match in PIECE.finditer(text):
        piece = match.group()
        if piece.isalpha():
            found.append(piece)
        else:
            found.extend(word for word, _ in split_piece(piece, 0))
    return found


def is_number(word: str) -> bool:
    """Whether a comparable word starts with a digit, so that it must be found as it is."""
    return word[:1].isdigit()


class ContentWord(NamedTuple):
    """A content word as it was written, and its comparable words ("well-known" is two)."""

    shown: str
    words: tuple[str, ...]


def content_of(text: str) -> list[ContentWord]:
    """The content words of a text in order."""
    found: list[ContentWord] = []
    for token in content_words(text):
        words = (token.text.lower(),) if token.text.isascii() and token.text.isalpha() else tuple(words_of(token.text))
        if len(words) > 1 and words[-1] == "s":
            words = words[:-1]
        if words:
            found.append(ContentWord(token.text, words))
    return found


def stems_of(text: str) -> list[str]:
    """The stems of all words of a text that are no stop words, in order."""
    return [stem(word) for word in words_of(text) if word not in STOP_WORDS and word not in _CUT_OFF]


# What an apostrophe leaves behind: "don't" → "don", "t".
_CUT_OFF = word_list("s t d ll re ve m don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn -")


def word_end(text: str, word: str, start: int) -> int:
    """Where a comparable word ends in the normal form it was read from; "8849" may stand there as "8,849"."""
    if text.startswith(word, start):
        return start + len(word)
    number = _NUMBER.match(text, start)
    return start + len(number.group().rstrip(".,")) if number else start + 1


def placed_words(mapped: Mapped) -> Iterator[tuple[str, int, int]]:
    """The comparable words of a normal form, each with its start and end there."""
    for match in PIECE.finditer(mapped.text):
        for word, start in split_piece(match.group(), match.start()):
            yield word, start, word_end(mapped.text, word, start)


def locate_words(words: list[str], text: str) -> Span | None:
    """Where the words stand one after the other in a short text; long ones are for the index.

    >>> locate_words(["8849", "m"], "It is 8,849 m.").of("It is 8,849 m.")
    '8,849 m'
    """
    mapped = normalise(text)
    places = list(placed_words(mapped))
    line = f" {' '.join(word for word, _, _ in places)} "
    at = line.find(f" {' '.join(words)} ") if words else -1
    if at < 0:
        return None
    first = line.count(" ", 0, at)
    return mapped.to_original(places[first][1], places[first + len(words) - 1][2])
