"""Where a claim says more than its evidence: everyone for some, surely for perhaps, the only one for one of several."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.lexical.agreement import hedge_lost, strength_added
from assay.text.tokens import WORD
from assay.types import Evidence

# What a claim adds when it goes too far; each is fair when the source says it, or one of its kin, itself.
_STRONGER = (
    r"all|every|each|entire|entirely|whole|wholly|complete|completely|total|totally|everyone|everybody|everywhere"
    r"|worldwide|global|globally|universal|universally|throughout the world|in the world|around the world",
    r"always|never|ever|at all times|without exception|invariably|constantly|permanently|forever|throughout history",
    r"only|sole|solely|exclusively|unique|uniquely|alone|none other|no other",
    r"proves?|proven|proved|certainly|definitely|undoubtedly|unquestionably|guarantees?|guaranteed|inevitably|surely"
    r"|without (?:any )?doubt|beyond doubt|conclusively",
    r"must|required|mandatory",
    r"the (?:best|worst|largest|biggest|greatest|first|earliest|oldest|highest|leading)",
)
_GROUPS = tuple(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in _STRONGER)
_LIMITS = re.compile(
    r"\b(?:former|retired|acting|deputy|assistant|interim|vice|associate|honorary|alleged|supposed|suspected|proposed"
    r"|planned|attempted|unsuccessful|so-called|would-be|co|second|third|fourth|fifth|allegedly|reportedly|supposedly"
    r"|possibly|probably|perhaps|presumably|partly|partially|mainly|mostly|largely|sometimes|occasionally|usually"
    r"|generally|typically|rarely|often|about|nearly|almost|approximately|some|few|several|certain)[ -](?:the )?(\w+)",
    re.IGNORECASE,
)

_NEAR = re.compile("some|few|several|certain")  # these limit only the word behind them, which `limit_lost` looks at
_TOP = re.compile(r"\b(?:most|best|least|worst|\w{3,}est)\b", re.IGNORECASE)  # "best known for" is "most famous for"
_FREQUENT = re.compile(r"\b(?:often|frequently|commonly|usually|generally|typically|regularly|mostly|mainly|largely)\b")


def find_stretch(claim: str, quotes: Sequence[Evidence], around: str) -> str | None:
    """The words by which a claim goes beyond the quotes; a word that stands anywhere in the source is fair."""
    for group in _GROUPS:
        if (match := group.search(claim)) and not group.search(around):
            return f"the claim says “{match.group()}”, the evidence does not"
    said = _flat(claim)
    for item in quotes:
        if said in _flat(item.quote):  # a clause of the source as it stands: what limits it limits something else
            continue
        if word := limit_lost(claim, item.quote):
            return f"the evidence says “{word}”, the claim leaves that out"
        if (word := hedge_lost(claim, item.quote)) and not _NEAR.fullmatch(word):
            return f"the evidence says it with a reservation (“{word}”), the claim without"
        word = strength_added(claim, item.quote)
        if word and word not in around.lower() and not (_TOP.search(word) and _TOP.search(item.quote)):
            return f"the claim says “{word}”, the evidence does not"
    return None


def limit_lost(claim: str, quote: str) -> str | None:
    """A limit that the quote sets before a word which the claim has without it.

    >>> limit_lost("She is president of the club.", "She is vice president of the club.")
    'vice president'
    """
    ours = f" {_flat(claim)} "
    for match in _LIMITS.finditer(quote):
        limited, word = _flat(match.group()), _flat(match[1])
        if _FREQUENT.search(limited) and _FREQUENT.search(ours):
            continue
        if (
            len(word) > 3
            and f" {word} " in ours
            and f" {limited.split()[0]} " not in ours
            and ours.count(f" {word} ") == 1
        ):
            return match.group()
    return None


def _flat(text: str) -> str:
    return " ".join(match.group().lower() for match in WORD.finditer(text.replace("-", " ")))
