"""What a claim is about, and which stretches of evidence are about the same."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from assay.text.tokens import STOP_WORDS, WORD, stem

SAME_SUBJECT = 0.3  # share of a claim's content words, where it has no names
BEARING = 0.5  # of what the nearest window shares with a claim


@lru_cache(maxsize=65536)
def _root(word: str) -> str:
    """The stem of a word, or nothing for a word without meaning of its own."""
    low = word.lower().replace("’", "'")
    if low in STOP_WORDS or (len(low) < 3 and not any(char.isdigit() for char in low)):
        return ""
    return stem(low).replace(",", "")


def roots(text: str) -> list[tuple[int, str]]:
    """Where each content word of a text begins, and its stem."""
    found = ((match.start(), _root(match.group())) for match in WORD.finditer(text))
    return [(start, root) for start, root in found if root]


def has_words(text: str) -> bool:
    """Whether there is anything to read: "…" and " " say nothing, and no model need be asked."""
    return WORD.search(text) is not None


@dataclass(frozen=True)
class Subject:
    """The names, numbers and content words of a claim, as stems."""

    names: frozenset[str]
    numbers: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, claim: str) -> Subject:
        names, numbers, words = set(), set(), set()
        for start, root in roots(claim):
            words.add(root)
            if any(char.isdigit() for char in root):
                numbers.add(root)
            elif claim[start].isupper():
                names.add(root)
        return cls(frozenset(names), frozenset(numbers), frozenset(words))

    def is_about(self, window: Set[str]) -> bool:
        """Whether a stretch with these stems has the same subject: a shared name, else shared numbers or words."""
        if self.names:
            return bool(self.names & window)
        if self.numbers & window:
            return True
        return len(self.words & window) >= max(1.0, SAME_SUBJECT * len(self.words))


def nearness(subject: Subject, windows: Sequence[Set[str]]) -> list[float]:
    """How much each window shares with the subject.

    A word that stands in every window tells them apart as little as a stop word, so rare ones weigh more.
    """
    shared = [subject.words & window for window in windows]
    spread = Counter(word for words in shared for word in words)
    weight = {word: math.log(1 + len(windows) / count) for word, count in spread.items()}
    return [sum(weight[word] for word in words) for words in shared]


def rank(subject: Subject, windows: Sequence[Set[str]], most: int) -> list[int]:
    """The numbers of at most `most` windows that share most with the subject, in their own order."""
    if len(windows) <= most:
        return list(range(len(windows)))
    near = nearness(subject, windows)
    return sorted(sorted(range(len(windows)), key=lambda n: -near[n])[:most])


@dataclass(frozen=True, slots=True)
class Bearing:
    """A window by its number: whether it is about a claim's subject, and whether it may settle the claim alone."""

    number: int
    about: bool
    alone: bool


def bearings(subject: Subject, windows: Sequence[Set[str]], most: int) -> list[Bearing]:
    """The nearest windows of several sources, in their own order.

    What shares less than half as much with the claim as the nearest is company that could only sway the verdict: it
    may complete another, not settle anything alone. The nearest is about the subject even where it names it otherwise.
    """
    if len(windows) == 1:  # whoever gives one short text as evidence says that it is about the claim
        return [Bearing(0, about=True, alone=True)]
    near = nearness(subject, windows)
    nearest = max(near)
    return [
        Bearing(
            number,
            about=subject.is_about(windows[number]) or near[number] == nearest > 0,
            alone=near[number] >= BEARING * nearest,
        )
        for number in rank(subject, windows, most)
    ]
