"""Judges in order, the cheapest first: words, numbers, the small model, the large one, a language model.

A claim goes on to the next tier only while it is unsure, and each judgement names the tier that decided.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from typing import TypeVar

from assay.encoder.scores import Scores
from assay.errors import ModelError
from assay.judges import Judge
from assay.judges.asking import Deliberation, unverified
from assay.judges.budget import Budget
from assay.judges.contract import check_contract
from assay.judges.encoder import Case, EncoderTier
from assay.judges.lexical import LexicalJudge
from assay.judges.signals import Signals
from assay.policy import Policy
from assay.types import Claim, Evidence, Judgement, Passage, RiskFlag, Verdict

log = logging.getLogger(__name__)
Done = TypeVar("Done")
PROOFS = frozenset({"quote", "span", "number", "date", "negation"})  # nine in ten of these were right on labelled rows
_QUOTED = 0.4  # share of a claim's words from which finding its quotation settles it
_AT_ONCE = 8  # claims read between two looks at the clock, where there is a limit


class Cascade:
    """Lexical proof, then one model after the other, then, if there is one, a judge that may cost money."""

    def __init__(
        self,
        policy: Policy | None = None,
        tiers: Sequence[str | EncoderTier] = ("small", "base"),
        *,
        name: str = "cascade",
        last: Judge | None = None,
    ) -> None:
        self.name = name
        self.policy = policy or Policy()
        self.last = last
        self.tiers = tuple(EncoderTier(tier, self.policy) if isinstance(tier, str) else tier for tier in tiers)
        self._lexical = LexicalJudge(self.policy)
        self._broken: dict[str, str] = {}

    @cached_property
    def model(self) -> str:
        """What identifies everything that decides here: the weights, the combiner, the judge at the end."""
        from assay.judges.fusion import load_fusion

        parts = [f"{tier.name}@{tier.model[:12]}+{load_fusion(tier.name, tier.model).name}" for tier in self.tiers]
        if self.last is not None:
            parts.append(str(getattr(self.last, "model", self.last.name)))
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
            self._guarded(tier.name, tier.load)

    def warm_first(self) -> None:
        """Loads the model that the first open claim goes to."""
        for tier in self.tiers[:1]:
            self._guarded(tier.name, tier.load)

    def deliberate(
        self,
        claims: Sequence[Claim],
        passages: Sequence[Sequence[Passage]],
        question: str | None = None,
        budget: Budget | None = None,
    ) -> Deliberation:
        """The same for a whole answer, within its budget, with what went wrong beside the judgements."""
        hearing = _Hearing(self, claims, passages, question, budget or Budget(self.policy))
        return hearing.run()

    def _guarded(self, name: str, work: Callable[[], Done]) -> Done | None:
        """The work of a tier, or None once its model has proved unusable."""
        if name in self._broken:
            return None
        try:
            return work()
        except ModelError as problem:
            self._broken[name] = str(problem)
            log.error("the model %r cannot be used and is left out: %s", name, problem)
            return None


class _Hearing:
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
        self.warnings: list[str] = []
        self.judgements: list[Judgement] = []
        self.signals: list[Signals] = []
        self.scores: dict[int, Scores] = {}  # of claims a model has read

    def run(self) -> Deliberation:
        unread: list[int] = []
        coming = self._examine(unread)
        for tier in self.cascade.tiers[:1]:
            self._consult(tier, coming)
        for _ in coming:  # a tier that fails or runs out of time leaves claims that words must still look at
            pass
        waiting = [number for number in unread if self._is_unsure(number)]
        for tier in self.cascade.tiers[1:]:
            self._consult(tier, waiting)
            waiting = [number for number in waiting if self._is_unsure(number)]
        if self.cascade.last is not None and waiting:
            self._ask_last(self.cascade.last, waiting)
        self._compare_sources()
        if len(self.cascade._broken) < len(self.cascade.tiers):
            self._give_up([number for number in unread if number not in self.scores])
        return Deliberation(tuple(self.judgements), self._flags(), tuple(self.warnings), tuple(self.cascade._broken))

    def _examine(self, unread: list[int]) -> Iterator[int]:
        """What words prove, claim after claim; those left open go on at once, so that a model reads them meanwhile."""
        for number, (claim, given) in enumerate(zip(self.claims, self.passages, strict=True)):
            judgement, signals = self.cascade._lexical.examine(claim, given)
            self.judgements.append(judgement)
            self.signals.append(signals)
            if self._is_open(number):
                unread.append(number)
                yield number

    def _is_open(self, number: int) -> bool:
        """Whether the words alone do not decide, and there is something to read."""
        judgement = self.judgements[number]
        if judgement.verdict is Verdict.NOT_CHECKABLE or not self.passages[number]:
            return False
        if judgement.method == "quote":  # a title in quotation marks proves little of what is said about it
            return quoted_share(self.claims[number].text, self.policy) < _QUOTED
        return judgement.method not in PROOFS

    def _is_unsure(self, number: int) -> bool:
        """Whether a dearer judge could change the outcome, and is worth its time."""
        scores = self.scores.get(number)
        if scores is None:
            return True
        return (
            scores.confidence < self.policy.unsure_high
            and max(scores.supported, scores.refuted) >= self.policy.unsure_low
        )

    def _consult(self, tier: EncoderTier, numbers: Iterable[int]) -> None:
        coming = iter(numbers)
        first = next(coming, None)
        if first is None:
            return
        coming = chain((first,), coming)
        self.budget.give_back(self.cascade._guarded(tier.name, tier.load) or 0.0)
        if not self.budget.max_ms:
            self._read(tier, coming)
            return
        while step := list(islice(coming, _AT_ONCE)):
            if self.budget.out_of_time:
                left = len(step) + sum(1 for _ in coming)
                self.warnings.append(f"{tier.name} did not see {_count(left)}: the time budget was used up")
                return
            self._read(tier, step)

    def _read(self, tier: EncoderTier, numbers: Iterable[int]) -> None:
        taken: list[int] = []

        def cases() -> Iterator[Case]:
            for number in numbers:
                taken.append(number)
                yield Case(self.claims[number], self.passages[number], self.signals[number])

        found = self.cascade._guarded(tier.name, lambda: tier.judge(cases()))
        for number, (judgement, scores) in zip(taken, found or (), strict=bool(found)):
            before = self.judgements[number]
            self.judgements[number] = replace(
                judgement,
                latency_ms=before.latency_ms + judgement.latency_ms,
                violations=() if judgement.verdict is Verdict.SUPPORTED else before.violations,
            )
            self.scores[number] = scores

    def _compare_sources(self) -> None:
        """Claims that one document backs and another denies carry both quotes."""
        tier = next((tier for tier in self.cascade.tiers if tier.name not in self.cascade._broken), None)
        read = [n for n in self.scores if self.judgements[n].verdict in (Verdict.SUPPORTED, Verdict.REFUTED)]
        if tier is None or not read or self.budget.out_of_time:
            return
        cases = [Case(self.claims[n], self.passages[n], self.signals[n]) for n in read]
        against = self.cascade._guarded(tier.name, lambda: tier.oppose(cases)) or [()] * len(read)
        for number, evidence in zip(read, against, strict=True):
            if evidence:
                self.judgements[number] = with_disagreement(self.judgements[number], evidence)

    def _ask_last(self, judge: Judge, numbers: Sequence[int]) -> None:
        """The claims that are still unsure, one by one, as far as the money goes."""
        price = getattr(judge, "estimate_usd", None)
        for number in numbers:
            claim, given = self.claims[number], list(self.passages[number])[: self.policy.passages_per_claim]
            if self.budget.out_of_time or (price and not self.budget.affords(price(claim, given))):
                self.warnings.append(f"{judge.name} was not asked about every unsure claim: the budget was used up")
                return
            judgement = judge.judge([claim], [given], self.question)[0]
            self.budget.pay(judgement.cost_usd)
            before = self.judgements[number]
            self.judgements[number] = replace(judgement, latency_ms=before.latency_ms + judgement.latency_ms)
            self.scores.setdefault(number, Scores(0.0, 0.0, 1.0))

    def _give_up(self, numbers: Sequence[int]) -> None:
        """What no model has seen although one should have is not verified; words that prove nothing are no verdict."""
        for number in numbers:
            reason = f"Not verified: the time budget of {self.budget.max_ms:g} ms was used up."
            self.judgements[number] = unverified(reason, self.judgements[number].latency_ms)

    def _flags(self) -> tuple[RiskFlag, ...]:
        return tuple(
            RiskFlag("fallback", "high", f"the model {name!r} cannot be used, {self._instead(name)}: {problem}")
            for name, problem in self.cascade._broken.items()
        )

    def _instead(self, name: str) -> str:
        others = [tier.name for tier in self.cascade.tiers if tier.name not in self.cascade._broken]
        return f"{others[0]!r} judges alone" if others else "words and numbers alone judge"


def with_disagreement(judgement: Judgement, evidence: Sequence[Evidence]) -> Judgement:
    """The judgement with the places that speak for and against it, and the violation that says so."""
    held = {(item.document, item.start, item.end) for item in judgement.evidence}
    added = tuple(item for item in evidence if (item.document, item.start, item.end) not in held)
    return replace(
        judgement,
        evidence=(*judgement.evidence, *added),
        violations=tuple(dict.fromkeys((*judgement.violations, "SOURCES_DISAGREE"))),
    )


def quoted_share(text: str, policy: Policy) -> float:
    """The share of a claim's words that stand in quotation marks.

    >>> quoted_share('He said "no more of this".', Policy())
    0.6666666666666666
    """
    from assay.lexical.quotes import find_quotes
    from assay.lexical.words import words_of

    words = len(words_of(text))
    return sum(len(words_of(span.of(text))) for span in find_quotes(text, policy)) / words if words else 0.0


def _count(number: int) -> str:
    return "one claim" if number == 1 else f"{number} claims"
