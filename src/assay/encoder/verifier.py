"""The verifier: claims judged against passages.

For each claim three calibrated probabilities, the sentences of the evidence that decide it, and the words of the claim
that are wrong or not backed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from assay.encoder.bundle import LABELS, REMEDY, Bundle, find_bundle, read_bundle
from assay.encoder.calibration import Calibration, earned
from assay.encoder.close import CloseInput, Place, close_input
from assay.encoder.network import ClaimInput, Network, RawOutput, ReadPassage, softmax
from assay.encoder.passages import (
    EncodedPassage,
    Key,
    encode_passages,
    encode_question,
    frame_claim,
    special_ids,
    split_passages,
)
from assay.encoder.scores import NOTHING, Scores, over_sentences
from assay.errors import ModelError, UsageError
from assay.lru import LruCache
from assay.text.sentences import split_sentences
from assay.types import Document, Passage, Span, Verdict
from assay.workers import release_memory

CLAIM_TOKENS = 128
SHOWN_TOKENS = 2000  # of evidence before a claim at once, about what training showed; more is narrowed first
NARROWED_PIECES = 6  # pieces of longer evidence that a claim is judged by: those its pointer ranks highest
_TEXTS = 1024  # passages kept as token ids
_CLAIMS = 256  # and claims


@dataclass(frozen=True, slots=True)
class PointedSentence:
    """A sentence of a document, and the share of the decision it carries."""

    document: Document
    span: Span
    weight: float
    kind: str
    similarity: float | None


@dataclass(frozen=True, slots=True)
class MarkedWord:
    """A word of a claim, and how likely it is the part that is wrong or not backed."""

    span: Span
    probability: float


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the model says of one claim: sentences with the deciding ones first, words in the claim's order."""

    scores: Scores
    sentences: tuple[PointedSentence, ...] = ()
    words: tuple[MarkedWord, ...] = ()


def reading_title(document: Document) -> str:
    """The title as the model reads it: with the document's date, which tells an old version from a new one."""
    return f"{document.title} ({document.date})".strip() if document.date else document.title


NO_OPINION = Opinion(NOTHING)


