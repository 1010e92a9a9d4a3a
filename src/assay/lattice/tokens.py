"""The lattice's own idea of a content word: alphanumerics of four characters or more that are no stop words.

>>> sorted(content_stems("The towers were finished in 1889, and the Eiffel tower stands."))
['1889', 'eiffel', 'finished', 'stand', 'tower']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

MIN_LENGTH = 4

# Combining marks belong to their letter: "Zürich" typed as u + diaeresis is one word.
WORD = re.compile(r"[^\W_]++(?:[\u0300-\u036f]++[^\W_]*+)*+")

# A longer run is a blob (base64, a URL without breaks), and normalising a long run of marks would be quadratic.
_LONGEST_WORD = 100


def word_set(text: str) -> frozenset[str]:
    """The words of a list written as plain text."""
    return frozenset(WORD.findall(text))


STOP_WORDS: frozenset[str] = word_set(
    """
    a an and any are as at be been being but by can could did do does done for from had has have having he her hers him
    his how i if in is it its itself may me might must my nor not of off on one or our ours out own per she should so
    than that the their theirs them then there these they this those to too up us was we were what when where which
    who whom whose why will with would you your yours yes

    about above across after afterwards again against almost alone along already also although always among amongst
    another anyone anything around away back became because become becomes before behind below beneath beside besides
    between beyond both came cannot come comes despite doing down during each either else elsewhere enough even ever
    every everyone everything except further gave give given gives going gone have hence here herself himself however
    indeed inside instead into just keep kept known last later least less like likely made make makes making many
    maybe meanwhile more moreover most mostly much myself namely near nearly neither never nevertheless next nobody
    none nonetheless nothing nowhere often once only onto other others otherwise ourselves outside over perhaps quite
    rather really regarding same seem seems seen several shall since some somebody someone something sometimes
    somewhere soon still such take taken takes tell themselves therefore thing things though through throughout thus
    together took toward towards under unless unlike until unto upon used uses using usually various very want went
    whatever whenever whereas wherever whether while whoever whole within without yet yourself yourselves
    """
)


def stem(word: str) -> str:
    """The word without its plural "s".

    >>> stem("towers"), stem("glass"), stem("gas")
    ('tower', 'glass', 'gas')
    """
    return word[:-1] if len(word) > 4 and word[-1] == "s" and word[-2] != "s" else word


def fold_word(word: str) -> str:
    """The word in lower case, with ligatures and wide forms written out ("ﬁnal" in a PDF is "final")."""
    if not word.isascii() and len(word) <= _LONGEST_WORD:
        word = unicodedata.normalize("NFKC", word)
    return word.lower()


def iter_words(text: str) -> Iterator[tuple[str, int, int]]:
    """Every word as written, with its place."""
    for match in WORD.finditer(text):
        yield match.group(), match.start(), match.end()


def fold_words(text: str) -> list[str]:
    """The words in lower case, in order."""
    if text.isascii():
        return WORD.findall(text.lower())
    return [fold_word(word) for word in WORD.findall(text)]


def content_tokens(text: str) -> list[str]:
    """The stems of the content words, in order, with repeats."""
    return [stem(word) for word in fold_words(text) if len(word) >= MIN_LENGTH and word not in STOP_WORDS]


def content_stems(text: str) -> frozenset[str]:
    """The distinct stems of the content words."""
    distinct = set(fold_words(text)) - STOP_WORDS
    return frozenset({stem(word) for word in distinct if len(word) >= MIN_LENGTH})
