"""The verifier model as a judge: all claims of an answer read at once against their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from time import perf_counter

from assay.encoder.bundle import find_bundle, read_bundle
from assay.encoder.evidence import EvidenceReader, Opinion, PointedSentence
from assay.encoder.scores import Scores
from assay.explanation import fit
from assay.judges.asking import Deliberation, not_checkable
from assay.judges.budget import Budget
from assay.judges.conflicts import Conflict, documents_with_a_say, find_conflict
from assay.judges.encoder import in_answer
from assay.judges.reasons import deciding_sentences, explain_opinion, marked_stretches
from assay.judges.statement import self_standing
from assay.lexical.wording import name_source
from assay.lexical.words import words_of
from assay.policy import Policy
from assay.text.language import is_english
from assay.text.sentences import split_sentences
from assay.types import Claim, Document, Evidence, Judgement, Passage, RiskFlag, Stance, Support, Verdict

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
        texts = [self_standing(claim) for claim in claims]
        readable = [
            claim.checkable and is_english(text) and all(is_english(passage.text) for passage in given)
            for claim, text, given in zip(claims, texts, passages, strict=True)
        ]
        opinions = reader.judge(
            [(text, given if known else ()) for text, given, known in zip(texts, passages, readable, strict=True)],
            question,
        )
        conflicts = self._conflicts(reader, texts, passages, opinions, question)
        share = (perf_counter() - started) * 1000 / max(1, len(claims))
        found, foreign = [], 0
        for number, claim in enumerate(claims):
            if not claim.checkable:
                found.append(not_checkable(claim))
                continue
            if readable[number] or not passages[number]:
                judgement = self._judgement(claim, texts[number], opinions[number], conflicts.get(number))
            else:
                foreign += 1
                judgement = judge_unread(claim, passages[number], self.policy)
            found.append(replace(judgement, latency_ms=share))
        flags = (_foreign_flag(foreign),) if foreign else ()
        return Deliberation(tuple(found), flags)

    def _conflicts(
        self,
        reader: EvidenceReader,
        texts: Sequence[str],
        passages: Sequence[Sequence[Passage]],
        opinions: Sequence[Opinion],
        question: str | None,
    ) -> dict[int, Conflict]:
        """Claims on which single documents disagree: those that two or more documents have a say in are read again."""
        again: list[tuple[int, Document]] = []
        for number, opinion in enumerate(opinions):
            said = documents_with_a_say(opinion)
            again += [(number, document) for document in said] if len(said) > 1 else []
        cases = [(texts[n], [p for p in passages[n] if p.document == document]) for n, document in again]
        alone: dict[int, list[tuple[Document, Opinion]]] = {}
        for (number, document), opinion in zip(again, reader.judge(cases, question), strict=True):
            alone.setdefault(number, []).append((document, opinion))
        found = {number: find_conflict(given, self.policy) for number, given in alone.items()}
        return {number: conflict for number, conflict in found.items() if conflict is not None}

    def _cut_offs(self) -> tuple[float, float]:
        """Of REFUTED and of SUPPORTED: the policy's, where it sets one, else those the model was calibrated with."""
        own = self.warm().calibration
        rules = self.policy
        return rules.refute_probability or own.refuted_from, rules.support_probability or own.supported_from

    def _judgement(self, claim: Claim, text: str, opinion: Opinion, conflict: Conflict | None) -> Judgement:
        verdict, confidence = earned_verdict(opinion.scores, *self._cut_offs())
        quotes = deciding_sentences(opinion)
        if conflict is not None:
            verdict, confidence = conflict.verdict, conflict.confidence
            quotes = (conflict.deciding, conflict.opposing)
        elif verdict is Verdict.REFUTED and any(says_the_same(text, s) for s in opinion.sentences):
            verdict, confidence = Verdict.INSUFFICIENT, self.policy.unsettled_confidence
        marked = marked_stretches(text, opinion, verdict)
        stances = [_STANCES.get(verdict, Stance.NEUTRAL)] * len(quotes)
        if conflict is not None:
            stances[1] = Stance.REFUTES if verdict is Verdict.SUPPORTED else Stance.SUPPORTS
        evidence = tuple(
            Evidence.cite(s.document, s.span.start, s.span.end, stance=stance, similarity=s.similarity)
            for s, stance in zip(quotes, stances, strict=True)
        )
        said = conflict.reason if conflict else explain_opinion(text, verdict, quotes, marked, self.policy)
        return Judgement(
            verdict,
            confidence,
            f"encoder:{self.name}",
            _SUPPORT.get(verdict, Support.NONE),
            fit(said, self.policy.explanation_max_tokens),
            evidence,
            violations=("SOURCES_DISAGREE",) if conflict else (),
            unsupported=in_answer(claim, marked) if text == claim.text else (),
        )


def earned_verdict(scores: Scores, refuted_from: float, supported_from: float) -> tuple[Verdict, float]:
    """The verdict and its confidence; what does not reach the cut-off of a verdict settles nothing."""
    if scores.refuted >= refuted_from and scores.refuted > scores.supported:
        return Verdict.REFUTED, scores.refuted
    if scores.supported > max(scores.refuted, scores.insufficient, supported_from):
        return Verdict.SUPPORTED, scores.supported
    return Verdict.INSUFFICIENT, scores.insufficient + min(scores.refuted, 1 - scores.supported)


def says_the_same(claim: str, sentence: PointedSentence) -> bool:
    """Whether a claim is, word for word, a sentence of its evidence."""
    return words_of(claim) == words_of(sentence.span.of(sentence.document.text))


def judge_unread(claim: Claim, passages: Sequence[Passage], policy: Policy) -> Judgement:
    """The judgement where the model cannot read the language: a source has the very words, or nothing is settled."""
    said = words_of(claim.text)
    for passage in passages:
        for sentence in split_sentences(passage.text):
            if said and words_of(sentence.span.of(passage.text)) == said:
                place = sentence.span.shifted(passage.start)
                quote = Evidence.cite(passage.document, place.start, place.end, stance=Stance.SUPPORTS)
                words = f"These words stand in {name_source(passage.document)}."
                return Judgement(Verdict.SUPPORTED, policy.span_confidence, "span", Support.FULL, words, (quote,))
    reason = "The text is not in English, which the verifier does not read, and no source has these very words."
    return Judgement(Verdict.INSUFFICIENT, policy.unsettled_confidence, "none", explanation=reason)


def _foreign_flag(count: int) -> RiskFlag:
    claims = "one claim is" if count == 1 else f"{count} claims are"
    return RiskFlag(
        "language_not_supported",
        "medium",
        f"{claims} not in English or has sources that are not: only sentences found word for word were supported",
    )