class Verifier:
    """One loaded model; safe to share between threads.

    >>> Verifier.load("huge")
    Traceback (most recent call last):
    assay.errors.UsageError: no verifier model 'huge': ...
    """

    _loaded: ClassVar[dict[tuple[str, int], Verifier]] = {}
    _lock: ClassVar[Lock] = Lock()

    def __init__(self, bundle: Bundle, threads: int = 2) -> None:
        self.name, self.version, self.sha256 = bundle.name, bundle.version, bundle.sha256
        try:
            self.tokenizer = Tokenizer.from_str(bundle.contents["tokenizer.json"].decode())
            special_ids(self.tokenizer)
        except Exception as problem:  # tokenizers raises plain exceptions
            raise ModelError(f"{bundle.folder}/tokenizer.json cannot be read ({problem}): {REMEDY}") from problem
        self.calibration = Calibration.parse(bundle.read_json("calibration.json"), bundle.labels)
        self._columns = [bundle.labels.index(label) for label in LABELS]
        self._network = Network(bundle, threads)
        self._finder, self._threads = bundle.finder, threads
        self._encode = lru_cache(maxsize=_TEXTS)(self._encode_text)
        # A claim is read with all of its evidence and again with each document that has a say.
        self._encode_claim = lru_cache(maxsize=_CLAIMS)(partial(self.tokenizer.encode, add_special_tokens=False))

    @classmethod
    def load(cls, name: str | os.PathLike[str] = "small", threads: int = 2) -> Verifier:
        """The shipped model of that name ("small", "base"), or the one in a folder; loaded once in a process."""
        if threads < 1:
            raise UsageError(f"a verifier needs at least one thread, not {threads}")
        key = (str(find_bundle(name).resolve()), threads)
        with cls._lock:
            if key not in cls._loaded:
                cls._loaded[key] = cls(read_bundle(Path(key[0])), threads)
                release_memory()
            return cls._loaded[key]

    def __repr__(self) -> str:
        return f"<Verifier {self.name} {self.version} {self.sha256[:12]}>"

    @property
    def passages_kept(self) -> LruCache[Key, ReadPassage]:
        """What was read and is kept, with how often it was found there."""
        return self._network.kept

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[Scores]:
        """Probabilities for (evidence, claim) pairs; evidence may be a whole document.

        Evidence is read as passages where it has blank lines and titles ("# Title"). A claim too long for one reading
        is judged sentence by sentence: it is as well supported as its weakest sentence.
        """
        cases: list[tuple[str, Sequence[Passage]]] = []
        sizes: list[int] = []
        for evidence, claim in pairs:
            passages = [
                Passage(Document(str(number), evidence[start:end], title=title), 0, end - start)
                for number, (title, start, end) in enumerate(split_passages(evidence), 1)
            ]
            parts = [claim]
            if len(self.tokenizer.encode(claim, add_special_tokens=False).ids) > CLAIM_TOKENS - 2:
                parts = [sentence.span.of(claim) for sentence in split_sentences(claim)] or [claim]
            cases += [(part, passages) for part in parts]
            sizes.append(len(parts))
        opinions = iter(self.judge(cases))
        return [over_sentences([next(opinions).scores for _ in range(size)]) for size in sizes]

    def decide(self, scores: Scores) -> tuple[Verdict, float]:
        """The verdict that probabilities earn by the model's calibration, and how sure it is.

        Between support and refutation nothing is settled either: then it is as sure as the likelier of them is unsure.
        """
        shares = scores.as_tuple()
        best = int(earned(np.asarray([shares]), self.calibration.false_refuted, self.calibration.false_supported)[0])
        sure = shares[best] if best < 2 else 1.0 - max(shares[:2])
        return Verdict(LABELS[best]), sure

    def judge(self, cases: Sequence[tuple[str, Sequence[Passage]]], question: str | None = None) -> list[Opinion]:
        """An opinion on each claim from its own passages; without words or evidence nothing is settled."""
        if self._finder is None:
            return self._judge_shared(cases, question)
        finder = self if self._finder == self.name else Verifier.load(self._finder, self._threads)
        return self._judge_closely(cases, finder.find(cases, question), question)

    def find(self, cases: Sequence[tuple[str, Sequence[Passage]]], question: str | None = None) -> list[Opinion]:
        """For each text the sentences of its passages that fit it best, by the reading that sees all of them."""
        return self._judge_shared(cases, question)

    def _judge_closely(
        self, cases: Sequence[tuple[str, Sequence[Passage]]], found: Sequence[Opinion], question: str | None
    ) -> list[Opinion]:
        """An opinion on each claim from the sentences that a finder points to for it.

        A claim is read once for each room of the calibration: with the best sentences alone, and with more around them.
        """
        frame = encode_question(question, self.tokenizer) if question else None
        inputs: dict[int, list[CloseInput]] = {}
        shown: dict[int, list[tuple[Passage, EncodedPassage]]] = {}
        for number, ((claim, passages), said) in enumerate(zip(cases, found, strict=True)):
            ids = frame_claim(self._encode_claim(claim).ids, self.tokenizer, CLAIM_TOKENS)
            ranks = {(one.document.id, one.span): one.weight for one in said.sentences}
            if len(ids) <= 2 or not ranks:
                continue
            pieces = {
                (piece.key, passage.start, passage.document.id): (passage, piece)
                for passage in passages
                for piece in self._encode(passage.text, reading_title(passage.document))
            }
            own = list(pieces.values())
            scores = [
                ranks.get((passage.document.id, sentence.span.shifted(passage.start)), -1.0)
                for passage, piece in own
                for sentence in piece.sentences
            ]
            read = [close_input(ids, [p for _, p in own], scores, frame, room) for room in self.calibration.rooms]
            inputs[number] = list(dict.fromkeys(read))  # short evidence fits into every room
            shown[number] = own
        raws = iter(self._network.judge_closely([one for read in inputs.values() for one in read]))
        readings = {number: [(one, next(raws)) for one in read] for number, read in inputs.items()}
        rows = self._probabilities([np.mean([raw.logits for _, raw in own], axis=0) for own in readings.values()])
        opinions = {
            number: self._close_opinion(cases[number][0], own, scores, shown[number])
            for (number, own), scores in zip(readings.items(), rows, strict=True)
        }
        return [opinions.get(number, NO_OPINION) for number in range(len(cases))]

    def _close_opinion(
        self,
        claim: str,
        readings: Sequence[tuple[CloseInput, RawOutput]],
        scores: Scores,
        shown: Sequence[tuple[Passage, EncodedPassage]],
    ) -> Opinion:
        """What the readings of one claim say together: each has an equal share of the decision."""
        weights: dict[Place, float] = {}
        for read, raw in readings:
            for (where, _, _), weight in zip(read.sentences, softmax(raw.pointer).tolist(), strict=True):
                weights[where] = weights.get(where, 0.0) + weight / len(readings)
        sentences = []
        for (number, at), weight in weights.items():
            passage, piece = shown[number]
            sentence = piece.sentences[at]
            place = sentence.span.shifted(passage.start)
            sentences.append(PointedSentence(passage.document, place, weight, sentence.kind, passage.similarity))
        sentences.sort(key=lambda item: -item.weight)
        words = np.mean([raw.words for _, raw in readings], axis=0)
        return Opinion(scores, tuple(sentences), self._words(claim, words))

    def _judge_shared(self, cases: Sequence[tuple[str, Sequence[Passage]]], question: str | None) -> list[Opinion]:
        """An opinion on each claim, which sees all of its passages."""
        pieces: list[EncodedPassage] = []
        numbers: dict[Key, int] = {}
        shown: list[list[tuple[Passage, EncodedPassage]]] = []
        asked: list[ClaimInput] = []
        frame = encode_question(question, self.tokenizer) if question else None

        def number_of(piece: EncodedPassage) -> int:
            if piece.key not in numbers:
                numbers[piece.key] = len(pieces)
                pieces.append(piece)
            return numbers[piece.key]

        for claim, passages in cases:
            own = [
                (passage, piece)
                for passage in passages
                for piece in self._encode(passage.text, reading_title(passage.document))
            ]
            shown.append(own)
            given = list(dict.fromkeys(number_of(piece) for _, piece in own))
            if frame is not None and given:
                given.append(number_of(frame))
            asked.append(ClaimInput(frame_claim(self._encode_claim(claim).ids, self.tokenizer, CLAIM_TOKENS), given))
        read = self._network.read(pieces)
        answered = [number for number, item in enumerate(asked) if item.passages and len(item.ids) > 2]
        inputs = [self._narrowed(asked[number], read) for number in answered]
        raws = self._network.judge(inputs, read)
        rows = self._probabilities([raw.logits for raw in raws])
        output = dict(zip(answered, zip(inputs, raws, rows, strict=True), strict=True))
        found: list[Opinion] = []
        for number, (claim, _) in enumerate(cases):
            if number not in output:
                found.append(NO_OPINION)
                continue
            judged, raw, scores = output[number]
            found.append(self._opinion(claim, raw, scores, shown[number], judged.passages, numbers))
        return found

    def _narrowed(self, claim: ClaimInput, read: Sequence[ReadPassage]) -> ClaimInput:
        """The claim with the pieces of long evidence that its pointer ranks highest, in their order.

        Attention over far more text than training showed finds little in it. The pointer reads the evidence in
        stretches that are short enough.
        """
        if sum(len(read[number].ids) for number in claim.passages) <= SHOWN_TOKENS:
            return claim
        stretches: list[list[int]] = []
        room = 0
        for number in claim.passages:
            room -= len(read[number].ids)
            if room < 0:
                stretches.append([])
                room = SHOWN_TOKENS - len(read[number].ids)
            stretches[-1].append(number)
        asked = [ClaimInput(claim.ids, stretch) for stretch in stretches]
        best: dict[int, float] = {}
        for stretch, raw in zip(stretches, self._network.judge(asked, read), strict=True):
            at = 0
            for number in stretch:
                count = len(read[number].starts)
                best[number] = float(raw.pointer[at : at + count].max(initial=-np.inf))
                at += count
        chosen = sorted(best, key=lambda number: -best[number])[:NARROWED_PIECES]
        kept = {*chosen, *(number for number in best if not len(read[number].starts))}  # the question has no sentences
        return ClaimInput(claim.ids, [number for number in claim.passages if number in kept])

    def _probabilities(self, logits: Sequence[NDArray[np.float32]]) -> list[Scores]:
        if not logits:
            return []
        rows = self.calibration.apply(np.stack(logits).astype(float))[:, self._columns]
        return [Scores(*row) for row in rows.tolist()]

    def _encode_text(self, text: str, title: str) -> tuple[EncodedPassage, ...]:
        return tuple(encode_passages(text, title, self.tokenizer))

    def _opinion(
        self,
        claim: str,
        raw: RawOutput,
        scores: Scores,
        shown: Sequence[tuple[Passage, EncodedPassage]],
        judged_by: Sequence[int],
        numbers: dict[Key, int],
    ) -> Opinion:
        weights = iter(softmax(raw.pointer).tolist())
        where: dict[int, tuple[Passage, EncodedPassage]] = {}
        for passage, piece in shown:  # the same words in two documents are read once and quoted from the first
            where.setdefault(numbers[piece.key], (passage, piece))
        sentences = [
            PointedSentence(
                passage.document,
                sentence.span.shifted(passage.start),
                next(weights),
                sentence.kind,
                passage.similarity,
            )
            for passage, piece in (where[number] for number in judged_by if number in where)
            for sentence in piece.sentences
        ]
        sentences.sort(key=lambda item: -item.weight)
        return Opinion(scores, tuple(sentences), self._words(claim, raw.words))

    def _words(self, claim: str, scores: NDArray[np.float32]) -> tuple[MarkedWord, ...]:
        """Token scores as word scores: a word is as doubtful as its most doubtful token."""
        encoded = self._encode_claim(claim)
        chances = 1 / (1 + np.exp(-np.asarray(scores[1:-1], dtype=float)))
        found: list[MarkedWord] = []
        last = None
        for chance, word, (start, end) in zip(chances, encoded.word_ids, encoded.offsets, strict=False):
            if word == last and found:
                before = found[-1]
                found[-1] = MarkedWord(Span(before.span.start, end), max(before.probability, float(chance)))
            else:
                found.append(MarkedWord(Span(start, end), float(chance)))
            last = word
        return tuple(found)
