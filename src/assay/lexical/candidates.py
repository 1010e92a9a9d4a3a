"""The passages of some sources that are worth showing to a judge, for callers without an evidence memory."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.lexical.index import SourceIndex
from assay.lexical.quotes import DEFAULT, blank_anchors, find_quotes
from assay.lexical.windows import best_windows, weigh
from assay.lexical.words import stems_of, words_of
from assay.policy import Policy
from assay.types import Claim, Passage, Span

_CONTEXT_WEIGHT = 0.3  # a word of the sentence that a pronoun points back to helps to choose, but does not decide
_POINTS_BACK = re.compile(
    r"[\"“‘'(*_]*(?:it|its|he|she|they|his|her|their|this|these|those|such|both|the former|the latter)\b", re.I
)
_SENTENCE = 2_000  # a sentence before is taken in only if it is one
_VERBATIM = 3  # places of the claim's own words that are shown


def candidates(
    claim: Claim | str, indexes: Sequence[SourceIndex], k: int = 5, policy: Policy = DEFAULT
) -> list[Passage]:
    """The best passages of one to three sentences, those that hold the claim's or its quotes' own words first."""
    text = blank_anchors(claim if isinstance(claim, str) else claim.text)
    context = "" if isinstance(claim, str) else claim.context
    found = _verbatim(text, indexes, policy)
    roots = stems_of(text) or words_of(text)
    weights = weigh(roots, indexes)
    for root, weight in weigh(stems_of(context), indexes).items():
        weights.setdefault(root, weight * _CONTEXT_WEIGHT)
    windows = [window for index in indexes for window in best_windows(index, weights, k)]
    windows.sort(key=lambda window: -window.score)
    for window in windows:
        found.append(_passage(window.index, window.span, round(min(window.score, 1.0), 6), "shared words"))
    return _distinct(found)[:k]


def _verbatim(text: str, indexes: Sequence[SourceIndex], policy: Policy) -> list[Passage]:
    """The sentences in which the claim, or a quote in it, stands word for word."""
    wanted = [text, *(span.of(text) for span in find_quotes(text, policy))]
    found = []
    for words in map(words_of, wanted):
        for index in indexes:
            for number, (first, last) in enumerate(index.find_words(words)):
                if number >= _VERBATIM:
                    break
                place = index.span(first, last)
                sentences = index.places.around(place) or [place]
                whole = Span(min(sentences[0].start, place.start), max(sentences[-1].end, place.end))
                if len(whole) > len(place) + _SENTENCE:
                    whole = place
                found.append(_passage(index, whole, 1.0, "same words"))
    return found


def _passage(index: SourceIndex, span: Span, similarity: float, reason: str) -> Passage:
    """The passage, with the sentence before it where it starts with a word that points back ("It stands …")."""
    document = index.document
    if _POINTS_BACK.match(document.text, span.start, span.end):
        around = index.places.around(Span(span.start, span.start + 1), before=1)
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
