"""What a question asks for, told from its first question word.

>>> parse_question("In what year was the tower finished?").asks is Asks.TIME
True
>>> parse_question("Who led the country when the war began?").asks is Asks.RELATION
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from assay.lattice.names import all_words
from assay.lattice.tokens import content_tokens


class Asks(StrEnum):
    """The sort of answer a question wants."""

    RELATION = "relation"  # a name: who, where, which company
    LIST = "list"  # several names
    COUNT = "count"
    CAUSE = "cause"
    TIME = "time"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its content stems, the last of them (its subject anchor) and what it asks for."""

    text: str
    stems: frozenset[str]
    words: frozenset[str]  # all of them, short ones too
    subject: str
    asks: Asks


_WH = re.compile(r"\b(?:who|whom|whose|which|what|where|when|why|how)\b")
_LIST = re.compile(r"(?:\A\W*|\b(?:please|you|to|and|me)\s)(?:name|list)\s|\bmembers? of\b|\bwho (?:are|were) the\b")
_NAMED_THING = (
    "actor|actress|agency|airline|album|architect|artist|author|band|book|brand|capital|city|club|college|company|"
    "composer|continent|corporation|country|county|director|explorer|film|firm|founder|group|inventor|island|king|"
    "lake|language|leader|man|manufacturer|minister|mountain|movie|museum|name|nation|newspaper|novel|ocean|"
    "organisation|organization|painter|party|people|person|planet|player|poet|president|province|publisher|queen|"
    "region|river|scientist|sea|singer|software|song|state|street|studio|team|town|tribe|university|village|woman|"
    "writer"
)
_WHAT_NAMED = re.compile(
    rf"what (?:\w+ )?(?:{_NAMED_THING})s?\b"
    r"|what (?:is|are|was|were) (?:the )?(?:names?|capital|author|founder|inventor|director|composer|president) of\b"
)
_TIME = re.compile(
    r"when\b|(?:what|which) (?:\w+ )?(?:year|date|day|month|decade|century|time)s?\b|how (?:long ago|recently)\b"
)
_COUNT = re.compile(r"how (?:many|much)\b|(?:what|which) (?:\w+ )?(?:number|amount|quantity)\b")


def parse_question(text: str | None) -> Question | None:
    """The question taken apart; None when there is none."""
    if text is None or not text.strip():
        return None
    tokens = content_tokens(text)
    return Question(text, frozenset(tokens), all_words(text), tokens[-1] if tokens else "", _asks(text[:2000].lower()))


def _asks(text: str) -> Asks:
    if _LIST.search(text):
        return Asks.LIST
    found = _WH.search(text)
    if not found:
        return Asks.OTHER
    at = found.start()
    # Only the first question word counts: "Who led the country when the war began?" asks for a name.
    for asks, pattern in ((Asks.TIME, _TIME), (Asks.COUNT, _COUNT), (Asks.RELATION, _WHAT_NAMED)):
        if pattern.match(text, at):
            return asks
    if found.group() == "why":
        return Asks.CAUSE
    return Asks.RELATION if found.group() in ("who", "whom", "whose", "which", "where") else Asks.OTHER
