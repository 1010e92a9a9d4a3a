"""All claims of an answer before the model at once: for each the few sentences that matter, read in one go.

Reading five passages for each of ten claims takes fifty runs of the network. Most sentences of a passage say nothing
about the claim, so the reading takes the sentences that share most with it, from whichever passage, in their own order
and under their titles; that is one run a claim, and support spread over two passages is in it.
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay.claims.pronouns import leads_with_pronoun
from assay.encoder.scores import NOTHING, Scores
from assay.encoder.subject import Subject, has_words, rank, roots
from assay.text.sentences import split_sentences
from assay.types import Document, Passage, Span

if TYPE_CHECKING:
    from assay.encoder.verifier import Verifier

Ids = NDArray[np.int64]
LEAST_ROOM = 32  # tokens of evidence below which a reading means nothing
_NAME = 2.0  # a name or a number says more about what a sentence is about than another word
_AGAIN = 0.25  # what a word counts that a chosen sentence has already
_TELLING = 0.3  # of what the nearest sentence tells must another add to be worth its tokens
_CHARACTERS = 4  # of a token, rather too few than too many
_HELD = 2048  # sentences kept tokenised between answers


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage: which passage, where in it, its token ids and the stems of its content words.

    `about` has the stems of the title as well where a pronoun in the sentence stands for it.
    """

    passage: int
    span: Span
    ids: Ids
    stems: frozenset[str]
    about: frozenset[str]


@dataclass(frozen=True, slots=True)
class Brief:
    """What is read for one claim: the sentences, and the token ids of all of them in order."""

    sentences: tuple[Sentence, ...]
    ids: Ids
    claim: Ids
    about: bool
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence of a document that was shown, and how like the claim its passage was when it was found."""

    document: Document
    span: Span
    stems: frozenset[str]
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model says of one claim, and the places in the sources it was shown, the nearest first."""

    scores: Scores
    places: tuple[Place, ...] = ()


class Docket:
    """Prepares and reads claims for one verifier; safe to share between threads."""

    def __init__(self, verifier: Verifier) -> None:
        self.verifier = verifier
        self._held: OrderedDict[tuple[str, str], list[tuple[Span, Ids, frozenset[str]]]] = OrderedDict()
        self._lock = Lock()

    def read(self, cases: Iterable[tuple[str, Sequence[Passage]]], room: int, most_passages: int = 5) -> list[Reading]:
        """One reading for each claim; a claim or evidence without words settles nothing.

        The first claims are read while the next are prepared.
        """
        filled: list[bool] = []

        def prepared() -> Iterator[Brief]:
            for claim, passages in cases:
                brief = self.prepare(claim, passages, room, most_passages)
                filled.append(brief is not None)
                if brief is not None:
                    yield brief

        found = iter(self.read_briefs(prepared()))
        return [next(found) if has_brief else Reading(NOTHING) for has_brief in filled]

    def read_briefs(self, briefs: Iterable[Brief]) -> list[Reading]:
        """The same for what was prepared before."""
        read: list[Brief] = []

        def shown() -> Iterator[tuple[Ids, Ids]]:
            for brief in briefs:
                read.append(brief)
                yield brief.ids, brief.claim

        scores = self.verifier.read(shown())
        return [_reading(brief, score) for brief, score in zip(read, scores, strict=True)]

    def prepare(self, claim: str, passages: Sequence[Passage], room: int, most_passages: int = 5) -> Brief | None:
        """The sentences to show for a claim, within `room` tokens and from at most so many passages."""
        tokens = self.verifier.pairing.tokens(claim)
        most = self.verifier.max_tokens - self.verifier.pairing.specials
        ids = tokens.ids[: most - LEAST_ROOM]
        room = min(room, most - len(ids))
        subject = Subject.of(claim)
        passages = self._nearest(subject, _widened(passages, room), most_passages)
        sentences = list(self._distinct(passages))
        if not has_words(claim) or not sentences:
            return None
        whole = sum(len(sentence.ids) for sentence in sentences) <= room
        chosen = _choose(subject, sentences, room, 0.0 if whole else _TELLING)
        parts: list[Ids] = []
        last = ""
        for sentence in sorted(chosen, key=lambda item: (item.passage, item.span.start)):
            title = passages[sentence.passage].document.title
            if title and title != last and not {root for _, root in roots(title)} <= sentence.stems:
                parts.append(self.verifier.pairing.tokens(f"{title}.").ids)
            last = title
            parts.append(sentence.ids)
        shown: frozenset[str] = frozenset().union(*(sentence.about for sentence in chosen))
        return Brief(
            tuple(chosen), np.concatenate(parts)[: max(room, LEAST_ROOM)], ids, subject.is_about(shown), tuple(passages)
        )

    def speaks_of(self, claim: str, passage: Passage) -> bool:
        """Whether one sentence of a passage, under its title, has every name and number and most words of a claim."""
        subject = Subject.of(claim)
        telling = subject.names | subject.numbers
        title = {root for _, root in roots(passage.document.title)}
        return any(
            telling <= stems | title and 2 * len(subject.words & (stems | title)) > len(subject.words)
            for _, _, stems in self._sentences(passage)
        )

    def _nearest(self, subject: Subject, passages: Sequence[Passage], most: int) -> list[Passage]:
        """The passages that share most with the claim, in the order they were given."""
        if len(passages) <= most:
            return list(passages)
        stems: list[frozenset[str]] = [
            frozenset().union(*(stems for _, _, stems in self._sentences(passage))) for passage in passages
        ]
        return [passages[number] for number in rank(subject, stems, most)]

    def _distinct(self, passages: Sequence[Passage]) -> Iterator[Sentence]:
        """Every sentence once: passages of one document may overlap."""
        seen: set[tuple[str, int]] = set()
        for number, passage in enumerate(passages):
            for span, ids, stems in self._sentences(passage):
                place = (passage.document.id, passage.start + span.start)
                if place not in seen:
                    seen.add(place)
                    title = passage.document.title
                    leaning = bool(title) and leads_with_pronoun(span.of(passage.text))
                    about = stems.union(root for _, root in roots(title)) if leaning else stems
                    yield Sentence(number, span, ids, stems, about)

    def _sentences(self, passage: Passage) -> list[tuple[Span, Ids, frozenset[str]]]:
        """The sentences of a passage, tokenised once for all claims that are shown it."""
        text = passage.text
        key = (text, passage.document.title)
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        source = self.verifier.source(text)
        spans = [sentence.span for sentence in split_sentences(text) if has_words(sentence.span.of(text))]
        found = [(span, source.tokens.between(span.start, span.end), source.stems(span)) for span in spans]
        with self._lock:
            self._held[key] = found
            if len(self._held) > _HELD:
                self._held.popitem(last=False)
        return found


