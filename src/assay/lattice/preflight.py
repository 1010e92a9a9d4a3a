"""Before any model call: questions that are both broad and unbounded cannot be answered with evidence.

>>> check_question("Tell me everything about chess").flagged
True
>>> check_question("Tell me everything about the 1972 chess championship").flagged
False
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.lattice.names import find_names
from assay.lattice.tokens import content_tokens


@dataclass(frozen=True, slots=True)
class Preflight:
    """Whether a question should be narrowed first, what makes it broad, and how to bound it."""

    flagged: bool
    broad: str = ""
    advice: str = ""


_TOTAL = re.compile(
    r"\b(?:everything|anything|all)\s+(?:there\s+is\s+to\s+know\s+|you\s+know\s+|you\s+can\s+|known\s+)?(?:about|on|regarding|concerning)\b"
    r"|\beverything\s+(?:that\s+)?(?:happened|ever)\b|\ball\s+there\s+is\s+to\s+know\b|\beverything\s+you\s+know\b",
    re.IGNORECASE,
)
# "List all kings" asks for a set; "Are all swans white?" asks about one.
_SET = re.compile(
    r"\b(?:list|name|give|show|tell|enumerate|describe|explain|(?:who|what)\s+(?:is|are|was|were|won)|of|about)"
    r"\s+(?:me\s+|us\s+)?(?:all|every)\s+(?:of\s+)?(?:the\s+|known\s+|possible\s+|single\s+)*[^\W\d_]{3,}"
    r"|\b(?:complete|full|entire|whole|exhaustive)\s+(?:list|history|story|record|overview|account|timeline|summary)\b"
    r"|\bhistory\s+of\s+(?:the\s+)?(?:world|universe|humanity|mankind|everything|science|sports?|music|art)\b",
    re.IGNORECASE,
)
# "the best film of all time", "the longest of all rivers": one thing is wanted, not all of them.
_ONE_OF_A_SET = re.compile(
    r"\b(?:[^\W\d_]{2,12}est|most|best|first|least)\b|\bof all time\b|\bfirst of all\b", re.IGNORECASE
)
_TIME_BOUND = re.compile(
    r"\b(?:1[0-9]{3}|20[0-9]{2}|21[0-9]{2})(?:s|['’]s)?\b|\b[0-9]{1,2}(?:st|nd|rd|th)\s+century\b"
    r"|\b(?:today|yesterday|tonight|currently|this|last|past|previous)\s+(?:year|month|week|season|decade|century|[0-9]+)\b"
    r"|\b(?:january|february|april|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
_NUMBER = r"(?:[0-9]{1,3}|two|three|four|five|six|seven|eight|nine|ten|twenty)"
_COUNT_BOUND = re.compile(
    rf"\b(?:top|first|last|best|largest|biggest|main|at most|up to|only)\s+{_NUMBER}\b"
    rf"|\b{_NUMBER}\s+(?:examples?|facts?|points?|items?|sentences?|names?|reasons?)\b",
    re.IGNORECASE,
)
_LONGEST = 2000


def check_question(question: str) -> Preflight:
    """Flags a question that asks for everything and sets no limit of time, number or name."""
    text = question[:_LONGEST]
    total = _TOTAL.search(text)
    kind = total or (None if _ONE_OF_A_SET.search(text) else _SET.search(text))
    if kind is None or _TIME_BOUND.search(text) or _COUNT_BOUND.search(text):
        return Preflight(False)
    # "all members of the Beatles" is a set with an edge; "everything about the Beatles" is not.
    if total is None and any(not name.opens for name in find_names(text)):
        return Preflight(False)
    return Preflight(True, kind.group().strip(), _advice(text))


def _advice(text: str) -> str:
    topic = next(reversed(content_tokens(text)), "the topic")
    return (
        "The question is broad and sets no limit, so no set of sources could back a full answer. "
        f"Bound it by time (since 2020), by number (the five largest), by place or name, or by one aspect of {topic!r}."
    )
