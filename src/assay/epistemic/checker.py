"""The four checks, asynchronous underneath; `assay.epistemic` has them for people who do not wait themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from assay.epistemic.asking import ModelReferee, Purse, ThriftyReferee
from assay.epistemic.cache import CachedReferee, Opinions
from assay.epistemic.config import EpistemicConfig
from assay.epistemic.copying import find_miscopied
from assay.epistemic.decompose import Part, split_by_model, split_by_rule
from assay.epistemic.evidence import EvidenceLike, read_evidence
from assay.epistemic.judging import JudgeReferee
from assay.epistemic.opinion import FREE, NO_EVIDENCE, Cost, Opinion, Referee, total
from assay.epistemic.results import ClaimVerification, HallucinationReport
from assay.epistemic.rows import find_mismatch, find_rows, narrow, recite
from assay.epistemic.ruling import Measured, find_gap, rule, write_guidance
from assay.epistemic.scrubbing import only, scrub_quotes
from assay.epistemic.stretch import find_stretch
from assay.errors import UsageError
from assay.judges import JUDGES, Judge
from assay.llm.prices import total_usd
from assay.llm.values import Generator
from assay.policy import Policy
from assay.types import Claim, Document, Evidence, Importance, Stance, Support, Verdict

T = TypeVar("T")

AT_ONCE = 4  # claims in the making; more only wait for each other
SHARED = Opinions()


class Checker:
    """The settings of epistemic checks and what answers for them: a judge of Assay's own, or a language model."""

    def __init__(
        self,
        *,
        policy: Policy | None = None,
        config: EpistemicConfig | None = None,
        judge: str | Judge | None = None,
        generator: Generator | None = None,
        answer_cost_usd: float | None = None,
        opinions: Opinions | None = None,
    ) -> None:
        self.policy = policy or Policy()
        self.config = config or EpistemicConfig.of(self.policy)
        kept = SHARED if opinions is None else opinions
        named = self.config.verification_model
        if judge is None and generator is None and named not in JUDGES:
            from assay.llm import make_generator

            generator = make_generator(named, policy=self.policy)
        limit = None if answer_cost_usd is None else answer_cost_usd * self.config.max_cost_share
        self.purse = Purse(limit)
        self.generator = generator
        self.own = CachedReferee(JudgeReferee(judge or (named if named in JUDGES else "cascade"), self.policy), kept)
        self.referee: Referee = self.own
        if generator is not None:
            self.referee = ThriftyReferee(CachedReferee(ModelReferee(generator, self.purse), kept), self.own)

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
        target = self.policy.target_confidence if threshold is None else threshold
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
        found = [await self._verify(one, documents, named, target, question, claim_id) for one in wanted]
        return replace(_weakest(found), claim_text=text, cost_usd=total_usd(one.cost_usd for one in found))

    async def audit_reasoning(
        self, steps: Sequence[Mapping[str, Any]], sources: EvidenceLike, *, question: str | None = None
    ) -> list[ClaimVerification]:
        """Every step (`claim`, `cites`, perhaps `id` and `confidence`) against the sources it cites."""
        documents = read_evidence(sources, [str(step.get("claim", "")) for step in steps])
        return await self._all(self._step(number, step, documents, question) for number, step in enumerate(steps, 1))

    async def evidence_dependence(self, question: str | None, answer: str, evidence: EvidenceLike) -> float:
        """How far an answer hangs on its evidence, from 0 (not at all) to 1.

        With a language model: how unlike the answer is to what the model says without the evidence. Without: the
        support that the answer's claims lose when the places they rest on are taken away, on average.
        """
        documents = read_evidence(evidence, [answer])
        if self.generator is not None and question:
            from assay.epistemic.answering import answer_without, compare_by
            from assay.epistemic.similarity import similarity

            other = await answer_without(self.generator, question, self.purse)
            return 1.0 - await similarity(
                answer, other, compare=compare_by(self.generator, self.purse), policy=self.policy
            )
        claims = [part.claim for part in split_by_rule(answer, question, self.policy) if part.claim.checkable]
        drops = await self._all(self._drop(claim, documents, question) for claim in claims)
        measured = [drop for drop in drops if drop is not None]
        return sum(measured) / len(measured) if measured else 0.0

    async def detect_hallucinations(
        self, response: str, context: EvidenceLike, *, question: str | None = None
    ) -> HallucinationReport:
        """Every claim of a response against the context it was written from, all at once."""
        documents = read_evidence(context, [response])
        if reason := self.config.why_skipped(response, bool(documents), self.policy.skip_chars):
            return HallucinationReport(skipped=reason, model=self.referee.name)
        parts, spent = await self._split(response, documents, question)
        chosen = self.config.choose([part.claim for part in parts], response)
        if not chosen:
            return HallucinationReport(
                len(parts), not_checkable=len(parts), skipped="nothing to check", model=self.referee.name
            )
        checks = (self._part(str(number + 1), parts[number], documents, question) for number in chosen)
        claims = tuple(await self._all(checks))
        gaps = tuple(gap for gap in map(find_gap, claims) if gap is not None)
        checkable = sum(part.claim.checkable for part in parts)
        cost = self.purse.spent + spent
        return HallucinationReport(
            len(parts),
            claims,
            gaps,
            len(parts) - checkable,
            checkable - len(chosen),
            None,
            bool(gaps),
            write_guidance(gaps),
            cost.to_dict() | {"limit_usd": self.purse.limit_usd, "declined": self.purse.declined},
            self.referee.name,
        )

    async def _all(self, work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
        """The results in order; some of the work is done at the same time, if the settings say so."""
        places = asyncio.Semaphore(AT_ONCE if self.config.parallel else 1)

        async def one(task: Coroutine[Any, Any, T]) -> T:
            async with places:
                return await task

        return list(await asyncio.gather(*map(one, work)))

    # One claim

    async def _step(
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
            None if sure is None else min(max(float(sure), 0.001), 0.999),
            cites=None if cites is None else [str(name) for name in cites],
            question=question,
            claim_id=str(step.get("id", number)),
        )

    async def _part(
        self, number: str, part: Part, documents: Sequence[Document], question: str | None
    ) -> ClaimVerification:
        cites = part.evidence_ids if part.evidence_ids is not None else _anchored([part], documents)
        return await self._verify(part.claim, documents, cites, self.policy.target_confidence, question, number)

    async def _split(
        self, response: str, documents: Sequence[Document], question: str | None
    ) -> tuple[list[Part], Cost]:
        by_rule = split_by_rule(response, question, self.policy)
        if self.generator is None or self.config.decomposition == "rule":
            return by_rule, FREE
        found, cost = await split_by_model(self.generator, response, documents, self.purse)
        return found or by_rule, cost

    async def _drop(self, claim: Claim, documents: Sequence[Document], question: str | None) -> float | None:
        found = await self.referee.weigh(claim, documents, question)
        if found.support is None:
            return None
        return (await scrub_quotes(self.referee, claim, documents, found, question)).drop(found.support)

    async def _verify(
        self,
        claim: Claim,
        documents: Sequence[Document],
        cites: Sequence[str] | None,
        target: float,
        question: str | None,
        claim_id: str,
    ) -> ClaimVerification:
        known = {document.id for document in documents}
        phantoms = tuple(name for name in cites or () if name not in known)
        named = [document for document in documents if cites and document.id in cites]
        given = named or list(documents)
        scope = [narrow(document, claim.text) for document in given]
        found = await self.referee.weigh(claim, scope, question)
        critical = claim.importance is Importance.CRITICAL
        if found.verdict is Verdict.ERROR or found.support is None:
            return ClaimVerification(
                claim_id,
                claim.text,
                tuple(document.id for document in scope),
                is_flagged=found.verdict is Verdict.ERROR,
                flag_reason=f"the check failed: {found.explanation}" if found.verdict is Verdict.ERROR else "",
                verdict=found.verdict,
                explanation=found.explanation,
                critical=critical,
                cost_usd=found.cost.usd,
            )
        found = _against_rows(found, claim.text, given, self.policy.number_confidence)
        measured, cost = await self._measure(claim, documents, given, scope, found, target, question)
        found = replace(found, evidence=_recited(found, scope, given, claim.text))
        measured = replace(measured, opinion=found, phantoms=phantoms)
        ruling = rule(measured, target, self.config, self.policy)
        used = tuple(dict.fromkeys(item.document for item in found.evidence))
        return ClaimVerification(
            claim_id,
            claim.text,
            tuple(cites) if cites else used,
            found.support,
            measured.dependence,
            measured.consistency,
            ruling.bits <= self.config.gap_threshold_bits and found.verdict is Verdict.SUPPORTED,
            ruling.bits,
            ruling.gap is not None,
            ruling.reason,
            found.verdict,
            ruling.gap,
            found.explanation,
            found.evidence,
            measured.decorative,
            critical,
            (found.cost + cost).usd,
        )

    async def _measure(
        self,
        claim: Claim,
        documents: Sequence[Document],
        given: Sequence[Document],
        scope: Sequence[Document],
        found: Opinion,
        target: float,
        question: str | None,
    ) -> tuple[Measured, Cost]:
        """Everything beside the direct opinion: what scrubbing, a second reading and the other sources say."""
        support = found.support or 0.0
        left = await scrub_quotes(self.referee, claim, scope, found, question)
        costs = [left.cost]
        second = await self._second(claim, scope, found, question)
        costs.append(second.cost)
        consistency = 1.0 if second.support is None else 1.0 - abs(support - second.support)
        other: tuple[str, ...] = ()
        decorative: tuple[str, ...] = ()
        supported = found.verdict is Verdict.SUPPORTED and support >= self.config.support_threshold
        rest = [document for document in documents if document not in given]
        if rest and not supported and found.verdict is not Verdict.REFUTED:
            elsewhere = await self.referee.weigh(claim, rest, question)
            costs.append(elsewhere.cost)
            if elsewhere.verdict is Verdict.SUPPORTED and (elsewhere.support or 0) >= self.config.support_threshold:
                other = tuple(dict.fromkeys(item.document for item in elsewhere.evidence)) or ("another source",)
        elif supported and 1 < len(given) < len(documents):
            decorative, cost = await self._decorative(claim, given, support, question)
            costs.append(cost)
        stretch = ""
        if found.verdict is not Verdict.REFUTED:
            around = "\n".join(f"{document.title}\n{document.text}" for document in scope)
            stretch = find_stretch(claim.text, found.evidence, around) or ""
        measured = Measured(
            found,
            (1.0 - target) if left.opinion is NO_EVIDENCE else (left.opinion.support or 0.0),
            left.drop(support),
            consistency,
            decorative=decorative,
            other=other,
            stretch=stretch if supported or "over_extrapolation" in found.violations else "",
            miscopied=(find_miscopied(claim.text, scope, found.evidence, self.policy) or "") if supported else "",
        )
        return measured, total(costs)

    async def _second(self, claim: Claim, scope: Sequence[Document], found: Opinion, question: str | None) -> Opinion:
        """An independent reading: Assay's own judge beside a language model, or else the quoted words alone."""
        if self.generator is not None:
            return await self.own.weigh(claim, scope, question)
        quotes = [item for item in found.evidence if item.quote.strip()]
        return await self.referee.weigh(claim, only(scope, quotes), question) if quotes else replace(found, cost=FREE)

    async def _decorative(
        self, claim: Claim, named: Sequence[Document], support: float, question: str | None
    ) -> tuple[tuple[str, ...], Cost]:
        """The cited documents that do not carry the claim alone, and without which nothing changes."""
        idle: list[str] = []
        costs: list[Cost] = []
        for document in named:
            alone = await self.referee.weigh(claim, [document], question)
            without = await self.referee.weigh(claim, [one for one in named if one is not document], question)
            costs += [alone.cost, without.cost]
            changes = support - (without.support or 0.0)
            if alone.verdict is Verdict.INSUFFICIENT and changes < self.config.dependence_threshold:
                idle.append(document.id)
        return tuple(idle), total(costs)


def _anchored(parts: Sequence[Part], documents: Sequence[Document]) -> tuple[str, ...] | None:
    """The ids that the claims' own anchors name; an anchor that names nothing stands for itself. None without any."""
    from assay.anchors import cited_documents

    names: list[str] = []
    for part in parts:
        found, phantoms = cited_documents(part.claim, documents)
        names += [document.id for document in found]
        names += [citation.text for citation in phantoms]
    return tuple(dict.fromkeys(names)) or None


def _against_rows(found: Opinion, claim: str, documents: Sequence[Document], certainty: float) -> Opinion:
    """The opinion, or a contradiction where the claim gives one row of a table the value of another."""
    for document in documents:
        mismatch = find_mismatch(find_rows(document.text), claim)
        if mismatch is not None:
            place = Evidence.cite(document, mismatch.row.span.start, mismatch.row.span.end, stance=Stance.REFUTES)
            support = min(found.support or 0.0, 1.0 - certainty)
            return replace(
                found,
                support=support,
                verdict=Verdict.REFUTED,
                explanation=f"{mismatch.reason[0].upper()}{mismatch.reason[1:]}.",
                evidence=(place,),
                degree=Support.CONTRADICTED,
            )
    return found


def _recited(found: Opinion, scope: Sequence[Document], given: Sequence[Document], claim: str) -> tuple[Evidence, ...]:
    """The receipts of narrowed documents as receipts of the originals."""
    pairs = {one.id: (one, original) for one, original in zip(scope, given, strict=True)}
    cited: list[Evidence] = []
    for item in found.evidence:
        narrowed, original = pairs[item.document]
        cited += [item] if item.holds_in(original) else recite([item], narrowed, original, claim)
    return tuple(cited)


def _weakest(found: Sequence[ClaimVerification]) -> ClaimVerification:
    """The part of a claim that holds least: an error first, then what is flagged, then the least support."""
    return min(
        found,
        key=lambda one: (one.verdict is not Verdict.ERROR, not one.is_flagged, one.evidence_support or 0.0),
    )
