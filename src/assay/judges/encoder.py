"""The verifier model as a tier of a cascade: all open claims read at once, weighed with what the words show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING

from assay.claims import locate
from assay.encoder.scores import Scores
from assay.explanation import explain, unsupported_spans
from assay.judges.fusion import load_fusion
from assay.judges.signals import Signals
from assay.judges.statement import self_standing
from assay.policy import Policy
from assay.types import Claim, Evidence, Judgement, Passage, Span, Stance, Support, Verdict

if TYPE_CHECKING:
    from assay.encoder.docket import Brief, Docket, Place, Reading

_STANCES = {Verdict.SUPPORTED: Stance.SUPPORTS, Verdict.REFUTED: Stance.REFUTES}
_MOST_QUOTES = 2


@dataclass(frozen=True, slots=True)
class Case:
    """A claim before a tier: its passages, and what the words show."""

    claim: Claim
    passages: Sequence[Passage]
    signals: Signals


class EncoderTier:
    """One size of the verifier; loaded when the first open claim comes, then shared by all threads."""

    def __init__(self, size: str, policy: Policy) -> None:
        self.name = size
        self.policy = policy
        self.load_ms = 0.0
        self._docket: Docket | None = None
        self._lock = Lock()

    @cached_property
    def model(self) -> str:
        """What identifies the weights, from the manifest alone: nothing is loaded for it."""
        from assay.encoder.bundle import find_bundle
        from assay.errors import AssayError
        from assay.types import sha256_of

        try:
            manifest = find_bundle(self.name) / "manifest.json"
            return sha256_of(manifest.read_bytes().decode("utf-8", "replace"))
        except (AssayError, OSError):
            return "missing"

    def load(self) -> float:
        """Makes the model ready and returns the milliseconds it took now; 0 when it was."""
        if self._docket is not None:
            return 0.0
        started = perf_counter()
        with self._lock:
            if self._docket is None:
                from assay.encoder import Verifier
                from assay.encoder.docket import Docket

                self._docket = Docket(Verifier.load(self.name, self.policy.threads))
        return (perf_counter() - started) * 1000

    def judge(self, cases: Iterable[Case]) -> list[tuple[Judgement, Scores]]:
        """For each case a judgement, and the probabilities behind it; cases are read as they come."""
        self.load()
        assert self._docket is not None
        started = perf_counter()
        taken, waited = [], 0.0  # the time in which a case was made ready is not this tier's

        def given() -> Iterator[tuple[str, Sequence[Passage]]]:
            nonlocal waited
            asked = perf_counter()
            for case in cases:
                waited += perf_counter() - asked
                taken.append(case)
                yield self_standing(case.claim), case.passages
                asked = perf_counter()
            waited += perf_counter() - asked

        readings = self._docket.read(given(), self.policy.reading_tokens, self.policy.passages_per_claim)
        fusion = load_fusion(self.name, self._docket.verifier.sha256)
        found = []
        for case, reading in zip(taken, readings, strict=True):
            scores = fusion.combine(case.signals, reading.scores)
            found.append((self._judgement(case, reading, *fusion.decide(case.signals, scores)), scores))
        share = (perf_counter() - started - waited) * 1000 / max(1, len(taken))
        return [(replace(judgement, latency_ms=share), scores) for judgement, scores in found]

    def oppose(self, cases: Sequence[Case]) -> list[tuple[Evidence, ...]]:
        """For each case the places of two documents of which one surely backs the claim and the other surely denies it.

        Only documents that speak of the claim at length are read alone, so that most claims cost nothing.
        """
        self.load()
        assert self._docket is not None
        alone: list[tuple[int, Brief]] = []
        for number, case in enumerate(cases):
            text = self_standing(case.claim)
            given: dict[str, list[Passage]] = {}
            for passage in case.passages:
                if self._docket.speaks_of(text, passage):
                    given.setdefault(passage.document_id, []).append(passage)
            if len(given) > 1:
                briefs = [self._docket.prepare(text, own, self.policy.reading_tokens) for own in given.values()]
                alone += [(number, brief) for brief in briefs if brief is not None]
        readings = self._docket.read_briefs([brief for _, brief in alone])
        found: list[tuple[Evidence, ...]] = []
        for number in range(len(cases)):
            own = [reading for (at, _), reading in zip(alone, readings, strict=True) if at == number]
            found.append(self._opposites(own))
        return found

    def _opposites(self, readings: Sequence[Reading]) -> tuple[Evidence, ...]:
        backing = [r for r in readings if r.scores.supported >= self.policy.unsure_high]
        denying = [r for r in readings if r.scores.refuted >= self.policy.unsure_high]
        if not backing or not denying:
            return ()
        return tuple(
            Evidence.cite(place.document, place.span.start, place.span.end, stance=stance, similarity=place.similarity)
            for place, stance in ((backing[0].places[0], Stance.SUPPORTS), (denying[0].places[0], Stance.REFUTES))
        )

    def _judgement(self, case: Case, reading: Reading, verdict: Verdict, confidence: float) -> Judgement:
        places = _telling(case.claim, reading.places)
        missing = _missing(case.claim, reading.places)
        evidence = tuple(
            Evidence.cite(
                place.document,
                place.span.start,
                place.span.end,
                stance=_STANCES.get(verdict, Stance.NEUTRAL),
                similarity=place.similarity,
            )
            for place in places
        )
        quotes = [(place.document, item.quote) for place, item in zip(places, evidence, strict=True)]
        spans = unsupported_spans(case.claim.text, verdict, evidence[0].quote if evidence else "", missing)
        return Judgement(
            verdict,
            confidence,
            f"encoder:{self.name}",
            self._support(verdict, case.signals),
            explain(case.claim.text, verdict, quotes, missing, self.policy),
            evidence,
            unsupported=in_answer(case.claim, spans),
        )

    def _support(self, verdict: Verdict, signals: Signals) -> Support:
        if verdict is Verdict.SUPPORTED:
            return Support.FULL
        if verdict is Verdict.REFUTED:
            return Support.CONTRADICTED
        return Support.PARTIAL if signals.coverage >= self.policy.partial_coverage else Support.NONE


def in_answer(claim: Claim, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Stretches of a claim's text where they stand in the answer."""
    return tuple(sorted(place for span in spans for place in locate(claim, span)))


def _telling(claim: Claim, places: Sequence[Place]) -> list[Place]:
    """The nearest place, and another that has words of the claim which the first lacks."""
    from assay.encoder.subject import Subject

    words = Subject.of(claim.text).words
    if not places:
        return []
    chosen = [places[0]]
    held = places[0].stems
    for place in places[1:]:
        new = len((place.stems & words) - held)
        # One more word in another document is mostly chance; in the same one it is mostly the subject.
        if len(chosen) < _MOST_QUOTES and new >= (1 if place.document == chosen[0].document else 2):
            chosen.append(place)
            held |= place.stems
    return chosen


def _missing(claim: Claim, places: Sequence[Place]) -> list[str]:
    """The content words of a claim that nothing it was shown has, as they were written."""
    from assay.encoder.subject import roots
    from assay.text.tokens import WORD

    held: frozenset[str] = frozenset().union(*(place.stems for place in places))
    for place in places:
        held |= {root for _, root in roots(place.document.title)}
    wanted = dict(roots(claim.text))
    return list(
        dict.fromkeys(
            match.group()
            for match in WORD.finditer(claim.text)
            if match.start() in wanted and wanted[match.start()] not in held
        )
    )
