"""The four checks, asynchronous underneath; `assay.epistemic` has them for people who do not wait themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, TypeVar

from assay.cache import Cache
from assay.engine import Engine
from assay.epistemic.assessing import Ask, Assessor, quotes_alone, scrub_quotes, support_of
from assay.epistemic.bits import TARGET_CONFIDENCE, clip
from assay.epistemic.config import EpistemicConfig
from assay.epistemic.decompose import Part, split_by_model, split_by_rule
from assay.epistemic.evidence import EvidenceLike, read_evidence
from assay.epistemic.results import ClaimVerification, HallucinationReport
from assay.epistemic.ruling import Measured, find_gap, rule, write_guidance
from assay.errors import UsageError
from assay.judges import JUDGES, Judge
from assay.judges.budget import Progress
from assay.llm.judge import ModelJudge
from assay.llm.prices import CostBudget, Metered, total_usd
from assay.llm.values import Generator
from assay.policy import Policy
from assay.types import Claim, Document, Importance, Judgement, Verdict, sha256_of

T = TypeVar("T")

AT_ONCE = 4  # claims judged at the same time; more only wait for each other
SHARED = Cache(size=4096)


class Checker:
    """The settings of epistemic checks and what answers for them: the engine, or a language model beside it.

    Every check has a cost budget of its own; `answer_cost_usd` is what the checked answer cost.
    """

    def __init__(
        self,
        *,
        policy: Policy | None = None,
        config: EpistemicConfig | None = None,
        judge: str | Judge | None = None,
        engine: Engine | None = None,
        generator: Generator | None = None,
        answer_cost_usd: float | None = None,
        cache: Cache | None = None,
    ) -> None:
        if engine is not None and (policy is not None or judge is not None):
            raise UsageError("give an engine, or a policy and a judge: the engine has a policy and a judge of its own")
        self.policy = engine.policy if engine is not None else policy or Policy()
        self.config = config or EpistemicConfig.of(self.policy)
        named = self.config.verification_model
        if generator is None and named not in JUDGES:
            from assay.llm import make_generator

            generator = make_generator(named, policy=self.policy)
        own = engine or Engine(self.policy, judge or (named if named in JUDGES else "cascade"))
        self.cache = cache or own.cache or SHARED
        self.engine = Engine(self.policy, own.judged_by, cache=self.cache)
        self.generator = generator
        self.answer_cost_usd = answer_cost_usd
        self.progress: Progress | None = None  # told how many claims are done, with ("claims", done, all)

    @property
    def name(self) -> str:
        """What judges the claims."""
        return Check(self).assessor.name

    async def verify_claim(
        self,
        claim: str | Claim,
        evidence: EvidenceLike,
        threshold: float | None = None,
        *,
        cites: Sequence[str] | None = None,
        question: str | None = None,
        claim_id: str = "1",
    ) -> ClaimVerification:
        """How far the evidence carries a claim; `cites` names the pieces that the claim itself points to."""
        check = Check(self)
        return await check.verify_claim(claim, evidence, threshold, cites, question, claim_id)

    async def audit_reasoning(
        self, steps: Sequence[Mapping[str, Any]], sources: EvidenceLike, *, question: str | None = None
    ) -> list[ClaimVerification]:
        """Every step (`claim`, `cites`, perhaps `id` and `confidence`) against the sources it cites."""
        documents = read_evidence(sources, [str(step.get("claim", "")) for step in steps])
        check = Check(self)
        return await self.gather(check.verify_step(n, step, documents, question) for n, step in enumerate(steps, 1))

    async def evidence_dependence(self, question: str | None, answer: str, evidence: EvidenceLike) -> float:
        """How far an answer hangs on its evidence, from 0 (not at all) to 1.

        With a language model: how unlike the answer is to what the model says without the evidence. Without: the
        support that the answer's claims lose when the places they rest on are taken away, on average.
        """
        check = Check(self)
        documents = read_evidence(evidence, [answer])
        if self.generator is not None and question:
            from assay.epistemic.free_answer import answer_without, compare_by, similarity

            other = await answer_without(self.generator, question, check.budget)
            compare = compare_by(self.generator, check.budget)
            return 1.0 - await similarity(answer, other, compare=compare)
        claims = [part.claim for part in split_by_rule(answer, question, self.policy) if part.claim.checkable]
        drops = await self.gather(check.measure_drop(claim, documents, question) for claim in claims)
        measured = [drop for drop in drops if drop is not None]
        return sum(measured) / len(measured) if measured else 0.0

    async def detect_hallucinations(
        self,
        response: str,
        context: EvidenceLike,
        *,
        question: str | None = None,
        response_id: str | None = None,
    ) -> HallucinationReport:
        """Which claims of a response its context does not carry, and what to tell the writer."""
        named = response_id or sha256_of(response)[:16]
        documents = read_evidence(context, [response])
        has_evidence = any(document.text.strip() for document in documents)
        reason = self.config.why_skipped(response, has_evidence)
        if reason is not None:
            return HallucinationReport(skipped=reason, model=self.name, response_id=named)
        return await Check(self).detect(response, documents, question, named)

    async def gather(self, work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
        """The results for the claims in order; some are judged at the same time, if the settings say so."""
        waiting = list(work)
        places, done = asyncio.Semaphore(AT_ONCE if self.config.parallel else 1), 0

        async def one(claim: Coroutine[Any, Any, T]) -> T:
            nonlocal done
            async with places:
                result = await claim
            done += 1
            if self.progress is not None:
                self.progress("claims", done, len(waiting))
            return result

        return list(await asyncio.gather(*map(one, waiting)))


class Check:
    """One check in the making: the assessors, and the budget that they share."""

    def __init__(self, checker: Checker) -> None:
        self.policy, self.config, self.gather = checker.policy, checker.config, checker.gather
        self.generator = checker.generator
        cost = checker.answer_cost_usd
        self.budget = CostBudget(None if cost is None else cost * self.config.max_cost_share)
        self.free = self.assessor = Assessor(checker.engine)
        if self.generator is not None:
            model = ModelJudge(Metered(self.generator, self.budget, "judge"), self.policy, max_usd=inf)
            self.assessor = Assessor(Engine(self.policy, model, cache=checker.cache), self.free)

    async def detect(
        self, response: str, documents: Sequence[Document], question: str | None, response_id: str
    ) -> HallucinationReport:
        parts = split_by_rule(response, question, self.policy)
        if self.generator is not None and self.config.decomposition == "model":
            parts = await split_by_model(self.generator, response, documents, self.budget, parts)
        claims = [part.claim for part in parts]
        chosen = self.config.choose(claims, response, question)
        checkable = sum(claim.checkable for claim in claims)
        report = HallucinationReport(
            len(parts),
            not_checkable=len(parts) - checkable,
            left_out=checkable - len(chosen),
            model=self.assessor.name,
            response_id=response_id,
        )
        if not chosen:
            drawn = f"none of the {checkable} checkable claims was chosen (mode {self.config.mode})"
            return replace(report, skipped=drawn if checkable else "nothing to check")
        paid = self.config.choose_paid(claims, chosen)
        found = tuple(
            await self.gather(
                self._verify_part(str(n + 1), parts[n], documents, question, self.assessor if n in paid else self.free)
                for n in chosen
            )
        )
        gaps = tuple(gap for gap in map(find_gap, found) if gap is not None)
        return replace(
            report,
            claims=found,
            gaps=gaps,
            should_retry=bool(gaps),
            retry_guidance=write_guidance(gaps),
            cost=self.budget.to_dict(),
        )

    async def verify_claim(
        self,
        claim: str | Claim,
        evidence: EvidenceLike,
        threshold: float | None,
        cites: Sequence[str] | None,
        question: str | None,
        claim_id: str,
    ) -> ClaimVerification:
        target = TARGET_CONFIDENCE if threshold is None else threshold
        if not 0 < target < 1:
            raise UsageError(f"the threshold is how sure the claim claims to be, between 0 and 1, not {target!r}")
        text = claim if isinstance(claim, str) else claim.text
        if not text.strip():
            raise UsageError("there is no claim to verify: it is empty")
        documents = read_evidence(evidence, [text])
        parts = split_by_rule(text) if isinstance(claim, str) else [Part(claim)]
        wanted = [part.claim for part in parts if part.claim.checkable]
        named = cites if cites is not None else _anchored(parts, documents)
        if not wanted:
            reason = parts[0].claim.reason if parts else "nothing is stated"
            return ClaimVerification(
                claim_id, text, verdict=Verdict.NOT_CHECKABLE, explanation=f"Nothing to check: {reason}."
            )
        found = [await self._verify(one, documents, named, target, question, claim_id, self.assessor) for one in wanted]
        return replace(
            _weakest(found),
            claim_text=text,
            cost_usd=total_usd(one.cost_usd for one in found),
            importance=min((one.importance for one in found), key=tuple(Importance).index),
        )

    async def verify_step(
        self, number: int, step: Mapping[str, Any], documents: Sequence[Document], question: str | None
    ) -> ClaimVerification:
        if not isinstance(step, Mapping) or not isinstance(step.get("claim"), str) or not step["claim"].strip():
            raise UsageError(f"step {number} has no claim: a step is {{'claim': text, 'cites': [ids]}}")
        cites = step.get("cites")
        if isinstance(cites, str):
            cites = [cites]
        sure = step.get("confidence")
        return await self.verify_claim(
            step["claim"],
            documents,
            None if sure is None else clip(float(sure)),
            None if cites is None else [str(name) for name in cites],
            question,
            str(step.get("id", number)),
        )

    async def measure_drop(self, claim: Claim, documents: Sequence[Document], question: str | None) -> float | None:
        """The support that a claim loses without the places it rests on; None if it could not be judged."""
        ask: Ask = partial(self.assessor.assess, claim, question=question)
        found = await ask(documents)
        if found.verdict is not Verdict.SUPPORTED:
            return None if support_of(found) is None else 0.0
        left, _ = await scrub_quotes(ask, documents, found)
        return max(0.0, found.confidence - left)

    async def _verify_part(
        self, number: str, part: Part, documents: Sequence[Document], question: str | None, assessor: Assessor
    ) -> ClaimVerification:
        cites = part.evidence_ids if part.evidence_ids is not None else _anchored([part], documents)
        target = TARGET_CONFIDENCE
        return await self._verify(part.claim, documents, cites, target, question, number, assessor)

    async def _verify(
        self,
        claim: Claim,
        documents: Sequence[Document],
        cites: Sequence[str] | None,
        target: float,
        question: str | None,
        claim_id: str,
        assessor: Assessor,
    ) -> ClaimVerification:
        known = {document.id for document in documents}
        phantoms = tuple(name for name in cites or () if name not in known)
        named = [document for document in documents if cites and document.id in cites]
        given = named or list(documents)
        ask: Ask = partial(assessor.assess, claim, question=question)
        found = await ask(given)
        verification = ClaimVerification(
            claim_id,
            claim.text,
            tuple(cites) if cites else tuple(dict.fromkeys(item.document for item in found.evidence)),
            verdict=found.verdict,
            explanation=found.explanation,
            importance=claim.importance,
            cost_usd=self._cost(assessor, found.cost_usd),
            spans=claim.spans,
            checked_by=assessor.name,
        )
        support = support_of(found)
        if support is None:
            failed = found.verdict is Verdict.ERROR
            reason = f"the check failed: {found.explanation}" if failed else ""
            return replace(verification, is_flagged=failed, flag_reason=reason)
        # An independent reading: the engine's beside a language model's.
        paid = assessor is not self.free
        second = await (self.free.assess(claim, given, question) if paid else _read_again(ask, given, found))
        measured, cost = await self._measure(ask, documents, given, found, second)
        ruling = rule(replace(measured, phantoms=phantoms), target, self.config, self.policy)
        return replace(
            verification,
            evidence_support=support,
            evidence_dependence=measured.dependence,
            consistency_score=measured.consistency,
            confidence_justified=ruling.bits <= self.config.gap_threshold_bits and found.verdict is Verdict.SUPPORTED,
            evidence_gap_bits=ruling.bits,
            is_flagged=ruling.gap is not None,
            flag_reason=ruling.reason,
            doubt=ruling.doubt,
            gap_type=ruling.gap,
            evidence=found.evidence,
            decorative=measured.decorative,
            cost_usd=self._cost(assessor, found.cost_usd + cost),
        )

    def _cost(self, assessor: Assessor, usd: float) -> float | None:
        """What a claim cost; not known where the price of the model that was asked about it is not."""
        return None if assessor is not self.free and self.budget.spent.usd is None else usd

    async def _measure(
        self, ask: Ask, documents: Sequence[Document], given: Sequence[Document], found: Judgement, second: Judgement
    ) -> tuple[Measured, float]:
        """What scrubbing, a second reading and the other sources say beside the judgement, and what that cost."""
        support, again = support_of(found) or 0.0, support_of(second)
        left, cost = await scrub_quotes(ask, given, found)
        cost += 0.0 if second is found else second.cost_usd
        other: tuple[str, ...] = ()
        decorative: tuple[str, ...] = ()
        supported = found.verdict is Verdict.SUPPORTED and support >= self.config.support_threshold
        rest = [document for document in documents if document not in given]
        if rest and not supported and found.verdict is not Verdict.REFUTED:
            elsewhere = await ask(rest)
            cost += elsewhere.cost_usd
            if elsewhere.verdict is Verdict.SUPPORTED and elsewhere.confidence >= self.config.support_threshold:
                other = tuple(dict.fromkeys(item.document for item in elsewhere.evidence)) or ("another source",)
        elif supported and 1 < len(given) < len(documents):
            decorative, more = await self._find_decorative(ask, given, support)
            cost += more
        measured = Measured(
            found,
            # What is left may speak against the claim; without evidence it is only not believed.
            max(1.0 - TARGET_CONFIDENCE, left),
            max(0.0, support - left) if found.verdict is Verdict.SUPPORTED else 0.0,
            1.0 if again is None else 1.0 - abs(support - again),
            decorative=decorative,
            other=other,
        )
        return measured, cost

    async def _find_decorative(
        self, ask: Ask, named: Sequence[Document], support: float
    ) -> tuple[tuple[str, ...], float]:
        """The cited documents that do not carry the claim alone, and without which nothing changes."""
        idle: list[str] = []
        cost = 0.0
        for document in named:
            alone, without = await ask([document]), await ask([one for one in named if one is not document])
            cost += alone.cost_usd + without.cost_usd
            changes = support - (support_of(without) or 0.0)
            if alone.verdict is Verdict.INSUFFICIENT and changes < self.config.dependence_threshold:
                idle.append(document.id)
        return tuple(idle), cost


async def _read_again(ask: Ask, given: Sequence[Document], found: Judgement) -> Judgement:
    """A second reading, of the quoted words alone; the first where nothing supports the claim."""
    quotes = [item for item in found.evidence if item.quote.strip()]
    return await ask(quotes_alone(given, quotes)) if found.verdict is Verdict.SUPPORTED and quotes else found


def _anchored(parts: Sequence[Part], documents: Sequence[Document]) -> tuple[str, ...] | None:
    """The ids that the claims' own anchors name; an anchor that names nothing stands for itself. None without any."""
    from assay.anchors import cited_documents

    names: list[str] = []
    for part in parts:
        found, phantoms = cited_documents(part.claim, documents)
        names += [document.id for document in found]
        names += [citation.text for citation in phantoms]
    return tuple(dict.fromkeys(names)) or None


def _weakest(found: Sequence[ClaimVerification]) -> ClaimVerification:
    """The part of a claim that holds least: an error, what is flagged, what is doubtful, then the least support."""

    def rank(one: ClaimVerification) -> tuple[bool, bool, bool, float]:
        return one.verdict is not Verdict.ERROR, not one.is_flagged, not one.doubt, one.evidence_support or 0.0

    return min(found, key=rank)