def _reading(brief: Brief, scores: Scores) -> Reading:
    if not brief.about:  # what does not speak of the subject cannot refute what is said about it
        scores = Scores(scores.supported, 0.0, scores.insufficient + scores.refuted)
    places = []
    for sentence in brief.sentences:
        passage = brief.passages[sentence.passage]
        span = sentence.span.shifted(passage.start)
        places.append(Place(passage.document, span, sentence.about, passage.similarity))
    return Reading(scores, tuple(places))


def _widened(passages: Sequence[Passage], room: int) -> Sequence[Passage]:
    """Documents so short that all fit are shown whole: a sentence without the claim's words may still settle it."""
    documents = {passage.document.id: passage for passage in reversed(passages)}
    if sum(len(passage.document.text) for passage in documents.values()) > room * _CHARACTERS:
        return passages
    return [
        Passage(passage.document, 0, len(passage.document.text), passage.similarity, passage.reason)
        for passage in reversed(documents.values())
    ]


def _choose(subject: Subject, sentences: Sequence[Sentence], room: int, least: float) -> list[Sentence]:
    """The sentences that share most with a claim, the nearest first, each adding at least a share of what it tells."""
    spread = Counter(word for sentence in sentences for word in sentence.about & subject.words)
    telling = subject.names | subject.numbers
    weight = {
        word: math.log(1 + len(sentences) / count) * (_NAME if word in telling else 1.0)
        for word, count in spread.items()
    }
    left = dict(enumerate(sentences))
    chosen: list[Sentence] = []
    held: frozenset[str] = frozenset()
    first = 0.0
    while left:
        number = max(left, key=lambda n: (_worth(left[n], weight, held), -n))
        worth = _worth(left[number], weight, held)
        sentence = left.pop(number)
        if worth < least * first:
            break
        if chosen and len(sentence.ids) > room:
            continue
        first = first or worth
        chosen.append(sentence)
        room -= len(sentence.ids)
        held |= sentence.about
    return chosen


def _worth(sentence: Sentence, weight: Mapping[str, float], held: frozenset[str]) -> float:
    """What a sentence tells about the claim beside those chosen already; a long one is worth a little less."""
    gain = sum(value * (_AGAIN if word in held else 1.0) for word, value in weight.items() if word in sentence.about)
    return float(gain / (8 + len(sentence.stems)) ** 0.25)
