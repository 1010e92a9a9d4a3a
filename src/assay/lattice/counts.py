"""Counts a text states, in digits or in words, as plain numbers.

>>> sorted(map(int, find_counts("Twenty-one of 3,500 men, the 12th group, in 1953").counts))
[12, 21, 3500]
>>> find_counts("about 1.5 million").counts == find_counts("1,500,000").counts
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from assay.lattice.dates import MONTHS
from assay.lattice.tokens import WORD, word_set

_UNITS = WORD.findall(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = WORD.findall("twenty thirty forty fifty sixty seventy eighty ninety")
_SMALL = {word: number for number, word in enumerate(_UNITS)} | {word: 20 + 10 * n for n, word in enumerate(_TENS)}
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
_IRREGULAR = {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
_ORDINALS = {word + "th": number for word, number in _SMALL.items()}
_ORDINALS |= {word[:-1] + "ieth": number for word, number in _SMALL.items() if word.endswith("y")} | _IRREGULAR

_TOKEN = re.compile(
    r"(?:[0-9]{1,3}(?:,[0-9]{3})++|[0-9]++)(?:\.[0-9]++)?(?:(?:st|nd|rd|th)?(?![^\W_])|(?=(?:[ap]m|[ckm]?m|[km]?g|[mk]?l|ft|lbs?|mph|kph|hrs?|min)\b))|[^\W_]++"
)
# "no one", "the one" and "one of them" count nothing.
_BEFORE_PRONOUN = word_set("no the this that which any each every some")
_AFTER_PRONOUN = word_set("of another s")
_SUFFIX = re.compile(r"(?:st|nd|rd|th)\Z")
_LONGEST_NUMBER = 30


@dataclass(frozen=True, slots=True)
class Counts:
    """`counts` leaves out years and days of the month, which are dates; `numbers` holds everything."""

    counts: frozenset[Fraction] = frozenset()
    numbers: frozenset[Fraction] = frozenset()


def find_counts(text: str) -> Counts:
    """Every number of a text, and those that count something."""
    words = _TOKEN.findall(text.lower())
    counts: set[Fraction] = set()
    numbers: set[Fraction] = set()
    at = 0
    while at < len(words):
        value, behind = _read_digits(words, at) if words[at][0] in "0123456789" else _read_words(words, at)
        if value is not None:
            numbers.add(value)
            if not _is_date_part(words, at, behind):
                counts.add(value)
        at = behind
    return Counts(frozenset(counts), frozenset(numbers))


def missing_counts(claimed: Counts, stated: list[Counts]) -> tuple[str, ...]:
    """The counts of a claim that none of its spans holds."""
    known = frozenset().union(*(counts.numbers for counts in stated))
    return tuple(f"{float(value):g}" for value in sorted(claimed.counts - known))


def _read_digits(words: list[str], at: int) -> tuple[Fraction | None, int]:
    """A number in digits with the scale behind it ("3.5 million")."""
    digits = _SUFFIX.sub("", words[at]).replace(",", "")
    if len(digits) > _LONGEST_NUMBER or not digits.replace(".", "", 1).isdecimal() or not digits.isascii():
        return None, at + 1  # "3d" and a serial number of a page are names, not numbers
    value = Fraction(digits)
    at += 1
    while at < len(words) and words[at] in _SCALES:
        value *= _SCALES[words[at]]
        at += 1
    return value, at


def _read_words(words: list[str], at: int) -> tuple[Fraction | None, int]:
    """A number in words ("two hundred and five", "twenty-first")."""
    word = words[at]
    if word not in _SMALL and word not in _SCALES and word not in _ORDINALS:
        return None, at + 1
    if _is_not_a_number(words, at):
        return None, at + 1
    total, current = 0, 0
    room = 10**15  # the next word belongs to this number only if it is smaller: "twenty" leaves room for nine
    while at < len(words):
        word = words[at]
        if word in _SCALES:
            current = (current or 1) * _SCALES[word]
            room = 100
            if _SCALES[word] >= 1000:
                total, current, room = total + current, 0, 1000
        elif word in _SMALL or word in _ORDINALS:
            value = _SMALL.get(word, _ORDINALS.get(word, 0))
            if value >= room:
                break
            current += value
            room = 10 if word in _TENS else 0
            if word in _ORDINALS:
                at += 1
                break
        elif not (word == "and" and room in (100, 1000) and at + 1 < len(words) and words[at + 1] in _SMALL):
            break
        at += 1
    return Fraction(total + current), at


def _is_not_a_number(words: list[str], at: int) -> bool:
    before = words[at - 1] if at else ""
    behind = words[at + 1] if at + 1 < len(words) else ""
    if words[at] == "one":
        return before in _BEFORE_PRONOUN or behind in _AFTER_PRONOUN
    return words[at] == "second" and before != "the"


def _is_date_part(words: list[str], at: int, behind: int) -> bool:
    """Whether a number in digits is a year, or a day beside its month."""
    word = words[at]
    if behind != at + 1 or not word.isdecimal():
        return _is_ordinal_day(words, at)
    if len(word) == 4 and 1500 <= int(word) <= 2199:
        return True
    return len(word) <= 2 and int(word) <= 31 and _beside_month(words, at)


def _is_ordinal_day(words: list[str], at: int) -> bool:
    return len(words[at]) <= 4 and words[at][0].isdecimal() and _beside_month(words, at)


def _beside_month(words: list[str], at: int) -> bool:
    behind = words[at + 1 : at + 3]
    return (at > 0 and words[at - 1] in MONTHS) or any(
        word in MONTHS and (place == 0 or behind[0] == "of") for place, word in enumerate(behind)
    )
