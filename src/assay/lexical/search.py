"""Search in indexed sources: where the words of a claim stand closest together, and which passages to show for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from math import log

from assay.lexical.index import SourceIndex
from assay.lexical.quotes import blank_anchors, find_quotes
from assay.text.comparable import is_number, stems_of, words_of
from assay.text.names import capitalised_words
from assay.text.quantities import Match, Quantity, QuantityKind, compare, find_quantities
from assay.text.words import points_back
from assay.types import Claim, Passage, Span

_STRETCH = 24  # words in a stretch; two neighbouring ones are about a long sentence
_LOOKED_AT = 400  # places followed for one claim
_SHORTLIST = 12  # stretches in which the frequent words are looked for too
_TERMS = 64  # the rarest words of a claim are enough to find its place
_LONG_SENTENCE = 2_000  # a longer "sentence" is a text without full stops: only the neighbourhood of the words is taken
_SENTENCES = 3
_WORTH = 0.05  # another sentence is taken in if it adds this share of the claim's weight


@dataclass(frozen=True, slots=True)
class SearchWindow:
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


def best_windows(index: SourceIndex, weights: Mapping[str, float], k: int = 1) -> list[SearchWindow]:
    """The k places that hold most of the weighted stems, best first."""
    total = sum(weights.values())
    if not total:
        return []
    found: dict[Span, SearchWindow] = {}
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


def _sentences_in(index: SourceIndex, near: Span, weights: Mapping[str, float], total: float) -> SearchWindow | None:
    """The best run of one to three sentences around a stretch."""
    spans = [_clip(sentence, near) for sentence in index.sentences.around(near, before=1, after=1)]
    spans = [span for span in spans if len(span)]
    if not spans:
        return None
    held = [index.sentences.roots(span) & weights.keys() for span in spans]
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
    return SearchWindow(index, best[2], best[1] / total) if best else None


def _clip(sentence: Span, near: Span) -> Span:
    if len(sentence) <= _LONG_SENTENCE:
        return sentence
    start = max(sentence.start, near.start)
    return Span(start, max(start, min(sentence.end, near.end)))


def _apart(ranked: Sequence[SearchWindow]) -> list[SearchWindow]:
    """The windows without those that repeat part of a better one."""
    kept: list[SearchWindow] = []
    for window in ranked:
        if not any(window.span.overlaps(other.span) for other in kept):
            kept.append(window)
    return kept


# Passages for a claim, for callers without an evidence memory

_CONTEXT_WEIGHT = 0.3  # a word of the sentence that a pronoun points back to helps to choose, but does not decide
_SENTENCE = 2_000  # a sentence before is taken in only if it is one
_VERBATIM = 3  # places of the claim's own words that are shown


def candidates(claim: Claim | str, indexes: Sequence[SourceIndex], k: int = 5) -> list[Passage]:
    """The best passages of one to three sentences, those that hold the claim's or its quotes' own words first."""
    text = blank_anchors(claim if isinstance(claim, str) else claim.text)
    context = "" if isinstance(claim, str) else claim.context
    found = _verbatim(text, indexes)
    roots = stems_of(text) or words_of(text)
    weights = weigh(roots, indexes)
    for root, weight in weigh(stems_of(context), indexes).items():
        weights.setdefault(root, weight * _CONTEXT_WEIGHT)
    windows = [window for index in indexes for window in best_windows(index, weights, k)]
    windows.sort(key=lambda window: -window.score)
    for window in windows:
        found.append(_passage(window.index, window.span, round(min(window.score, 1.0), 6), "shared words"))
    return _distinct(found)[:k]


def _verbatim(text: str, indexes: Sequence[SourceIndex]) -> list[Passage]:
    """The sentences in which the claim, or a quote in it, stands word for word."""
    wanted = [text, *(span.of(text) for span in find_quotes(text))]
    found = []
    for words in map(words_of, wanted):
        for index in indexes:
            for number, (first, last) in enumerate(index.find_words(words)):
                if number >= _VERBATIM:
                    break
                place = index.span(first, last)
                sentences = index.sentences.around(place) or [place]
                whole = Span(min(sentences[0].start, place.start), max(sentences[-1].end, place.end))
                if len(whole) > len(place) + _SENTENCE:
                    whole = place
                found.append(_passage(index, whole, 1.0, "same words"))
    return found


def _passage(index: SourceIndex, span: Span, similarity: float, reason: str) -> Passage:
    """The passage, with the sentence before it where it starts with a word that points back ("It stands …")."""
    document = index.document
    if points_back(document.text, span.start):
        around = index.sentences.around(Span(span.start, span.start + 1), before=1)
        if around and around[0].start < span.start and span.start - around[0].start < _SENTENCE:
            span = Span(around[0].start, span.end)
    return Passage(document, span.start, span.end, similarity, reason)


def _distinct(passages: Sequence[Passage]) -> list[Passage]:
    """The passages without those that lie inside an earlier one."""
    kept: list[Passage] = []
    for passage in passages:
        if not any(
            other.document is passage.document and other.start <= passage.start and passage.end <= other.end
            for other in kept
        ):
            kept.append(passage)
    return kept


# Names and numbers of a text in a source


def cluster(index: SourceIndex, names: Sequence[Sequence[str]], wanted: int, window: int) -> list[Span]:
    """Places of `wanted` different names within `window` characters of the source; empty if there are none.

    Every occurrence of every name is looked at, in the order in which they stand.
    """
    if len(names) < wanted:
        return []
    places = sorted(
        (index.offset(first), index.offset(last) + len(names[i][-1]), i, first, last)
        for i, words in enumerate(names)
        for first, last in index.find_words(words)
    )
    newest: dict[int, tuple[int, int, int, int, int]] = {}
    for place in places:
        newest[place[2]] = place
        close = {i: old for i, old in newest.items() if place[1] - old[0] <= window}
        newest = close or newest
        if len(close) >= wanted:
            return [index.span(first, last) for *_, first, last in sorted(close.values())]
    return []


def asserts_unknown(text: str, index: SourceIndex) -> list[str]:
    """Capitalised words of more than four letters and numbers in a text that the source does not have."""
    names = [word for word in capitalised_words(text) if len(word) > 4 and not index.has(_without_possessive(word))]
    return names + unknown_numbers(text, index)


def _without_possessive(word: str) -> list[str]:
    words = words_of(word)
    return words[:-1] if len(words) > 1 and words[-1] == "s" else words


def unknown_numbers(text: str, index: SourceIndex) -> list[str]:
    """The numbers in a text that do not stand in the source: 8,849 is 8849, but 300 is not 300,000."""
    return [word for word in words_of(text) if is_number(word) and not index.count(word)]


_UNIT_REACH = 40  # characters around a number in which its unit stands
_LIKE_NUMBERS = 200  # places of one number that are looked at
_MEASURED = (QuantityKind.MEASURE, QuantityKind.MONEY, QuantityKind.PERCENT, QuantityKind.DURATION)


def unknown_measures(text: str, index: SourceIndex) -> list[str]:
    """The values of a text whose number stands in the source with other units only: "500 g" is not "500 mg".

    A number without a unit, as in a table, may have any.
    """
    values = [value for value in find_quantities(text) if value.kind in _MEASURED]
    return [value.text for value in values if not _stands_measured(value, index)]


def _stands_measured(value: Quantity, index: SourceIndex) -> bool:
    numbers = [word for word in words_of(value.text) if is_number(word)]
    places = islice(index.find_words(numbers[:1]), _LIKE_NUMBERS) if numbers else ()
    read = [_read_at(index.document.text, index.span(first, last)) for first, last in places]
    return not read or any(
        other is None or other.kind not in _MEASURED or compare(value, other) in (Match.EQUAL, Match.ROUNDED)
        for other in read
    )


def _read_at(text: str, place: Span) -> Quantity | None:
    """The value that a number in a text belongs to."""
    start = max(0, place.start - _UNIT_REACH)
    found = find_quantities(text[start : place.end + _UNIT_REACH])
    return next((item for item in found if item.span.shifted(start).overlaps(place)), None)
