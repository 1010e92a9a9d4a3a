"""BM25 over posting lists: which passages hold the words that tell passages apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

K1, B = 1.2, 0.75  # the usual values, those of SQLite and most search engines

# The rarest terms decide the order. Past this many postings the commoner ones cost more than they tell.
_MOST_POSTINGS = 10_000
_FEWEST_TERMS = 3
_WEIGHED = 200  # candidates whose length is looked up


@dataclass(frozen=True, slots=True)
class Postings:
    """The passages a term stands in, and how often."""

    ids: NDArray[np.int64]
    times: NDArray[np.int64]

    @classmethod
    def of(cls, occurrences: Sequence[int]) -> Postings:
        """From one passage id for each place where the term stands."""
        ids, times = np.unique(np.asarray(occurrences, dtype=np.int64), return_counts=True)
        return cls(ids, times)


def choose_terms(counts: Mapping[str, int]) -> list[str]:
    """The rarest terms first, until enough postings are to be read; terms that stand nowhere are left out."""
    chosen: list[str] = []
    postings = 0
    for count, term in sorted((count, term) for term, count in counts.items() if count):
        postings += count
        if len(chosen) >= _FEWEST_TERMS and postings > _MOST_POSTINGS:
            break
        chosen.append(term)
    return chosen


def rarity(count: int, total: int) -> float:
    """How much a term tells that stands in `count` of `total` passages."""
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def weight(times: float, length: float, mean: float) -> float:
    """How much a term's occurrences in one passage count, given the passage's length."""
    return times * (K1 + 1) / (times + K1 * (1 - B + B * length / mean))


def rank(
    postings: Sequence[Postings], total: int, mean: float, lengths: Callable[[list[int]], Mapping[int, float]], k: int
) -> list[tuple[int, float]]:
    """The best k passages for a query's terms, with their scores; `lengths` is asked for the likely ones only."""
    if not postings:
        return []
    worth = [rarity(len(item.ids), total) for item in postings]
    ids = np.concatenate([item.ids for item in postings])
    parts = [own * item.times * (K1 + 1) / (item.times + K1) for own, item in zip(worth, postings, strict=True)]
    unique, place = np.unique(ids, return_inverse=True)
    rough = np.bincount(place, weights=np.concatenate(parts))
    count = min(len(unique), max(_WEIGHED, k))
    likely = unique[np.argpartition(-rough, count - 1)[:count]]
    sizes = lengths([int(identity) for identity in likely])
    likely = np.asarray(sorted(sizes), dtype=np.int64)
    shape = K1 * (1 - B + B * np.asarray([sizes[int(identity)] for identity in likely]) / mean)
    scores = np.zeros(len(likely))
    for own, item in zip(worth, postings, strict=True):
        at = np.minimum(np.searchsorted(item.ids, likely), len(item.ids) - 1)
        times = np.where(item.ids[at] == likely, item.times[at], 0)
        scores += own * times * (K1 + 1) / (times + shape)
    best = np.lexsort((likely, -scores))[:k]
    return [(int(likely[index]), float(scores[index])) for index in best]
