"""Asking any judge about an answer so that, whatever it does, a report can be made."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

from assay.errors import ModelError, UsageError
from assay.explanation import fit as fit_explanation
from assay.judges import Judge, levels, make_judge
from assay.judges.budget import Budget
from assay.judges.contract import fit
from assay.judges.reconsider import find_stretches, reconsidered, without
from assay.policy import Policy
from assay.types import Claim, Judgement, Passage, RiskFlag, Stance, Support, Verdict

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Deliberation:
    """The judgements on an answer, with what a reader must know about how they came about.

    `fallbacks` names each model that could not be used.
    """

    judgements: tuple[Judgement, ...]
    flags: tuple[RiskFlag, ...] = ()
    warnings: tuple[str, ...] = ()
    fallbacks: tuple[str, ...] = ()


def unverified(reason: str) -> Judgement:
    """The judgement on a claim that was not checked: an error with its reason, never a guess."""
    return Judgement(Verdict.ERROR, 0.0, "none", explanation=reason)


def unverified_all(claims: Sequence[Claim], reason: str) -> tuple[Judgement, ...]:
    """The same for every claim of an answer that states something."""
    return tuple(unverified(reason) if claim.checkable else not_checkable(claim) for claim in claims)


def not_checkable(claim: Claim) -> Judgement:
    reason = claim.reason or "not a factual assertion"
    return Judgement(Verdict.NOT_CHECKABLE, 1.0, "none", explanation=f"Nothing to check: {reason}.")


def unspoken_of() -> Judgement:
    """The judgement on a claim for which nothing was found."""
    return Judgement(Verdict.INSUFFICIENT, levels.UNSETTLED, "none", explanation="No source speaks of this.")


def ask(
    judge: Judge,
    claims: Sequence[Claim],
    passages: Sequence[Sequence[Passage]],
    question: str | None,
    policy: Policy,
    budget: Budget | None = None,
) -> Deliberation:
    """What a judge says; the rule-based judge stands in where its model is damaged or gives impossible numbers.

    A judge that fails otherwise leaves errors: a NaN is refused by the judgement that would carry it. Whatever the
    judge, support below `grounding_confidence` settles nothing and explanations keep their limit.
    """
    judge, budget = make_judge(judge, policy), budget or Budget(policy)
    said = _asked(judge, claims, passages, question, policy, budget)
    said = _reconsider(said, judge, claims, passages, question, policy, budget)
    return replace(said, judgements=tuple(_within_policy(judgement, policy) for judgement in said.judgements))


def _reconsider(
    said: Deliberation,
    judge: Judge,
    claims: Sequence[Claim],
    passages: Sequence[Sequence[Passage]],
    question: str | None,
    policy: Policy,
    budget: Budget,
) -> Deliberation:
    """Asks again about claims whose verdict may rest on what a source does not assert, without those words."""
    found = {
        number: stretches
        for number, (claim, given, first) in enumerate(zip(claims, passages, said.judgements, strict=True))
        if (stretches := find_stretches(claim, given, first))
    }
    if not found:
        return said
    shown = [without(passages[number], stretches) for number, stretches in found.items()]
    second = _asked(judge, [claims[number] for number in found], shown, question, policy, budget)
    judgements = list(said.judgements)
    for (number, stretches), again in zip(found.items(), second.judgements, strict=True):
        first = judgements[number]
        settled = reconsidered(claims[number], again, stretches, policy)
        judgements[number] = replace(
            settled, latency_ms=first.latency_ms + again.latency_ms, cost_usd=first.cost_usd + again.cost_usd
        )
    return replace(
        said, judgements=tuple(judgements), warnings=tuple(dict.fromkeys((*said.warnings, *second.warnings)))
    )


def _within_policy(judgement: Judgement, policy: Policy) -> Judgement:
    numbers = (judgement.confidence, judgement.latency_ms, judgement.cost_usd)
    if wrong := [number for number in numbers if not isfinite(number)]:
        return unverified(f"Not verified: the judge gave {wrong[0]} where a number is needed.")
    said = fit_explanation(judgement.explanation)
    if judgement.verdict is Verdict.SUPPORTED and judgement.confidence < policy.grounding_confidence:
        evidence = tuple(replace(item, stance=Stance.NEUTRAL) for item in judgement.evidence)
        return replace(
            judgement,
            verdict=Verdict.INSUFFICIENT,
            support=Support.PARTIAL,
            confidence=1.0 - judgement.confidence,
            support_probability=judgement.confidence,
            evidence=evidence,
            explanation=fit_explanation(f"The sources hardly back this. {said}"),
        )
    return judgement if said == judgement.explanation else replace(judgement, explanation=said)


def _asked(
    judge: Judge,
    claims: Sequence[Claim],
    passages: Sequence[Sequence[Passage]],
    question: str | None,
    policy: Policy,
    budget: Budget,
) -> Deliberation:
    try:
        if (found := judge.deliberate(claims, passages, question, budget)) is not None:
            return found
        passages, question, warnings = fit(passages, question, policy)
        judgements = tuple(judge.judge(claims, passages, question))
        if len(judgements) != len(claims):
            raise ValueError(f"{len(judgements)} judgements on {len(claims)} claims")
        if odd := [one for one in judgements if not isinstance(one, Judgement)]:
            raise TypeError(f"{odd[0]!r} is no Judgement")
        return Deliberation(judgements, warnings=warnings)
    except UsageError:
        raise
    except ModelError as problem:  # impossible numbers of a model of ours among them
        log.error("the judge %r cannot be used, words and numbers alone judge: %s", judge.name, problem)
        from assay.judges.lexical import LexicalJudge

        why = f"the judge {judge.name!r} cannot be used, words and numbers alone judge: {problem}"
        said = LexicalJudge(policy).deliberate(claims, passages, question)
        return replace(said, flags=(RiskFlag("fallback", "high", why),), fallbacks=(judge.name,))
    except Exception as problem:
        log.exception("the judge %r failed", judge.name)
        reason = f"Not verified: the judge {judge.name!r} failed ({type(problem).__name__}: {problem})."
        return Deliberation(unverified_all(claims, reason))
