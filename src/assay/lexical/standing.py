"""Whether words found in a sentence stand there as a statement of their own, or only as part of another one."""

from __future__ import annotations

import re

from assay.lexical.agreement import hedge_lost
from assay.types import Span

_OPENER = re.compile(
    r"(?:[,;:—–(“\"‘«|]|\s-|\b(?:and|but|that|while|whereas|because|since|although|though|so|then|as|when|thus|hence|therefore|the|a|an))\Z",
    re.IGNORECASE,
)
_LONGEST_OPENER = 12
# "a drug is safe only in adults", "in Paris or London", "grew 5 %": what follows takes part of the statement back.
_TAKES_BACK = re.compile(
    r"[\s,]*(?:only|if|unless|except|excluding|provided|assuming|until|or|nor|than|however|but\s+only|but\s+not|but\s+never|no\s+longer|not)\b",
    re.IGNORECASE,
)
_SAME_NAME = re.compile(r"[\s-]+([^\W\d_]\w*)")
_SAME_NUMBER = re.compile(
    r"\s?(?:%|percent|per\s+cent|hundred|thousand|million|billion|trillion|[kmb]n?\b|[-–]\s?\d|[.,]\d)", re.IGNORECASE
)
_ASKED = re.compile(r"\?[\"”’)\s]*+\Z")
_WORDS = re.compile(r"\w++")


def stands_alone(sentence: str, place: Span) -> bool:
    """Whether `sentence[place]` is stated there: it starts a clause, nothing hedges it, nothing after takes it back.

    >>> stands_alone("The wife of Peter Smith won the prize.", Span(12, 37))
    False
    """
    before, found, after = sentence[: place.start], place.of(sentence), sentence[place.end :]
    if _ASKED.search(sentence) or not _opens(before) or hedge_lost(found, _clause_before(before)):
        return False
    if _TAKES_BACK.match(after) or (found[-1:].isdigit() and _SAME_NUMBER.match(after)):
        return False
    going_on = _SAME_NAME.match(after)
    words = _WORDS.findall(found)
    return not (going_on and words and words[-1][0].isupper() and going_on[1][0].isupper())


def _opens(before: str) -> bool:
    """Whether a clause may begin behind this text: at its start, behind a mark, an opening quote or a joining word."""
    quoted = before.rstrip("“\"‘'(*_")
    if any(mark in '“"‘(' for mark in before[len(quoted) :]):
        return True
    bare = quoted.rstrip()
    return not bare or _OPENER.search(bare, max(0, len(bare) - _LONGEST_OPENER)) is not None


def _clause_before(before: str) -> str:
    """The part of the sentence that governs what follows: up to the last full break."""
    return re.split(r"[;—–]|,\s+(?:and|but)\s", before)[-1]
