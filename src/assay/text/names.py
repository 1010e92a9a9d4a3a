"""Names in a text, told by their capitals.

>>> [name.key for name in find_names("In 1928 Sir Alexander Fleming worked at Oxford University.")]
['fleming', 'oxford']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.text.comparable import words_of
from assay.text.tokens import WORD, is_stop_word, singular
from assay.text.words import MONTH_NUMBERS, WEEKDAYS, words
from assay.types import Span

# A word, an initial or a run of initials: "O'Brien", "Jean-Luc", "J.", "J.R.R.", "NASA". One look at each character:
# no part can be read in two ways.
_LETTERS = r"(?:[^\W_]|[\u0300-\u036f])*+"
_NAME = re.compile(rf"[^\W\d_]{_LETTERS}(?:[’'\-‐‑][^\W_]{_LETTERS})*+(?:\.(?:[^\W\d_]\.)*+)?")
_PARTICLES = words("de da di du del della der den van von la le el al bin ibn dos das ter ten y")
_BETWEEN_NAMES = _PARTICLES | words("of the and")
_GAPS = frozenset((" ", "\t", "\u00a0", "  "))
_INITIALS = 4  # "J." and "St." carry their dot into the name, "England." does not
# What may be left off a name without making it another one: "Thames River", "Apple Inc".
_SUFFIXES = words("""
    inc ltd llc plc gmbh corp corporation company co group holdings university college institute laboratories labs
    laboratory foundation society association river lake island mountain city county state province district jr sr ii
    iii
""")
_LONGEST_BARE_NAME = 4


@dataclass(frozen=True, slots=True)
class Name:
    """A run of capitalised words; `key` is the word that tells it from others, `opens` when it starts a sentence."""

    text: str
    key: str
    opens: bool


def find_names(text: str) -> list[Name]:
    """The names in order; months, weekdays and stop words that happen to start a sentence are not names."""
    return [_name_of(text, run) for run in _runs(text, _may_name, frozenset())]


def find_entities(text: str) -> list[Span]:
    """Phrases of two or more capitalised words on one line, each once, in order.

    >>> text = "When Marie Curie met J. R. Smith\\nBerlin slept."
    >>> [span.of(text) for span in find_entities(text)]
    ['Marie Curie', 'J. R. Smith']
    """
    found: dict[tuple[str, ...], Span] = {}
    for run in _runs(text, _is_capital, _PARTICLES):
        # Only what looks like a name: not "When" of "When Marie Curie", nor "de" of "Marie Curie de".
        while run and is_stop_word(run[0].of(text).rstrip(".")):
            run = run[1:]
        while run and not _is_capital(run[-1].of(text)):
            run = run[:-1]
        if sum(_is_capital(span.of(text)) for span in run) >= 2:
            span = Span(run[0].start, _bare_end(text, run[-1]))
            found.setdefault(tuple(words_of(span.of(text))), span)
    return [span for key, span in found.items() if key]


def capitalised_words(text: str) -> Iterator[str]:
    """The capitalised words of a text without their full stops, stop words left out."""
    for match in _NAME.finditer(text):
        word = match.group().rstrip(".")
        if _is_capital(word) and not is_stop_word(word):
            yield word


def is_bare_name(text: str) -> bool:
    """Whether the text is a name and nothing else.

    >>> is_bare_name("Marie Curie."), is_bare_name("Marie Curie won.")
    (True, False)
    """
    capitals = 0
    for word in WORD.findall(text):
        if word.lower() in _BETWEEN_NAMES:
            continue
        if not word.istitle() or is_stop_word(word) or capitals == _LONGEST_BARE_NAME:
            return False
        capitals += 1 + word.count("-")
    return capitals >= 2


def _runs(text: str, belongs: Callable[[str], bool], particles: frozenset[str]) -> Iterator[list[Span]]:
    """Runs of words that belong to a name, with the small words of names between them ("Ludwig van Beethoven")."""
    run: list[Span] = []
    for match in _NAME.finditer(text):
        word = Span(*match.span())
        joined = bool(run) and text[run[-1].end : word.start] in _GAPS and not _closes(text, run[-1])
        belonging = belongs(match.group())
        if joined and (belonging or match.group() in particles):
            run.append(word)
            continue
        if run:
            yield run
        run = [word] if belonging else []
    if run:
        yield run


def _is_capital(word: str) -> bool:
    return word[0].isupper()


def _may_name(word: str) -> bool:
    plain = word.rstrip(".").lower()
    return word[0].isupper() and not is_stop_word(plain) and plain not in MONTH_NUMBERS and plain not in WEEKDAYS


def _closes(text: str, word: Span) -> bool:
    """Whether the dot behind a word ends a sentence: it does not behind an initial or a short title."""
    return text[word.end - 1] == "." and len(word) > _INITIALS and "." not in text[word.start : word.end - 1]


def _bare_end(text: str, word: Span) -> int:
    """Where a word ends without its possessive and its full stop."""
    bare = word.of(text)
    if len(bare) > 2:
        bare = bare.rstrip(".")
    for ending in ("'s", "’s", "'", "’"):
        bare = bare.removesuffix(ending)
    return word.start + len(bare)


def _name_of(text: str, run: list[Span]) -> Name:
    start, end = run[0].start, _bare_end(text, run[-1])
    parts = [singular(word) for word in words_of(text[start:end])] or [text[start:end].lower()]
    while len(parts) > 1 and parts[-1] in _SUFFIXES:
        parts.pop()
    before = text[max(0, start - 8) : start].rstrip(" \t\"'“‘(")
    return Name(text[start:end], parts[-1], len(run) == 1 and (not before or before[-1] in ".!?:\n"))
