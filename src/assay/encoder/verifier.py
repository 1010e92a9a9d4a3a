"""The verifier: (evidence, claim) in, three calibrated probabilities out, for evidence and claims of any length."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.encoder.bundle import LABELS, find_bundle, read_bundle
from assay.encoder.calibration import Calibration
from assay.encoder.pairing import Pair, Pairing, Tokens
from assay.encoder.scores import Scores, over_sentences, over_text
from assay.encoder.subject import Subject, has_words, rank
from assay.encoder.windows import Source, Window, fill, split_units
from assay.errors import UsageError
from assay.policy import Policy
from assay.types import Passage, Span

if TYPE_CHECKING:
    from assay.encoder.ruling import Ruling

Ids = NDArray[np.int64]

WINDOW_TOKENS = 350  # more evidence at once dilutes, less cuts facts apart
OVERLAP_TOKENS = 60  # about two sentences
NEAREST_WINDOWS = 3  # of one long text, beside its digest


class Verifier:
    """One loaded model; safe to share between threads.

    >>> Verifier.load("huge")
    Traceback (most recent call last):
    assay.errors.UsageError: no verifier model 'huge': ...
    """

    _loaded: ClassVar[dict[tuple[str, int], Verifier]] = {}
    _lock: ClassVar[Lock] = Lock()

    def __init__(self, folder: str | os.PathLike[str], threads: int = 2) -> None:
        from assay.encoder.network import Network

        if threads < 1:
            raise UsageError(f"a verifier needs at least one thread, not {threads}")
        bundle = read_bundle(find_bundle(folder))
        self.name, self.version, self.sha256 = bundle.name, bundle.version, bundle.sha256
        self.max_tokens = bundle.max_tokens
        self.pairing = Pairing(bundle.contents["tokenizer.json"])
        self.calibration = Calibration.parse(bundle.read_json("calibration.json"), bundle.labels)
        self._columns = [bundle.labels.index(label) for label in LABELS]
        self._network = Network(bundle, threads)

    @classmethod
    def load(cls, name: str | os.PathLike[str] = "small", threads: int = 2) -> Verifier:
        """The model of that name or in that folder, loaded once in a process."""
        key = (str(find_bundle(name).resolve()), threads)
        with cls._lock:
            if key not in cls._loaded:
                cls._loaded[key] = cls(key[0], threads)
            return cls._loaded[key]

    def __repr__(self) -> str:
        return f"<Verifier {self.name} {self.version} {self.sha256[:12]}>"

    def score(self, pairs: Iterable[tuple[str, str]], *, by_sentence: bool = False) -> list[Scores]:
        """The scores of each (evidence, claim).

        Long evidence is read in windows. A claim too long for one reading, or any claim of several sentences where
        `by_sentence` is set, is read in parts and is only as good as its weakest part.
        """
        sources: dict[str, Source] = {}
        readings: list[tuple[Ids, Ids]] = []
        plans: list[list[tuple[int, list[bool]]]] = []
        for evidence, claim in pairs:
            plan: list[tuple[int, list[bool]]] = []
            for part in self.parts(claim, by_sentence) if has_words(evidence) else ():
                if evidence not in sources:
                    sources[evidence] = self.source(evidence)
                texts, about = self._texts(sources[evidence], part)
                plan.append((len(readings), about))
                readings.extend((text, part.ids) for text in texts)
            plans.append(plan)
        # The longest first, so that no thread is left alone with a long one at the end.
        order = sorted(range(len(readings)), key=lambda n: -len(readings[n][0]))
        read = dict(zip(order, self.read(readings[n] for n in order), strict=True))
        found = [read[n] for n in range(len(readings))]
        return [
            over_sentences([over_text(found[first : first + len(about)], about) for first, about in plan])
            for plan in plans
        ]

    def judge_passages(self, claim: str, passages: Sequence[Passage], policy: Policy | None = None) -> Ruling:
        """The verdict over passages, with the words that decided it as a receipt."""
        from assay.encoder.ruling import rule

        return rule(self, claim, passages, policy or Policy())

    def unsupported_words(self, claim: str, evidence: str) -> tuple[Span, ...]:
        """The stretches of a claim that keep the evidence from supporting it; none when it is supported."""
        from assay.encoder.occlusion import find_unsupported

        return find_unsupported(self, claim, evidence)

    def source(self, text: str) -> Source:
        return Source(self.pairing.tokens(text))

    def room(self, claim: Tokens) -> int:
        """How many tokens of evidence fit beside a claim."""
        return min(WINDOW_TOKENS, self.max_tokens - self.pairing.specials - len(claim))

    def parts(self, claim: str, by_sentence: bool = False) -> list[Tokens]:
        """A claim as pieces that leave half of the sequence to the evidence: usually one, none if it has no words."""
        tokens = self.pairing.tokens(claim)
        most = self.max_tokens // 2
        if len(tokens) <= most and not by_sentence:
            return [tokens] if has_words(claim) else []
        units = split_units(tokens, most)
        sizes = [len(tokens.between(unit.start, unit.end)) for unit in units]
        ranges = fill(sizes, 1 if by_sentence else most, 0)
        spans = [Span(units[first].start, units[last - 1].end) for first, last in ranges]
        return [
            part for part in (self.pairing.tokens(span.of(claim).strip()) for span in spans) if has_words(part.text)
        ]

    def windows(self, sources: Sequence[Source], claim: Tokens) -> list[Window]:
        """Everything in the sources, in pieces that fit beside a claim."""
        room = self.room(claim)
        return [window for source in sources for window in source.windows(room, OVERLAP_TOKENS)]

    def _texts(self, source: Source, claim: Tokens) -> tuple[list[Ids], list[bool]]:
        """What of a text is read for a claim, and whether each piece is about its subject: all, or the nearest windows
        and a digest of the nearest sentences."""
        windows = self.windows([source], claim)
        if len(windows) == 1:  # whoever gives one short text as evidence says that it is about the claim
            return [windows[0].ids], [True]
        subject = Subject.of(claim.text)
        near = [windows[number] for number in rank(subject, [window.stems for window in windows], NEAREST_WINDOWS)]
        digest, same = source.digest(subject, self.room(claim))
        return [*(window.ids for window in near), digest], [*(subject.is_about(window.stems) for window in near), same]

    def read(self, readings: Iterable[tuple[Ids, Ids]]) -> list[Scores]:
        """Calibrated scores of (evidence, claim) as token ids; the same reading is done only once."""
        numbers: list[int] = []
        known: dict[tuple[bytes, bytes], int] = {}

        def new() -> Iterator[Pair]:
            for evidence, claim in readings:
                key = (evidence.tobytes(), claim.tobytes())
                if key not in known:
                    known[key] = len(known)
                    yield self.pairing.join(evidence, claim)
                numbers.append(known[key])

        logits = self._network.logits(new())
        if not numbers:
            return []
        scores = [Scores(*row) for row in self.calibration.apply(logits)[:, self._columns].tolist()]
        return [scores[number] for number in numbers]
