"""Conditions dropped or turned: "the fee is waived" for "the fee is waived if …", "unless" for "if"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.claims.grammar import words_of
from assay.mutations.claim import MadeClaim
from assay.mutations.clauses import find_verb
from assay.mutations.edits import Mutation, replace
from assay.mutations.source import Source

_WORDS = r"only if|only when|only after|if|unless|until|provided that|(?<=, )provided|as long as|so long as|when|once"
_FRONTED = re.compile(rf"^({_WORDS}|where) ([^,.;:]{{8,110}}), (?=[a-z])", re.IGNORECASE)
_BEHIND = re.compile(rf",? \b({_WORDS}) ([^,.;:()]{{6,110}})(?=[.;](?:\s|$))")
# Behind these the word opens no condition ("ask her if", "even when", "not until"), or only a manner of speaking.
_NO_CONDITION = re.compile(
    r"\b(?:even|as|what|or|and|but|not|especially|particularly|except|just|is|are|was|were|since|from|for|ever|at|matter"
    r"|see|sees|know|knows|decide|decides|wonder|unclear)$"
    r"|\b(?:ask|asks|asked|check|checks|tell|tells|told)(?: (?:\w+ ){0,2}\w+)?$",
    re.IGNORECASE,
)
# Conditions that leave the statement as it is: "if possible", "if you like", "when in doubt".
_OPTIONAL = re.compile(
    r"(?:possible|necessary|needed|required|desired|any|applicable|appropriate|so|not|in doubt|available|at all"
    r"|(?:you|they|he|she|we) (?:like|wish|want|prefer|can))\b",
    re.IGNORECASE,
)
# Conditions that only the sentence before explains ("if this is neglected"), or no clauses ("until being sold").
_LEANING = re.compile(r"(?:it (?!rains|snows)|(?:this|that|they|these|those|then|now|one of|being)\b)", re.IGNORECASE)
_PAST = re.compile(r"\b(?:was|were|had|did|became|began|came|went|took|made|\w{3,}ed)\b")
_POSSIBLE = re.compile(r"\b(?:may|might|can|could)\b")
_NEGATIVE = re.compile(r"\b(?:not|no|never|none|nothing|nobody|neither|without|cannot)\b|n[’']t\b", re.IGNORECASE)
_POINTING = re.compile(r"\b(?:it|they|them|this|that|these|those|he|she|then|so|such)\b", re.IGNORECASE)
_TURNED = {
    "if": "unless",
    "only if": "unless",
    "provided that": "unless",
    "provided": "unless",
    "as long as": "unless",
    "so long as": "unless",
    "unless": "if",
    "only when": "except when",
    "when": "except when",
    "only after": "only before",
    "where": "except where",
    "once": "before",
}
# A point in time behind "until": a date, a weekday, "the end of the year".
_MOMENT = re.compile(
    r"\d|the [a-z]|week |[A-Z][a-z]+day\b|(?:Jan|Feb|Mar|Apr|May|June|July|Aug|Sept|Oct|Nov|Dec)[a-z]*\b"
)
_TIMED = ("when", "once", "until")
_SHORTEST = 3  # words of a statement whose condition was dropped


def change_conditions(source: Source) -> Iterator[MadeClaim]:
    """Every condition of a sentence that stands alone, dropped where more is claimed then, and turned."""
    for statement in source.sentences:
        for made in (*_fronted(statement.text), *_behind(statement.text)):
            yield MadeClaim.of("condition", made, statement)


def _fronted(text: str) -> Iterator[Mutation]:
    """ "If it rains, the match is off." """
    match = _FRONTED.match(text)
    if not match or not _is_condition(match[1], match[2], text):
        return
    main = text[match.end() :]
    if not _POINTING.search(main) and not _POSSIBLE.search(main) and len(main.split()) >= _SHORTEST:
        yield replace("condition dropped", text, 0, match.end(), "")
    if (new := _turned(match[1], match[2])) and not _NEGATIVE.search(match[2]):
        yield replace("condition turned", text, 0, match.end(1), new.capitalize())


def _behind(text: str) -> Iterator[Mutation]:
    """ "The match is off if it rains." """
    for match in _BEHIND.finditer(text):
        before = text[: match.start()]
        if _NO_CONDITION.search(before) or not _is_condition(match[1], match[2], text):
            continue
        clause = re.split(r"[;:]\s+", before)[-1]
        if not _POSSIBLE.search(clause) and len(clause.split()) >= _SHORTEST and match[1] != "until":
            yield replace("condition dropped", text, match.start(), match.end(), "")
        if (new := _turned(match[1], match[2])) and not _NEGATIVE.search(match[2]):
            yield replace("condition turned", text, match.start(1), match.end(1), new)


def _is_condition(word: str, content: str, text: str) -> bool:
    if _OPTIONAL.match(content) or _LEANING.match(content):
        return False
    found = words_of(content, 0, len(content))
    if word.lower() == "until":
        return find_verb(found) is not None or (_MOMENT.match(content) is not None and " from " not in text)
    if word.lower() in ("when", "once", "where", "only when", "only after") and find_verb(found) is None:
        return False
    return len(found) > 1 and (word.lower() not in _TIMED or not _PAST.search(text))


def _turned(word: str, content: str) -> str:
    """The word that makes the condition say the opposite; nothing where none does."""
    if word.lower() == "until":
        return "once" if find_verb(words_of(content, 0, len(content))) is not None else "from"
    return _TURNED.get(word.lower(), "")
