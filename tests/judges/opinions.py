"""Claims, passages and opinions as tests write them down, and a tier that says what it is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.encoder.scores import Scores
from assay.encoder.verifier import MarkedWord, Opinion, PointedSentence
from assay.judges.tier import ModelTier
from assay.policy import Policy
from assay.text.sentences import split_sentences
from assay.types import Claim, Document, Passage, Span, Verdict

SURE, UNSURE, NO = Scores(0.95, 0.02, 0.03), Scores(0.6, 0.1, 0.3), Scores(0.1, 0.1, 0.8)
WRONG = Scores(0.02, 0.95, 0.03)


def claim(text: str, **more: object) -> Claim:
    return Claim(text, (Span(0, len(text)),), **more)  # type: ignore[arg-type]


def whole(document: Document) -> Passage:
    return Passage(document, 0, len(document.text))


def passage(text: str, id: str = "source") -> Passage:
    return whole(Document(id, text))


def sentence(document: Document, text: str, weight: float = 1.0, kind: str = "prose") -> PointedSentence:
    start = document.text.index(text)
    return PointedSentence(document, Span(start, start + len(text)), weight, kind, None)


def words(text: str, *wrong: str) -> tuple[MarkedWord, ...]:
    """The words of a claim, those that are wrong with a high probability."""
    found, at = [], 0
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        found.append(MarkedWord(Span(start, at), 0.9 if word.strip(".") in wrong else 0.1))
    return tuple(found)


Say = Callable[[str, Sequence[Passage]], Scores]


class FixedTier(ModelTier):
    """A tier that gives the scores it is told to, points to each sentence alike, and notes what it was shown."""

    def __init__(
        self, name: str, scores: Scores | Say, wait: Callable[[], None] = lambda: None, wrong: Sequence[str] = ()
    ) -> None:
        super().__init__(name, Policy())
        self.say: Say = scores if callable(scores) else lambda text, passages: scores
        self.wait, self.wrong, self.seen, self.questions = wait, wrong, [], []
        self.model = name

    def load(self) -> float:
        return 0.0

    def judge(self, cases, question):
        self.wait()
        self.seen += [text for text, _ in cases]
        self.questions.append(question)
        return [self._opinion(text, given) for text, given in cases]

    def _opinion(self, text: str, given: Sequence[Passage]) -> Opinion:
        places = [(p, s) for p in given for s in split_sentences(p.text)]
        pointed = [
            PointedSentence(p.document, s.span.shifted(p.start), 1 / len(places), s.kind, p.similarity)
            for p, s in places
        ]
        return Opinion(self.say(text, given), tuple(pointed), words(text, *self.wrong))

    def decide(self, scores: Scores) -> tuple[Verdict, float]:
        return scores.verdict, scores.confidence
