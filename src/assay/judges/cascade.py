"""The judge that every interface uses: the best model at hand, and behind it a language model, if given.

The language model is asked only about claims that stay unsure, and each judgement names the tier that decided.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from assay.claims import locate
from assay.errors import ModelError
from assay.explanation import fit
from assay.judges import Judge, levels, make_judge
from assay.judges.asking import Deliberation, not_checkable, unspoken_of, unverified
from assay.judges.budget import Budget
from assay.judges.conflicts import Conflict, documents_with_a_say, find_conflict, speaks_of
from assay.judges.contract import check_contract
from assay.judges.copied import find_copied, find_limited
from assay.judges.foreign import is_readable, judge_unread, language_flag
from assay.judges.lexical import LexicalJudge
from assay.judges.reasons import deciding_sentences, explain_opinion, marked_stretches
from assay.judges.statement import Statement
from assay.judges.tier import ModelTier
from assay.policy import Policy
from assay.types import Claim, Evidence, Judgement, Passage, RiskFlag, Span, Stance, Support, Verdict

if TYPE_CHECKING:
    from assay.encoder.verifier import Opinion
    from assay.types import Document

log = logging.getLogger(__name__)
Done = TypeVar("Done")
TORN = 0.25  # probability of INSUFFICIENT below which an open claim lies between support and refutation
_AT_ONCE = 8  # claims judged between two looks at the clock, where there is a limit
_STANCES = {Verdict.SUPPORTED: Stance.SUPPORTS, Verdict.REFUTED: Stance.REFUTES}
_SUPPORT = {Verdict.SUPPORTED: Support.FULL, Verdict.REFUTED: Support.CONTRADICTED}


class Cascade(Judge):
    """The last of the models that can be used, then, if there is one, a judge that may cost money."""

    reads_whole = True  # short documents need no search: the models read them as they are

    def __init__(
        self,
        policy: Policy | None = None,
        tiers: Sequence[str | ModelTier] = ("small", "base"),
        *,
        name: str = "cascade",
        last: Judge | None = None,
    ) -> None:
        self.name = name
        self.policy = policy or Policy()
        self.last = make_judge(last) if last is not None else None
        self.tiers = tuple(ModelTier(tier, self.policy) if isinstance(tier, str) else tier for tier in tiers)
        self.lexical = LexicalJudge(self.policy)
        self.broken: dict[str, str] = {}  # models that proved unusable, with what is wrong

    @cached_property
    def model(self) -> str:
        """What identifies everything that decides here: the weights, and the judge at the end."""
        parts = [f"{tier.name}@{tier.model[:12]}" for tier in self.tiers]
        if self.last is not None:
            parts.append(self.last.model)
        return " ".join([self.name, *parts])

    def judge(
        self, claims: Sequence[Claim], passages: Sequence[Sequence[Passage]], question: str | None = None
    ) -> list[Judgement]:
        """One judgement for each claim; input beyond the limits of one judgement is refused."""
        check_contract(claims, passages, question, self.policy)
        return list(self.deliberate(claims, passages, question).judgements)

    def warm(self) -> None:
        """Loads every model now, so that the first answer need not wait for it."""
        for tier in self.tiers:
            self.guarded(tier.name, tier.load)

    def warm_first(self) -> None:
        """Loads the model that the first claim goes to."""
        for tier in self.tiers[-1:]:
            self.guarded(tier.name, tier.load)

    def deliberate(
        self,
        claims: Sequence[Claim],
        passages: Sequence[Sequence[Passage]],
        question: str | None = None,
        budget: Budget | None = None,
    ) -> Deliberation:
        """The same for a whole answer, within its budget, with what went wrong beside the judgements."""
        return CascadeRun(self, claims, passages, question, budget or Budget(self.policy)).result()

    def guarded(self, name: str, work: Callable[[], Done]) -> Done | None:
        """The work of a tier, or None once its model has proved unusable."""
        if name in self.broken:
            return None
        try:
            return work()
        except ModelError as problem:
            self.broken[name] = str(problem)
            log.error("the model %r cannot be used and is left out: %s", name, problem)
            return None


class CascadeRun:
    """One answer on its way through the tiers."""

    def __init__(
        self,
        cascade: Cascade,
        claims: Sequence[Claim],
        passages: Sequence[Sequence[Passage]],
        question: str | None,
        budget: Budget,
    ) -> None:
        self.cascade, self.policy = cascade, cascade.policy
        self.claims, self.passages, self.question, self.budget = claims, passages, question, budget
        self.statements = [Statement.of(claim, given) for claim, given in zip(claims, passages, strict=True)]
        self.texts = [statement.text for statement in self.statements]
        self.opinions: dict[int, tuple[ModelTier, Opinion]] = {}
        self.judgements: dict[int, Judgement] = {}  # that need no model, or come from the judge at the end
        self.spent: dict[int, float] = {}  # milliseconds
        self.warnings: list[str] = []

    def result(self) -> Deliberation:
        waiting, foreign = self._to_read()
        self._consult_models(waiting)
        if self.cascade.last is not None:
            self._ask_last(self.cascade.last, [number for number in waiting if self._is_unsure(number)])
        conflicts = self._conflicts()
        for number, claim in enumerate(self.claims):
            if number not in self.judgements:
                self.judgements[number] = self._judgement(number, claim, conflicts.get(number))
        flags = [
            RiskFlag("fallback", "high", f"the model {name!r} cannot be used, {self._instead()}: {problem}")
            for name, problem in self.cascade.broken.items()
        ]
        return Deliberation(
            tuple(self.judgements[number] for number in range(len(self.claims))),
            (*flags, *((language_flag(foreign),) if foreign else ())),
            tuple(self.warnings),
            tuple(self.cascade.broken),
        )

    def _to_read(self) -> tuple[list[int], int]:
        """The claims for a model, and how many it cannot read; what needs none is judged here."""
        waiting, foreign = [], 0
        for number, (claim, given) in enumerate(zip(self.claims, self.passages, strict=True)):
            if not claim.checkable:
                self.judgements[number] = not_checkable(claim)
            elif given and not is_readable(self.texts[number], given):
                foreign += 1
                self.judgements[number] = judge_unread(claim, given, self.policy)
            elif given:
                waiting.append(number)
            else:
                self.judgements[number] = unspoken_of()
        return waiting, foreign

    def _consult_models(self, numbers: Sequence[int]) -> None:
        """The best model that can be used reads every claim; within a time limit the faster ones read them first."""
        timed = self.budget.is_timed
        for tier in self.cascade.tiers if timed else reversed(self.cascade.tiers):
            self._consult(tier, [n for n in numbers if timed or n not in self.opinions])

    def _consult(self, tier: ModelTier, numbers: Sequence[int]) -> None:
        if not numbers:
            return
        with self.budget.paused():
            self.cascade.guarded(tier.name, tier.load)
        step = _AT_ONCE if self.budget.is_limited else len(numbers)
        for at in range(0, len(numbers), step):
            if self.budget.out_of_time:
                left = len(numbers) - at
                self.warnings.append(f"{tier.name} did not see {_count(left)}: the time budget was used up")
                return
            self._read(tier, numbers[at : at + step])
            if self.budget.progress is not None:
                self.budget.progress(f"claims ({tier.name})", min(at + step, len(numbers)), len(numbers))

    def _read(self, tier: ModelTier, numbers: Sequence[int]) -> None:
        started = perf_counter()
        cases = [(self.texts[number], self.passages[number]) for number in numbers]
        found = self.cascade.guarded(tier.name, partial(tier.judge, cases, self.question))
        share = (perf_counter() - started) * 1000 / len(numbers)
        for number, opinion in zip(numbers, found or (), strict=bool(found)):
            self.opinions[number] = tier, opinion
            self.spent[number] = self.spent.get(number, 0.0) + share

    def _is_unsure(self, number: int) -> bool:
        """Whether a judge that costs money could change the outcome, and is worth it."""
        if number not in self.opinions:
            return True
        scores = self.opinions[number][1].scores
        return (
            scores.confidence < self.policy.unsure_high
            and max(scores.supported, scores.refuted) >= self.policy.unsure_low
        )

    def _ask_last(self, judge: Judge, numbers: Sequence[int]) -> None:
        """The claims that are still unsure, one by one, as far as the money goes."""
        for number in numbers:
            claim, given = self.claims[number], list(self.passages[number])[: self.policy.passages_per_claim]
            if self.budget.out_of_time or not self.budget.affords(judge.estimate_usd(claim, given)):
                self.warnings.append(f"{judge.name} was not asked about every unsure claim: the budget was used up")
                return
            judgement = judge.judge([claim], [given], self.question)[0]
            self.budget.pay(judgement.cost_usd)
            self.judgements[number] = replace(judgement, latency_ms=self.spent.get(number, 0.0) + judgement.latency_ms)

    def _conflicts(self) -> dict[int, Conflict]:
        """Claims on which single documents disagree; those that several documents speak of are judged again."""
        asked: list[tuple[int, Document]] = []
        for number, (_, opinion) in self.opinions.items():
            settled = self._decided(number)[0] is not Verdict.INSUFFICIENT
            said = documents_with_a_say(opinion, self.texts[number], self.passages[number] if settled else ())
            if len(said) > 1 and number not in self.judgements and not self.budget.out_of_time:
                asked += [(number, document) for document in said]
        if not asked:
            return {}
        first = self.cascade.tiers[0]
        by_first = {(number, d.id): opinion for number, d, opinion in self._opinions_alone(first, asked)}
        spoken = [
            (number, document)
            for number, document in asked
            if (one := by_first.get((number, document.id))) is None or speaks_of(self.texts[number], one)
        ]
        voices = Counter(number for number, _ in spoken)
        again: dict[ModelTier, list[tuple[int, Document]]] = {}
        for number, document in spoken:
            if voices[number] > 1:
                again.setdefault(self.opinions[number][0], []).append((number, document))
        alone: dict[int, list[tuple[Document, Opinion]]] = {}
        for tier, cases in again.items():
            for number, document, opinion in self._opinions_alone(tier, cases, by_first if tier is first else {}):
                alone.setdefault(number, []).append((document, opinion))
        found: dict[int, Conflict] = {}
        for number, given in alone.items():
            ask = partial(self._ask_alone, number)
            if conflict := find_conflict(self.texts[number], given, self.policy, self._decided(number)[0], ask):
                found[number] = conflict
        return found

    def _opinions_alone(
        self,
        tier: ModelTier,
        asked: Sequence[tuple[int, Document]],
        known: Mapping[tuple[int, str], Opinion] = MappingProxyType({}),
    ) -> Iterator[tuple[int, Document, Opinion]]:
        """What a model makes of claims by one document each; nothing where the model cannot be used."""
        unread = [(number, document) for number, document in asked if (number, document.id) not in known]
        cases = [(self.texts[n], [p for p in self.passages[n] if p.document == document]) for n, document in unread]
        opinions = self.cascade.guarded(tier.name, partial(tier.judge, cases, self.question)) if cases else ()
        if opinions is None:
            return
        read = {(number, d.id): opinion for (number, d), opinion in zip(unread, opinions, strict=True)}
        for number, document in asked:
            key = number, document.id
            yield number, document, known[key] if key in known else read[key]

    def _ask_alone(self, number: int, text: str, documents: Sequence[Document]) -> Sequence[Opinion]:
        """What single documents make of another statement than the claim they were found for."""
        tier, _ = self.opinions[number]
        cases = [(text, [p for p in self.passages[number] if p.document == document]) for document in documents]
        return self.cascade.guarded(tier.name, partial(tier.judge, cases, self.question)) or ()

    def _decided(self, number: int) -> tuple[Verdict, float]:
        tier, opinion = self.opinions[number]
        return tier.decide(opinion.scores)

    def _judgement(self, number: int, claim: Claim, conflict: Conflict | None) -> Judgement:
        if number not in self.opinions:
            return self._unread(number, claim)
        (tier, opinion), text = self.opinions[number], self.texts[number]
        verdict, confidence = self._decided(number)
        quotes = deciding_sentences(opinion)
        if conflict is not None:
            verdict, confidence = conflict.verdict, conflict.confidence
            quotes = (conflict.deciding, conflict.opposing)
        elif verdict is not Verdict.SUPPORTED and (copied := find_copied((claim.text, text), opinion.sentences)):
            # A source has these very words: never refuted by it, and backed where the model leaves it open.
            verdict, confidence, quotes = Verdict.SUPPORTED, levels.SPAN, (copied,)
        elif verdict is Verdict.REFUTED and (limited := find_limited((claim.text, text), opinion.sentences)):
            # The rest of the sentence may limit these words; it does not contradict them.
            verdict, confidence, quotes = Verdict.INSUFFICIENT, levels.UNSETTLED, (limited,)
        statement = self.statements[number]
        marked = [statement.in_claim(span) for span in marked_stretches(text, opinion, verdict)]
        stances = conflict.stances if conflict else (_STANCES.get(verdict, Stance.NEUTRAL),) * len(quotes)
        evidence = tuple(
            Evidence.cite(s.document, s.span.start, s.span.end, stance=stance, similarity=s.similarity)
            for s, stance in zip(quotes, stances, strict=True)
        )
        said = (
            conflict.reason
            if conflict
            else explain_opinion(
                claim.text, verdict, quotes, marked, self.policy, torn=opinion.scores.insufficient < TORN
            )
        )
        return Judgement(
            verdict,
            confidence,
            f"encoder:{tier.name}",
            _SUPPORT.get(verdict, Support.NONE),
            fit(said),
            evidence,
            latency_ms=self.spent.get(number, 0.0),
            violations=("SOURCES_DISAGREE",) if conflict else (),
            unsupported=in_answer(claim, marked),
            support_probability=None if conflict else opinion.scores.supported,
        )

    def _unread(self, number: int, claim: Claim) -> Judgement:
        """Of a claim that no model has seen: words and numbers judge where no model works, else it is not verified."""
        if len(self.cascade.broken) == len(self.cascade.tiers):
            return self.cascade.lexical.judge_claim(claim, self.passages[number])
        return unverified(f"Not verified: the {self.budget.limit} was used up.")

    def _instead(self) -> str:
        others = [tier.name for tier in self.cascade.tiers if tier.name not in self.cascade.broken]
        return f"{others[0]!r} judges alone" if others else "words and numbers alone judge"


def in_answer(claim: Claim, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Stretches of a claim's text where they stand in the answer."""
    return tuple(sorted(place for span in spans for place in locate(claim, span)))


def _count(number: int) -> str:
    return "one claim" if number == 1 else f"{number} claims"
