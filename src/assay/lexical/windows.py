"""Where in a source the words of a claim stand closest together, found through the index alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from math import log

from assay.lexical.index import SourceIndex
from assay.types import Span

_STRETCH = 24  # words in a stretch; two neighbouring ones are about a long sentence
_LOOKED_AT = 400  # places followed for one claim
_SHORTLIST = 12  # stretches in which the frequent words are looked for too
_TERMS = 64  # the rarest words of a claim are enough to find its place
_LONG_SENTENCE = 2_000  # a longer "sentence" is a text without full stops: only the neighbourhood of the words is taken
_SENTENCES = 3
_WORTH = 0.05  # another sentence is taken in if it adds this share of the claim's weight


@dataclass(frozen=True, slots=True)
class Window:
    """One to three sentences of a source, and the share of the claim's words, weighted by rarity, found in them."""

    index: SourceIndex
    span: Span
    score: float


def weigh(roots: Iterable[str], indexes: Sequence[SourceIndex]) -> dict[str, float]:
    """How much each stem tells: a rare word is worth more than a frequent one, a missing one the most."""
    total = sum(len(index) for index in indexes)
    return {
        root: log(1 + (1 + total) / (1 + sum(index.count_stem(root) for index in indexes)))
        for root in dict.fromkeys(roots)
    }


def best_windows(index: SourceIndex, weights: Mapping[str, float], k: int = 1) -> list[Window]:
    """The k places that hold most of the weighted stems, best first."""
    total = sum(weights.values())
    if not total:
        return []
    found: dict[Span, Window] = {}
    for first in _hot_stretches(index, weights, 2 * k + 1):
        last = min(first + 2 * _STRETCH, len(index)) - 1
        window = _sentences_in(index, index.span(first, last), weights, total)
        if window and window.span not in found:
            found[window.span] = window
    ranked = sorted(found.values(), key=lambda window: (-window.score, len(window.span), window.span))
    return _apart(ranked)[:k]


def _hot_stretches(index: SourceIndex, weights: Mapping[str, float], k: int) -> list[int]:
    """The first word of each of the k stretches with the most weight.

    The rarest words say where to look; only there is the index asked for the frequent ones.
    """
    counts = {root: index.count_stem(root) for root in weights}
    known = sorted((root for root in weights if counts[root]), key=lambda root: counts[root])[:_TERMS]
    rare = _rarest(known, counts)
    held: dict[int, int] = {}
    for bit, root in enumerate(rare):
        for place in islice(index.places_of(root), _LOOKED_AT):
            held[place // _STRETCH] = held.get(place // _STRETCH, 0) | 1 << bit
    # A stretch counts with the one behind it, so that no sentence is cut in two; the earlier of equals comes first.
    worth: dict[int, float] = {}
    of_mask: dict[int, float] = {}
    for start in held.keys() | {stretch - 1 for stretch in held if stretch}:
        mask = held.get(start, 0) | held.get(start + 1, 0)
        if mask not in of_mask:
            of_mask[mask] = sum(weights[root] for bit, root in enumerate(rare) if mask >> bit & 1)
        worth[start] = of_mask[mask]
    short = nlargest(_SHORTLIST, worth, key=lambda start: (worth[start], -start))
    for start in short:
        first, last = start * _STRETCH, (start + 2) * _STRETCH
        worth[start] += sum(weights[root] for root in known[len(rare) :] if index.occurs(root, first, last))
    return [start * _STRETCH for start in nlargest(k, short, key=lambda start: (worth[start], -start))]


def _rarest(known: Sequence[str], counts: Mapping[str, int]) -> Sequence[str]:
    """The rarest stems, as many as can be followed to all their places at little cost; at least one."""
    total = taken = 0
    for root in known:
        total += counts[root]
        if taken and total > _LOOKED_AT:
            break
        taken += 1
    return known[:taken]


def _sentences_in(index: SourceIndex, near: Span, weights: Mapping[str, float], total: float) -> Window | None:
    """The best run of one to three sentences around a stretch."""
    spans = [_clip(sentence, near) for sentence in index.places.around(near, before=1, after=1)]
    spans = [span for span in spans if len(span)]
    if not spans:
        return None
    held = [index.places.roots(span) & weights.keys() for span in spans]
    best: tuple[float, float, Span] | None = None
    for first in range(len(spans)):
        roots: frozenset[str] = frozenset()
        for last in range(first, min(first + _SENTENCES, len(spans))):
            run = Span(spans[first].start, spans[last].end)
            if last > first and len(run) > _LONG_SENTENCE:
                break
            roots |= held[last]
            weight = sum(weights[root] for root in roots)
            # A longer run must be worth its length: each sentence more has to add something.
            value = weight - _WORTH * total * (last - first)
            if roots and (best is None or value > best[0]):
                best = value, weight, run
    return Window(index, best[2], best[1] / total) if best else None


def _clip(sentence: Span, near: Span) -> Span:
    if len(sentence) <= _LONG_SENTENCE:
        return sentence
    start = max(sentence.start, near.start)
    return Span(start, max(start, min(sentence.end, near.end)))


def _apart(ranked: Sequence[Window]) -> list[Window]:
    """The windows without those that repeat part of a better one."""
    kept: list[Window] = []
    for window in ranked:
        if not any(window.span.overlaps(other.span) for other in kept):
            kept.append(window)
    return kept
