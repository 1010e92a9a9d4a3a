"""Words with their places, light stems, stop words, and a cheap count of encoder tokens.

>>> [token.text for token in tokenize("Marie Curie's well-known 3.5 mg dose")]
['Marie', "Curie's", 'well-known', '3.5', 'mg', 'dose']
>>> stem("cities") == stem("city")
True
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from assay.text.words import words


@dataclass(frozen=True, slots=True)
class WordToken:
    """A word and where it stands."""

    text: str
    start: int
    end: int


# Marks are no letters for `\w`, but a word like "हिन्दी" is full of them.
_MARKS = "".join(chr(code) for code in range(0x300, 0x1100) if unicodedata.category(chr(code))[0] == "M")
# Chinese and Japanese are written without spaces: each sign is a word of its own.
_SIGN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTERS = rf"(?:[^\W_{_SIGN}]++|[{_MARKS}]++)"
_INNER = r"(?:['’\-‐‑](?=[^\W_])|(?<=\d)[.,](?=\d))"

WORD = re.compile(rf"[{_SIGN}]|[^\W_]{_LETTERS}*+(?:{_INNER}{_LETTERS}++)*+")
"""One word; `WORD.finditer` is for those who need many words fast and no `WordToken` values."""

ENCODER_PIECE = re.compile(r"[A-Za-zÀ-ɏ]{1,8}|[\u0370-\u1fff]{1,3}|[0-9]{1,3}|\S")

STOP_WORDS: frozenset[str] = words("""
    a about above after again against all also although always am among an and another any approx approximately are
    aren't around as at be became because become been before being below between both but by can can't cannot circa
    could couldn't did didn't do does doesn't doing don't done down during each either else even ever every few for
    from further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him
    himself his how however i i'd i'll i'm i've if in into is isn't it it's its itself just least less let's many
    may me might more most much must my myself neither never no nor not now of off often on once one only onto or
    other others otherwise ought our ours ourselves out over own per quite rather really roughly same shall she
    she'd she'll she's should shouldn't since so some such than that that's the their theirs them themselves then
    there there's therefore these they they'd they'll they're they've thing things this those though through thus to
    too toward towards under until up upon us very via was wasn't we we'd we'll we're we've were weren't what what's
    when where whereas whether which while who whom whose why will with within without won't would wouldn't yet you
    you'd you'll you're you've your yours yourself yourselves
    """)


def tokenize(text: str) -> list[WordToken]:
    """The words of a text in order."""
    return [WordToken(match.group(), match.start(), match.end()) for match in WORD.finditer(text)]


def content_words(text: str) -> list[WordToken]:
    """The words that carry meaning: four characters or more, and no stop words."""
    return [token for token in tokenize(text) if len(token.text) >= 4 and not is_stop_word(token.text)]


@lru_cache(maxsize=1 << 15)
def is_stop_word(word: str) -> bool:
    """Whether a word, in any case and with either apostrophe, carries no meaning of its own."""
    return word.lower().replace("’", "'") in STOP_WORDS


def count_tokens(text: str) -> int:
    """About how many tokens the encoder sees; rather too many than too few."""
    return sum(1 for _ in ENCODER_PIECE.finditer(text))


_VOWEL = re.compile("[aeiouyà-ɏ]")
_WHOLE_WORDS = words("during evening morning nothing something anything everything hundred sacred wicked")


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The common root of the usual English forms of a lower-case word; other words come back as they are.

    The root need not be a word ("make", "makes" and "making" all give "mak").
    """
    word = word.removesuffix("'s").removesuffix("’s")
    if len(word) <= 3 or not word.isalpha() or word in _WHOLE_WORDS:
        return word
    root = _drop_plural(word)
    root = _drop_ending(root)
    if len(root) > 3 and root[-1] == "e" and root[-2] != "e":
        root = root[:-1]
    elif len(root) > 2 and root[-1] == "y" and root[-2] not in "aeiou":
        root = root[:-1] + "i"
    return root


def singular(word: str) -> str:
    """A lower-case word without its plural ending.

    >>> singular("towers"), singular("cities"), singular("glass"), singular("gas")
    ('tower', 'city', 'glass', 'gas')
    """
    return _drop_plural(word) if len(word) > 4 else word


def _drop_plural(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")) and len(word) > 4:
        return word[:-2]
    return word[:-1]


def _drop_ending(word: str) -> str:
    """The word without -ed or -ing, where something with a vowel is left ("running" → "run", but "bring" stays)."""
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root == word or len(root) < 3 or not _VOWEL.search(root) or (ending == "ed" and root[-1] == "e"):
            continue
        if root[-1] == root[-2] and root[-1] not in "lsz":
            return root[:-1]
        if ending == "ed" and root[-1] == "i":
            return root[:-1] + "y"
        return root
    return word
