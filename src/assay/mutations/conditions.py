"""Conditions dropped or turned ("unless" for "if"), duties, permissions and prohibitions turned ("must not")."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.claims.grammar import NOUN_VERBS, VERBS, words_of
from assay.mutations.clauses import NEGATION, find_verb
from assay.mutations.source import Mutation, replace
from assay.text.words import words

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


def change_conditions(text: str) -> Iterator[Mutation]:
    """Every condition of a sentence, dropped where more is claimed then, and turned."""
    yield from _fronted(text)
    yield from _behind(text)


def _fronted(text: str) -> Iterator[Mutation]:
    """ "If it rains, the match is off." """
    match = _FRONTED.match(text)
    if not match or not _is_condition(match[1], match[2], text):
        return
    main = text[match.end() :]
    if not _POINTING.search(main) and not _POSSIBLE.search(main) and len(main.split()) >= _SHORTEST:
        yield replace("condition dropped", text, 0, match.end(), "")
    if (new := _opposite(match[1], match[2])) and not NEGATION.search(match[2]):
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
        if (new := _opposite(match[1], match[2])) and not NEGATION.search(match[2]):
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


def _opposite(word: str, content: str) -> str:
    """The word that makes the condition say the opposite; nothing where none does."""
    if word.lower() == "until":
        return "once" if find_verb(words_of(content, 0, len(content))) is not None else "from"
    return _TURNED.get(word.lower(), "")


_BE = r"(?:is|are|was|were)"
# What says that something has to be, may be or must not be done, and what it becomes.
_TURNS = (
    ("prohibition lifted", r"\b(must|should|shall|may|can) not\b(?! only)", r"\1"),
    ("prohibition lifted", r"\bcannot\b(?! only)", "can"),
    ("prohibition lifted", rf"\b({_BE}) (?:not (?:allowed|permitted)|forbidden|prohibited|banned)\b", r"\1 allowed"),
    ("prohibition lifted", r"\b[Nn]ever (?=[a-z]+ (?:the|a|an|your|any|more)\b)", "always "),
    ("duty forbidden", r"\bmust\b(?! (?:not|never|only|also|have|first|still|then)\b)", "must not"),
    ("duty forbidden", r"\bshall\b(?! (?:not|never|only|also|have)\b)", "shall not"),
    ("duty forbidden", r"\bshould\b(?! (?:not|never|only|also|have)\b)", "should not"),
    ("duty lifted", r"\bmust\b(?! (?:not|never|only|also|have|first|still|then)\b)", "need not"),
    ("duty lifted", r"\bhas to\b", "does not have to"),
    ("duty lifted", r"\bhave to\b", "do not have to"),
    ("duty lifted", rf"\b({_BE}) (?:required|mandatory|compulsory)\b", r"\1 optional"),
    ("duty added", rf"\b({_BE}) (?:not required|optional|voluntary|not necessary)\b", r"\1 mandatory"),
    ("duty added", r"\bneed not\b|\bdo(?:es)? not (?:need|have) to\b", "must"),
    ("permission denied", rf"\b({_BE}) (?:allowed|permitted)\b(?! only)", r"\1 not allowed"),
    ("permission denied", r"(?<=[a-z]s )may\b(?= (?!not|only|also|have|be|well)[a-z]+)", "must not"),
    ("permission denied", r"(?<=\bYou )(?:may|can)\b(?= (?!not|only|also|have|be|well)[a-z]+)", "must not"),
    ("permission denied", r"\bcan\b(?= be [a-z]+(?:ed|en|wn|nt|ld|de|ut)\b)", "cannot"),
    ("advice turned", rf"\b({_BE}) recommended\b", r"\1 not recommended"),
    ("advice turned", rf"\b({_BE}) not recommended\b", r"\1 recommended"),
    ("stop made continue", r"\b[Ss]top (?=[a-z]+ing\b)", "keep "),
    ("continue made stop", r"\b(?:[Kk]eep|[Cc]arry on|[Cc]ontinue) (?=[a-z]+ing\b)", "stop "),
    ("continue made stop", r"\b[Cc]ontinue to (?:use|take)\b", "stop using"),
)
_PROHIBITED = re.compile(r"(?:^|(?<=, ))(?:do not|don[’']t) (?=[a-z])", re.IGNORECASE)
_PLAIN_OBJECTS = words("the your it them this these all")  # "Set a generation later, the film …" orders nothing
_LIMITED = re.compile(r"\b(?:not|no|never|nothing|nobody|neither|nor|without|hardly|only)\b|n[’']t\b", re.IGNORECASE)


def turn_instructions(text: str) -> Iterator[Mutation]:
    """Every duty, permission, prohibition and instruction of a sentence, turned."""
    for kind, pattern, new in _TURNS:
        for match in re.finditer(pattern, text):
            if kind in ("duty forbidden", "duty lifted", "permission denied") and _is_limited(text, match):
                continue
            yield replace(kind, text, match.start(), match.end(), match.expand(new))
    for match in _PROHIBITED.finditer(text):
        yield replace("prohibition lifted", text, match.start(), match.end(), "")
    first, _, rest = text.partition(" ")
    if first.lower() in VERBS | NOUN_VERBS and rest.split(" ", 1)[0].lower() in _PLAIN_OBJECTS:
        yield replace("instruction forbidden", text, 0, len(first), f"Do not {first.lower()}")


def _is_limited(text: str, match: re.Match[str]) -> bool:
    """Whether the clause has a negation or an "only", with which the turned word would not say the opposite."""
    clause = re.split(r"[,;:]", text[: match.start()])[-1] + re.split(r"[,;:.]", text[match.end() :])[0]
    return _LIMITED.search(clause) is not None
