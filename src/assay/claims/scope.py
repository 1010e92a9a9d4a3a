"""What reaches from one clause of a sentence into another: times, conditions, names that a clause describes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from assay.claims.grammar import AUXILIARIES, BINDERS, PLAIN_PASTS, PREPOSITIONS, Word, finite, is_past
from assay.text.words import MONTH_PATTERN

# What may hold for both halves of a sentence although it stands in one of them.
GOVERNING = re.compile(
    r"\b(?:if|unless|when(?:ever)?|once|because|although|though|provided|providing|except|depending|according\s+to"
    r"|in\s+case|subject\s+to|(?:as|so)\s+long\s+as|only\s+(?:if|when|for|in|on|with)|respectively|due\s+to)\b"
    r"|,\s(?:\w+\s){1,4}(?:said|says|say|reported|reports|told|claimed|announced)\b[^,]{0,40}$",
    re.IGNORECASE,
)
_DAY = (
    rf"(?:{MONTH_PATTERN}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays?|weekends?|spring|summer|autumn|winter|mornings?|afternoons?|evenings?|nights?|noon|midnight"
    r"|holidays?|century|decade|quarter|months?|weeks?|years?|days?)\b"
)
_CALENDAR = re.compile(rf"{_DAY}|\b(?:1\d|20)\d\d\b", re.IGNORECASE)
NOT_ONLY = re.compile(r"\bnot\s+(?:only|just|merely)\b", re.IGNORECASE)
TIME = re.compile(
    r"\b(?:(?:during|throughout|until|till|since|within|after|before)\b"
    r"|at\s+\d{1,2}(?::\d\d)?\b|on\s+\d{1,2}\b"
    rf"|(?:in|on|at|by|from|through|around)\s+(?:[\w-]+\s+){{0,2}}?(?:(?:1\d|20)\d\ds?\b|{_DAY})"
    r"|(?:daily|weekly|monthly|yearly|annually|nightly|today|yesterday|tomorrow|tonight|year-round)\b"
    rf"|(?:every|each|last|next|this)\s+(?:\w+\s+)?{_DAY})",
    re.IGNORECASE,
)
LASTING = re.compile(r"\b(?:during|throughout|until|till|since|within)\b", re.IGNORECASE)
# Words before a comma that hold for nothing: "However, the mill opened …".
_LINKING = re.compile(
    r"(?:and|but|yet)\s|(?:however|therefore|thus|hence|moreover|furthermore|additionally|also|instead|consequently|similarly"
    r"|likewise|overall|in\s+(?:addition|fact|particular|short|summary|conclusion|contrast)|for\s+(?:example|instance)|by"
    r"\s+contrast|as\s+a\s+result|of\s+course|on\s+the\s+other\s+hand|first|second|finally|meanwhile),\s",
    re.IGNORECASE,
)
_LONGEST_LABEL = 60


def is_calendar_name(word: str) -> bool:
    """Whether a word names a day, a month or a year."""
    return _CALENDAR.fullmatch(word) is not None


def skip_linking(text: str) -> str:
    """The text without a connector before it: "the mill opened" of "However, the mill opened"."""
    match = _LINKING.match(text)
    return text[match.end() :] if match else text


def is_led(text: str, words: Sequence[Word], first: int, until: int) -> bool:
    """Whether a clause begins with a time or condition: "In 1903, she …", "If it rains, …".

    `first` is its first word, `until` the place of its verb; a label before it ("Fees: in 2020 …") does not count.
    """
    start = words[first].start
    comma = text.find(",", start, until)
    colon = text.find(":", start, min(until, start + _LONGEST_LABEL))
    while first + 1 < len(words) and words[first].start < colon:
        first += 1
    word = words[first]
    if _LINKING.match(text, word.start):
        return False
    if word.lower in PREPOSITIONS or word.lower in BINDERS:
        return True
    if comma >= 0 and _CALENDAR.search(text, word.start, max(word.start, comma)):
        return True  # "Late the following year, …"
    return bool(TIME.match(text, word.start) or GOVERNING.match(text, word.start))


class Scope:
    """The places in one sentence where times and conditions are named, each looked for when it is first asked for."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end
        self._places: dict[re.Pattern[str], list[int]] = {}

    def count(self, pattern: re.Pattern[str], start: int, end: int) -> int:
        """How often a pattern begins in a stretch."""
        places = self._find(pattern)
        return bisect_left(places, end) - bisect_left(places, start)

    def _find(self, pattern: re.Pattern[str]) -> list[int]:
        if pattern not in self._places:
            found = pattern.finditer(self.text, self.start, self.end)
            self._places[pattern] = [match.start() for match in found]
        return self._places[pattern]

    def extra_times(self, start: int, near: int, end: int) -> int:
        """How many times are named behind a verb, but for the one `near` it ("opens at 9 on Sundays" has one)."""
        count = self.count(TIME, start, end)
        return count - (1 if count and self.count(TIME, start, near + 1) else 0)


# The name that a relative clause behind a comma speaks of: "Fleming" in "by Alexander Fleming, who was …"

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
