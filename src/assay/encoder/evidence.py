"""Claims judged against passages: probabilities, the sentences that decide, the words that are not backed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from assay.encoder.bundle import LABELS, Bundle
from assay.encoder.calibration import Calibration
from assay.encoder.passages import EncodedPassage, encode_claim, encode_passages, encode_question
from assay.encoder.reader import Question, RawOpinion, Reader, softmax
from assay.encoder.scores import NOTHING, Scores
from assay.types import Document, Passage, Span

CLAIM_TOKENS = 128
_TEXTS = 4096  # passages kept as token ids


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


class EvidenceReader:
    """One loaded model; safe to share between threads."""

    def __init__(self, bundle: Bundle, threads: int) -> None:
        self.name, self.version, self.sha256 = bundle.name, bundle.version, bundle.sha256
        self.tokenizer = Tokenizer.from_str(bundle.contents["tokenizer.json"].decode())
        self.calibration = Calibration.parse(bundle.read_json("calibration.json"), bundle.labels)
        self._columns = [bundle.labels.index(label) for label in LABELS]
        self._reader = Reader(bundle, threads)
        self._encode = lru_cache(maxsize=_TEXTS)(self._encode_text)

    def judge(self, cases: Sequence[tuple[str, Sequence[Passage]]], question: str | None = None) -> list[Opinion]:
        """An opinion on each claim from its own passages; without words or evidence nothing is settled."""
        pieces: list[EncodedPassage] = []
        numbers: dict[tuple[int, ...], int] = {}
        shown: list[list[tuple[Passage, EncodedPassage]]] = []
        asked: list[Question] = []
        frame = encode_question(question, self.tokenizer) if question else None

        def number_of(piece: EncodedPassage) -> int:
            if piece.ids not in numbers:
                numbers[piece.ids] = len(pieces)
                pieces.append(piece)
            return numbers[piece.ids]

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
            asked.append(Question(encode_claim(claim, self.tokenizer, CLAIM_TOKENS), given))
        read = self._reader.read(pieces)
        open_ = [number for number, question_ in enumerate(asked) if question_.passages and len(question_.ids) > 2]
        raw = dict(zip(open_, self._reader.judge([asked[n] for n in open_], read), strict=True))
        found: list[Opinion] = []
        for number, (claim, _) in enumerate(cases):
            if number not in raw:
                found.append(NO_OPINION)
                continue
            order = {n: at for at, n in enumerate(asked[number].passages)}
            found.append(self._opinion(claim, raw[number], shown[number], order, numbers))
        return found

    def _encode_text(self, text: str, title: str) -> tuple[EncodedPassage, ...]:
        return tuple(encode_passages(text, title, self.tokenizer))

    def _opinion(
        self,
        claim: str,
        raw: RawOpinion,
        shown: Sequence[tuple[Passage, EncodedPassage]],
        order: dict[int, int],
        numbers: dict[tuple[int, ...], int],
    ) -> Opinion:
        row = self.calibration.apply(np.asarray([raw.logits], dtype=float))[0, self._columns]
        weights = softmax(raw.pointer)
        sentences: list[PointedSentence] = []
        done: set[int] = set()
        at = {}
        place = 0
        for passage, piece in shown:  # the same words in two documents are read once and quoted from the first
            number = numbers[piece.ids]
            if number in done:
                continue
            done.add(number)
            at[number] = (passage, piece)
        for number in order:
            if number not in at:
                continue
            passage, piece = at[number]
            for sentence in piece.sentences:
                span = sentence.span.shifted(passage.start)
                sentences.append(
                    PointedSentence(passage.document, span, float(weights[place]), sentence.kind, passage.similarity)
                )
                place += 1
        sentences.sort(key=lambda item: -item.weight)
        return Opinion(Scores(*row.tolist()), tuple(sentences), self._words(claim, raw.words))

    def _words(self, claim: str, scores: NDArray[np.float32]) -> tuple[MarkedWord, ...]:
        """Token scores as word scores: a word is as doubtful as its most doubtful token."""
        encoded = self.tokenizer.encode(claim, add_special_tokens=False)
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
