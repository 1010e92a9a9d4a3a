"""The wording of explanations: how sources and quotes are named, and texts within the limit that the policy sets."""

from __future__ import annotations

from collections.abc import Sequence

from assay.text.tokens import count_tokens
from assay.types import Document

EXPLANATION_MAX_TOKENS = 128  # a longer explanation is not read


def fit(text: str, most: int = EXPLANATION_MAX_TOKENS) -> str:
    """The text within a number of tokens, cut at a word."""
    if count_tokens(text) <= most:
        return text
    words = text.split(" ")
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(" ".join(words[:middle]) + "…") <= most:
            low = middle
        else:
            high = middle - 1
    if low:
        return " ".join(words[:low]) + "…"
    head = text[:most]  # one endless word
    while count_tokens(head + "…") > most:
        head = head[:-1]
    return head + "…"


def name_source(document: Document, *, capital: bool = False) -> str:
    """What to call a document: its title, else its id."""
    return document.title or document.id or ("The source" if capital else "the source")


def shorten(text: str, most: int = 200) -> str:
    """The text on one line, cut at a word where it is long."""
    flat = " ".join(text[: 4 * most].split())
    return flat if len(flat) <= most else flat[: most - 1].rsplit(" ", 1)[0] + "…"


def quoted(text: str) -> str:
    """The text in quotation marks at the end of a sentence.

    >>> quoted("It rose."), quoted("It rose")
    ('“It rose.”', '“It rose”.')
    """
    shown = shorten(text)
    return f"“{shown}”" if shown.endswith((".", "!", "?", "…")) else f"“{shown}”."


def capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


def list_words(words: Sequence[str], most: int = 6) -> str:
    """The words in quotation marks, the first few of many."""
    shown = ", ".join(f"“{word}”" for word in words[:most])
    return f"{shown} and more" if len(words) > most else shown
