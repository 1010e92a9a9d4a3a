"""Names in a text, told by their capitals: the anchors an answer to "who" or "where" stands or falls with.

>>> [anchor.key for anchor in find_names("In 1928 Sir Alexander Fleming worked at Oxford University.")]
['fleming', 'oxford']
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.lattice.dates import MONTHS
from assay.lattice.tokens import STOP_WORDS, WORD, fold_word, fold_words, iter_words, stem, word_set

# Between two words of one name: "Jean-Paul", "J. R.", "O'Neill", "New York".
_JOINT = re.compile(r"(?:\.? |['’‐‑-]|\. ?)\Z")
# What may be left off a name without making it another one: "Thames River", "Apple Inc".
_SUFFIXES = word_set(
    """
    inc ltd llc plc gmbh corp corporation company co group holdings university college institute laboratories labs
    laboratory foundation society association river lake island mountain city county state province district jr sr ii
    iii
    """
)
_DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
_PARTICLES = word_set("of the and de da del della der den di du la le van von bin ibn al y")
_LONGEST_BARE_NAME = 4


@dataclass(frozen=True, slots=True)
class Name:
    """A run of capitalised words; `key` is the word that tells it from others, `opens` when it starts a sentence."""

    text: str
    key: str
    opens: bool


def find_names(text: str) -> list[Name]:
    """The names in order; months, weekdays and stop words that happen to start a sentence are not names."""
    names: list[Name] = []
    run: list[tuple[str, int, int]] = []
    for word, start, end in iter_words(text):
        capital = _is_capitalised(word)
        joined = bool(run) and start - run[-1][2] <= 2 and _JOINT.match(text, run[-1][2], start) is not None
        if run and not (capital and joined):
            if word == "s" and joined:  # the "s" of "Fleming's"
                continue
            names.append(_name_of(text, run))
            run = []
        if capital:
            run.append((word, start, end))
    if run:
        names.append(_name_of(text, run))
    return names


def capitalised_words(text: str) -> frozenset[str]:
    """The stems of the capitalised words; of all words when the text has no capitals, as in a transcript."""
    if text == text.lower():
        return all_words(text)
    return frozenset({stem(fold_word(word)) for word in set(WORD.findall(text)) if word[0].isupper()})


def all_words(text: str) -> frozenset[str]:
    """The stems of all words, short ones and stop words too."""
    return frozenset({stem(word) for word in set(fold_words(text))})


def is_bare_name(text: str) -> bool:
    """Whether the text is a name and nothing else.

    >>> is_bare_name("Marie Curie."), is_bare_name("Marie Curie won.")
    (True, False)
    """
    capitals = 0
    for match in WORD.finditer(text):
        word = match.group()
        folded = word.lower()
        if folded in _PARTICLES:
            continue
        if not word.istitle() or folded in STOP_WORDS or capitals == _LONGEST_BARE_NAME:
            return False
        capitals += 1
    return capitals >= 2


def _is_capitalised(word: str) -> bool:
    if not word[0].isupper():
        return False
    folded = fold_word(word)
    return folded not in STOP_WORDS and folded not in MONTHS and folded not in _DAYS


def _name_of(text: str, run: list[tuple[str, int, int]]) -> Name:
    words = [stem(fold_word(word)) for word, _, _ in run]
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words.pop()
    start = run[0][1]
    before = text[max(0, start - 8) : start].rstrip(" \t\"'“‘(")
    opens = len(run) == 1 and (not before or before[-1] in ".!?:\n")
    return Name(text[start : run[-1][2]], words[-1], opens)
