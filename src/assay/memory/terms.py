"""The words full-text search goes by: lower case, stemmed, without stop words; the same for both databases."""

from __future__ import annotations

from functools import lru_cache

from assay.text.tokens import WORD, is_stop_word, stem

TERMS_VERSION = 1  # stored with a memory: a changed rule means the full-text index must be made again


def find_terms(text: str) -> list[str]:
    """The search terms of a text in order, repeats kept.

    >>> find_terms("The Sherpa's cities were running")
    ['sherpa', 'citi', 'run']
    """
    return [term for word in WORD.findall(text) if (term := _term(word))]


@lru_cache(maxsize=200_000)
def _term(word: str) -> str:
    """One word as a term, or nothing for a stop word; only letters and digits are left, whatever the language."""
    if is_stop_word(word):
        return ""
    root = stem(word.lower().replace("’", "'"))
    return "".join(mark for mark in root if mark.isalnum())[:60]
