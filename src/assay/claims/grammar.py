"""What can be told about a clause from word lists alone: where its verb is, whether it has a subject of its own."""

from __future__ import annotations

import re
from typing import NamedTuple

from assay.claims.verbs import (
    ADVERBS,
    AUXILIARIES,
    BINDERS,
    DETERMINERS,
    MIXED_PASTS,
    MIXED_PRESENTS,
    NOMINATIVES,
    NOT_PASTS,
    OBJECT_PRONOUNS,
    PLAIN_PASTS,
    POSTURES,
    PREPOSITIONS,
    PRESENTS,
    SUBJECT_PRONOUNS,
)

LONGEST_SUBJECT = 12


class Word(NamedTuple):
    """A word of a sentence; a tuple, because a long answer has a million of them."""

    lower: str
    start: int
    end: int
    capital: bool


_WORD = re.compile(r"[^\W_][\w'’\-]*+(?:[.,]\d++)*+|[$€£%]")


def words_of(text: str, start: int, end: int) -> list[Word]:
    """The words of a stretch with their places."""
    return [
        Word(word.lower().replace("’", "'"), match.start(), match.end(), word[0].isupper())
        for match in _WORD.finditer(text, start, end)
        for word in (match.group(),)
    ]


def finite(words: list[Word], at: int) -> bool:
    """Whether a word is the verb of a clause beyond doubt."""
    word = words[at]
    if word.capital:
        return False
    if _certain(word.lower):
        return True
    if not at or not _past_or_present(word.lower):
        return False
    before = words[at - 1].lower
    if before in ADVERBS and at > 1:
        before = words[at - 2].lower
    if before in NOMINATIVES:
        # "she later moved"
        return True
    # Not "the reported cases", "of reduced size".
    return before not in DETERMINERS and before not in PREPOSITIONS and _takes_object(words, at + 1)


def _certain(word: str) -> bool:
    """Whether a word is a verb wherever it stands."""
    return word in AUXILIARIES or word in PLAIN_PASTS or word in PRESENTS


def _past_or_present(word: str) -> bool:
    return (
        word in MIXED_PASTS
        or word in MIXED_PRESENTS
        or (len(word) > 4 and word.endswith("ed") and word not in NOT_PASTS and "-" not in word)
    )


def _takes_object(words: list[Word], at: int) -> bool:
    """Whether an object stands here: "won two prizes", "employs 500 people", "founded Acme"."""
    if at >= len(words):
        return False
    word = words[at]
    return word.capital or word.lower in DETERMINERS or word.lower in OBJECT_PRONOUNS or not word.lower[0].isalpha()


def plain_subject(text: str, words: list[Word], at: int, limit: int, *, loose: bool) -> bool:
    """Whether a clause with a subject and a verb of its own starts here.

    A bare noun ("and prices rose") counts as a subject only behind a comma or semicolon (`loose`).
    """
    first = words[at]
    if not loose and not (first.capital or first.lower in DETERMINERS or first.lower in SUBJECT_PRONOUNS):
        return False
    if first.lower in PREPOSITIONS and not loose:
        return False
    if first.lower in OBJECT_PRONOUNS and first.lower not in SUBJECT_PRONOUNS:
        return False
    for index in range(at, min(at + LONGEST_SUBJECT, len(words))):
        word = words[index]
        if word.start >= limit or (word.lower in BINDERS and index > at) or word.lower == "to":
            return False
        if index > at and finite(words, index):
            between = text[first.start : word.start]
            return "," not in between or (loose and between.rstrip().count(",") == 1 and first.lower in _OPENERS)
    return False


_OPENERS = frozenset(("however", "therefore", "in", "by", "thus", "moreover", "instead", "consequently"))


def predicate(words: list[Word], at: int, limit: int, *, shared_helper: bool) -> bool:
    """Whether a verb that needs the subject of the clause before starts here ("and won two prizes").

    With a helper verb before ("was written and published in 1990") a participle may share it: then only a verb with an
    object counts.
    """
    first = at
    if words[at].lower in ADVERBS or words[at].lower.endswith("ly"):
        at += 1
    if at >= len(words) or words[at].start >= limit or words[at].capital:
        return False
    word = words[at].lower
    if at + 1 >= len(words) or words[at + 1].start >= limit:
        return False
    if _certain(word):
        return True
    if not _past_or_present(word):
        return False
    if _takes_object(words, at + 1):
        return True
    if word in POSTURES and not words[first - 2].lower.endswith("s"):
        # "is 8,849 m high and stands on the border", but "carts and stands on the street"
        return words[at + 1].lower in PREPOSITIONS
    if shared_helper or word in MIXED_PRESENTS:
        return False
    # "moved to France in 1891 and studied physics", but "sold bread and baked beans"
    return words[at + 1].lower in PREPOSITIONS or _ends_a_phrase(words[first - 2])


def _ends_a_phrase(word: Word) -> bool:
    """Whether a word before "and" is a name or a number, with which no plain noun would be listed."""
    return word.capital or word.lower[0].isdigit()
