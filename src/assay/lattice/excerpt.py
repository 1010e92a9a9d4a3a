"""The stretch of a source that shows best what a claim rests on, widened to whole sentences."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from assay.lattice.evidence_map import EvidenceObject
from assay.lattice.features import Features
from assay.lattice.tokens import WORD, fold_word, stem
from assay.types import Span


def find_excerpt(claim: Features, item: EvidenceObject, window: int) -> Span:
    """The span of `item.text` with the most distinct words of the claim in at most `window` characters.

    It then grows to the bounds of the sentences it begins and ends in, by at most `window` characters on each side.
    """
    core = _richest_window(claim.stems, item.text, window)
    sentences = item.features.sentences
    if not sentences:
        return core
    first = sentences[max(0, bisect_right(sentences, core.start, key=lambda s: s.start) - 1)]
    last = sentences[max(0, bisect_right(sentences, max(core.start, core.end - 1), key=lambda s: s.start) - 1)]
    start = min(core.start, max(first.start, core.start - window))
    end = max(core.end, min(last.end, core.end + window))
    return Span(start, end)


def _richest_window(wanted: frozenset[str], text: str, window: int) -> Span:
    """Two fingers over the places of the claim's words; the first of equally rich windows wins."""
    forms = wanted | {word + "s" for word in wanted}
    places = [
        (stem(word), match.start(), match.end())
        for match in WORD.finditer(text)
        if (word := fold_word(match.group())) in forms
    ]
    best, best_count = Span(0, 0), 0
    inside: Counter[str] = Counter()
    left = 0
    for word, _, end in places:
        inside[word] += 1
        while end - places[left][1] > window and places[left][2] < end:
            inside[places[left][0]] -= 1
            if not inside[places[left][0]]:
                del inside[places[left][0]]
            left += 1
        if len(inside) > best_count:
            best, best_count = Span(places[left][1], end), len(inside)
    return best
