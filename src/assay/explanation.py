"""Explanations within the limit that the policy sets."""

from __future__ import annotations

from assay.text.tokens import count_tokens


def fit(text: str, most: int) -> str:
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
