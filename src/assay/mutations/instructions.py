"""Duties, permissions and prohibitions turned: must and must not, stop and keep, allowed and forbidden."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.claims.verbs import NOUN_VERBS, VERBS
from assay.mutations.claim import MadeClaim
from assay.mutations.edits import Mutation, replace
from assay.mutations.source import Source
from assay.text.words import words

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


def turn_instructions(source: Source) -> Iterator[MadeClaim]:
    """Every duty, permission, prohibition and instruction of a sentence that stands alone, turned."""
    for statement in source.sentences:
        for made in _turned(statement.text):
            yield MadeClaim.of("instruction", made, statement)


def _turned(text: str) -> Iterator[Mutation]:
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
