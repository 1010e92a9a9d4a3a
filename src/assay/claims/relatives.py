"""The name that a relative clause behind a comma speaks of: "Fleming" in "by Alexander Fleming, who was …"."""

from __future__ import annotations

from collections.abc import Sequence

from assay.claims.grammar import Word, finite, is_past
from assay.claims.scope import is_calendar_name
from assay.claims.verbs import AUXILIARIES, BINDERS, PLAIN_PASTS, PREPOSITIONS

_LONGEST_NAME = 6


def described_name(text: str, words: Sequence[Word], first: int, at: int, mark: str) -> str:
    """The one name that ", which" or ", who" at a word can only point to, or nothing; `first` opens the clause."""
    if at + 2 >= len(words):
        return ""
    verb, then = words[at + 1].lower, words[at + 2].lower
    if verb in ("are", "were", "have") or then in BINDERS or not finite(words, at + 1):
        return ""
    if mark == "which" and verb not in ("is", "was", "has", "had"):
        # "He moved to Paris, which surprised everyone" does not speak of Paris.
        return ""
    start = _name_start(words, first, at, mark)
    name = text[words[start].start : words[at - 1].end] if start < at else ""
    return "" if "," in name else name


def _name_start(words: Sequence[Word], first: int, at: int, mark: str) -> int:
    """The first word of the capitalised name that ends before a word; that word itself if there is no such name."""
    start = _capitals(words, first, at)
    before = words[start - 1].lower if start > first else ""
    if start == at or before == "and" or is_calendar_name(words[at - 1].lower):
        return at
    if before in ("of", "in", "from", "at") and start - 1 > first and words[start - 2].capital:
        # "Book of Common Prayer, which", but "Ann Lee from Rhode Island, who"
        return _capitals(words, first, start - 1) if before == "of" else at
    if mark == "which" and before in PREPOSITIONS and not _follows_verb(words, first, start - 1):
        return at  # "a lake in Arizona, which"
    return start


def _capitals(words: Sequence[Word], first: int, at: int) -> int:
    """Where the capitalised words that end before a word begin."""
    start = at
    while start > first and at - start < _LONGEST_NAME and words[start - 1].capital:
        start -= 1
    return start


def _follows_verb(words: Sequence[Word], first: int, at: int) -> bool:
    """Whether a verb stands before a preposition: "born in", "moved to"; who did it ("by") is no place."""
    word = words[at - 1].lower if at > first else ""
    verbal = is_past(word) or word in PLAIN_PASTS or word in AUXILIARIES or word == "born"
    return verbal and words[at].lower != "by"
