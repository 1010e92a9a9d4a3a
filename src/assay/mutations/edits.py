"""A sentence with one stretch replaced: the value, and the article, capital and spaces that have to follow."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.types import Span

_ARTICLE = re.compile(r"\b([Aa])n? $")


@dataclass(frozen=True, slots=True)
class Mutation:
    """A sentence that no longer holds: what kind of change, the new text, where it differs and what stood there.

    `changed` is empty where words were only taken away.
    """

    kind: str
    text: str
    changed: Span
    original: str

    def __post_init__(self) -> None:
        if self.changed.end > len(self.text):
            raise ValueError(f"the change at {self.changed} lies outside {self.text!r}")


@dataclass(frozen=True)
class MutationInput:
    """A sentence to be changed, the random numbers to choose with, and other true sentences of the same sources."""

    text: str
    rng: random.Random
    others: Sequence[str] = ()

    def replaced(self, kind: str, start: int, end: int, new: str) -> Mutation:
        return replace(kind, self.text, start, end, new)


def replace(kind: str, text: str, start: int, end: int, new: str) -> Mutation:
    """The text with one stretch replaced, the article before it made to fit.

    >>> replace("qualifier", "He is an alleged thief.", 9, 17, "").text
    'He is a thief.'
    """
    before, after = text[:start], text[end:]
    article = _ARTICLE.search(before)
    following = (new or after.lstrip())[:1]
    if article and following.isalpha():
        before = f"{before[: article.start()]}{article[1]}{'n' if following.lower() in 'aeiou' else ''} "
    if not new:
        before, after = _closed(before, after)
    if not before.strip():
        opening = new or after.lstrip()
        capital = opening[:1].upper() + opening[1:]
        new, after = (capital, after) if new else ("", capital)
    return Mutation(kind, before + new + after, Span(len(before), len(before) + len(new)), text[start:end])


def _closed(before: str, after: str) -> tuple[str, str]:
    """The two sides of a gap with one space between them, and none before a stop."""
    kept = after.lstrip()
    gap = "" if not kept or kept[0] in ".,;:!?)" or not before.strip() else " "
    return before.rstrip() + gap, kept
