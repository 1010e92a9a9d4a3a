"""Whether a sentence that contradicts a claim speaks of the same thing, or says the like of another one.

A verifier takes "The Marlow library closes at 6 pm" for a contradiction of "The Marlow pool closes at 9 pm". Both can
be true: what is said differently is not said of the same thing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from assay.claims.grammar import find_verb, words_of
from assay.lexical.agreement import opposite_words, subject_of
from assay.lexical.decisive import find_decisive
from assay.lexical.negation import is_negative
from assay.text.comparable import is_number, stems_of
from assay.text.names import capitalised_words
from assay.text.tokens import stem
from assay.text.words import words

_LONGEST = 1_000  # characters of a sentence that are compared
_MOST_OF_IT = 2 / 3  # of the words for a thing, from which it is named where the sentence has another subject
_PRONOUNS = words("he she it they this that these those we i you his her its their")
_ORDINALS = words("first second third fourth fifth sixth seventh eighth ninth tenth last next former latter")
# "It has been confirmed that …", "The staff say that …": what is reported begins behind them.
_REPORTS = re.compile(
    r"^[^.;:]{0,80}?\b(?:say|says|said|show|shows|shown|confirmed|know|knows|known|states?)\s+that\s+"
)
_OPENS_ASIDE = re.compile(r"^(?:In|On|At|By|During|After|Before|Since|From|Under|Until|With)\b[^,]{1,60},\s+")
_ASIDE = re.compile(r"[,(].*")


def speaks_of_same(claim: str, sentence: str, title: str = "", *, sure: bool = True) -> bool:
    """Whether a sentence and a claim can only be right both if they say the same.

    `sure` is False for a sentence that only leans against the claim: it must have the thing for its subject.

    >>> claim = "The Marlow pool closes at 9 pm."
    >>> [speaks_of_same(claim, f"The {place} closes at 6 pm.") for place in ("Marlow pool", "Marlow library")]
    [True, False]
    """
    claim, sentence = _plain(claim), _plain(sentence)
    thing, own = _subject(claim, ""), _subject(sentence, title)
    if not thing:
        return True
    said = frozenset(stems_of(f"{title} {sentence}"))
    if not thing <= said:
        if own & thing:
            # "The Marlow library", "Interns of Tarn": a part of the words, and others in the place of the rest.
            return own < thing and not _differs_twice(claim, sentence, said)
        if len(thing & said) < _MOST_OF_IT * len(thing):
            unnamed = not thing & _names(claim) and not any(
                word.isalnum() for word in said & frozenset(stems_of(claim))
            )
            return sure and (unnamed or _other_subject(claim, thing, said))
    return (sure or bool(own & thing)) and not _differs_twice(claim, sentence, said)


def says_otherwise(claim: str, sentence: str) -> bool:
    """Whether a sentence of the shape of a claim has one other word or value in it.

    >>> says_otherwise("The blue whale eats seals.", "The blue whale eats krill.")
    True
    """
    claim, sentence = _plain(claim), _plain(sentence)
    found = find_decisive(claim, sentence)
    return len(found.claim) == len(found.quote) == 1 and speaks_of_same(claim, sentence)


def _plain(text: str) -> str:
    """The statement without the words that report it and a phrase in front of it."""
    text = _REPORTS.sub("", text.strip()[:_LONGEST], count=1)
    return _OPENS_ASIDE.sub("", text, count=1)


@lru_cache(maxsize=1024)
def _subject(text: str, title: str) -> frozenset[str]:
    """The stems of what a sentence is about; of the title where it is about "it"."""
    placed = words_of(text, 0, len(text))
    at, _ = find_verb(text, placed, 0, len(placed))
    found = frozenset(stems_of(_ASIDE.sub("", text[: placed[at].start]))) if at else subject_of(text)
    if title and (not found or (at and {word.lower for word in placed[:at]} <= _PRONOUNS)):
        return frozenset(stems_of(title))
    return found - _PRONOUNS


def _other_subject(claim: str, thing: frozenset[str], said: frozenset[str]) -> bool:
    """Whether the same is said of another: "Westbrook won the cup final of 2016", not "Ashdown" did.

    It must be one particular thing that only one can have won or written: a name or a year, all of them the same.
    """
    named = _names(claim) - thing
    particular = named | {word for word in _values(claim) if word.isdigit() and len(word) == 4}
    return bool(particular) and (named | _values(claim)) - thing <= said


def _differs_twice(claim: str, sentence: str, said: frozenset[str]) -> bool:
    """Whether two things are said otherwise: "rejected the merger with Easton", "approved the merger with Milford"."""
    ours, theirs = _values(claim) | _names(claim), _values(sentence) | _names(sentence)
    missing = ours - said
    if not missing or not theirs - frozenset(stems_of(claim)) - _subject(sentence, ""):
        return False
    turned = is_negative(claim) != is_negative(sentence) or opposite_words(claim, sentence) is not None
    return turned or len([word for word in missing if is_number(word) or word in _ORDINALS]) > 1


def _names(text: str) -> frozenset[str]:
    """The stems of the capitalised words of a text, but not of the one that opens it."""
    return frozenset(stem(word.lower()) for word in capitalised_words(text[:1].lower() + text[1:]))


def _values(text: str) -> frozenset[str]:
    """The numbers and ordinals of a text."""
    return frozenset(word for word in stems_of(text) if is_number(word) or word in _ORDINALS)
