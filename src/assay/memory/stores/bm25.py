"""BM25 over posting lists: which passages hold the words that tell passages apart.

A passage is a few sentences long, so whether a word stands in it counts and how often does not: on HotpotQA's questions
counting repeats finds less (bench/retrieval.py), and lists without them are read four times as fast.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

K1, B = 1.2, 0.75  # the usual values, those of SQLite and most search engines

# The rarest terms decide the order. Past this many postings the commoner ones cost more than they tell.
MOST_POSTINGS = 10_000
FEWEST_TERMS = 3
_WEIGHED = 200  # candidates whose length is looked up

Postings = NDArray[np.int64]  # the passages a term stands in, in order, each once
Length = TypeVar("Length", float, NDArray[np.float64])
LengthsOf = Callable[[NDArray[np.int64]], Sequence[float] | NDArray[np.float32]]


def choose_terms(counts: Mapping[str, int]) -> list[str]:
    """The rarest terms first, until enough postings are to be read; terms that stand nowhere are left out."""
    chosen: list[str] = []
    postings = 0
    for count, term in sorted((count, term) for term, count in counts.items() if count):
        postings += count
        if len(chosen) >= FEWEST_TERMS and postings > MOST_POSTINGS:
            break
        chosen.append(term)
    return chosen


def rarity(count: int, total: int) -> float:
    """How much a term tells that stands in `count` of `total` passages."""
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def evenness(length: Length, mean: float) -> Length:
    """What a passage's length makes of the worth of its terms: a long one holds many words by chance."""
    return (K1 + 1) / (1 + K1 * (1 - B + B * length / mean))


def rank(postings: Sequence[Postings], total: int, mean: float, lengths: LengthsOf, k: int) -> list[tuple[int, float]]:
    """The best k passages for a query's terms, with their scores; `lengths` is asked for the likely ones only."""
    if not postings:
        return []
    ids = np.concatenate(postings)
    worth = np.repeat([rarity(len(ids), total) for ids in postings], [len(ids) for ids in postings])
    order = np.argsort(ids, kind="stable")  # quick where, as here, a few lists that are in order follow each other
    ids = ids[order]
    first = np.flatnonzero(np.diff(ids, prepend=-1))
    unique, worths = ids[first], np.add.reduceat(worth[order], first)
    count = min(len(unique), max(_WEIGHED, k))
    likely = np.sort(np.argpartition(-worths, count - 1)[:count])
    sizes = np.asarray(lengths(unique[likely]), dtype=np.float64)
    scores = worths[likely] * evenness(sizes, mean)
    best = np.argsort(-scores, kind="stable")[:k]
    found = zip(unique[likely[best]].tolist(), scores[best].tolist(), strict=True)
    return [(identity, score) for identity, score in found if score > 0]
