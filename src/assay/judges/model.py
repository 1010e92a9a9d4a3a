"""The verifier model as a judge: all claims of an answer read at once against their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from time import perf_counter

from assay.encoder.bundle import find_bundle, read_bundle
from assay.encoder.evidence import EvidenceReader, Opinion
from assay.encoder.scores import Scores
from assay.judges.asking import Deliberation, not_checkable
from assay.judges.budget import Budget
from assay.judges.encoder import in_answer
from assay.judges.reasons import deciding_sentences, explain_opinion, marked_stretches
from assay.judges.statement import self_standing
from assay.policy import Policy
from assay.types import Claim, Evidence, Judgement, Passage, Stance, Support, Verdict

_STANCES = {Verdict.SUPPORTED: Stance.SUPPORTS, Verdict.REFUTED: Stance.REFUTES}
_SUPPORT = {Verdict.SUPPORTED: Support.FULL, Verdict.REFUTED: Support.CONTRADICTED}


class ModelJudge:
    """One size of the verifier; loaded when the first claim comes, then shared by all threads."""

    reads_whole = True  # short documents need no search: the model reads them as they are

    def __init__(self, name: str | Path, policy: Policy) -> None:
        self.name = Path(name).name
        self.folder = find_bundle(name)
        self.policy = policy
        self._reader: EvidenceReader | None = None
        self._lock = Lock()

    def warm(self) -> EvidenceReader:
        """Loads the model, once."""
        with self._lock:
            if self._reader is None:
                self._reader = EvidenceReader(read_bundle(self.folder), self.policy.threads)
            return self._reader

    def judge(
        self, claims: Sequence[Claim], passages: Sequence[Sequence[Passage]], question: str | None = None
    ) -> list[Judgement]:
        """One judgement for each claim from its own passages."""
        return list(self.deliberate(claims, passages, question).judgements)

    def deliberate(
        self,
        claims: Sequence[Claim],
        passages: Sequence[Sequence[Passage]],
        question: str | None = None,
        budget: Budget | None = None,
    ) -> Deliberation:
        """The same for a whole answer."""
        reader = self.warm()
        started = perf_counter()
        cases = [
            (self_standing(claim), given if claim.checkable else ())
            for claim, given in zip(claims, passages, strict=True)
        ]
        opinions = reader.judge(cases, question)
        share = (perf_counter() - started) * 1000 / max(1, len(claims))
        return Deliberation(
            tuple(
                self._judgement(claim, text, opinion, share) if claim.checkable else not_checkable(claim)
                for claim, (text, _), opinion in zip(claims, cases, opinions, strict=True)
            )
        )

    def _judgement(self, claim: Claim, text: str, opinion: Opinion, latency_ms: float) -> Judgement:
        verdict, confidence = earned_verdict(opinion.scores, self.policy)
        quotes = deciding_sentences(opinion)
        marked = marked_stretches(text, opinion, verdict)
        evidence = tuple(
            Evidence.cite(
                sentence.document,
                sentence.span.start,
                sentence.span.end,
                stance=_STANCES.get(verdict, Stance.NEUTRAL),
                similarity=sentence.similarity,
            )
            for sentence in quotes
        )
        return Judgement(
            verdict,
            confidence,
            f"encoder:{self.name}",
            _SUPPORT.get(verdict, Support.NONE),
            explain_opinion(text, verdict, quotes, marked, self.policy),
            evidence,
            unsupported=in_answer(claim, marked) if text == claim.text else (),
            latency_ms=latency_ms,
        )


def earned_verdict(scores: Scores, policy: Policy) -> tuple[Verdict, float]:
    """The verdict and its confidence; a refutation below its cut-off is not earned and settles nothing."""
    if scores.refuted >= policy.refute_probability and scores.refuted > scores.supported:
        return Verdict.REFUTED, scores.refuted
    if scores.supported > max(scores.refuted, scores.insufficient, policy.support_probability):
        return Verdict.SUPPORTED, scores.supported
    return Verdict.INSUFFICIENT, scores.insufficient + min(scores.refuted, 1 - scores.supported)
