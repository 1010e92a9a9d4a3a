"""The checks for people: each waits for its result, and works inside a running event loop as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.epistemic.checker import Checker
from assay.epistemic.config import EpistemicConfig
from assay.epistemic.evidence import EvidenceLike
from assay.epistemic.resolve import ResolvedResponse, Rewrite, resolve
from assay.epistemic.results import ClaimVerification, HallucinationReport
from assay.judges import Judge
from assay.llm.values import Generator
from assay.llm.waiting import run
from assay.policy import Policy


def verify_claim(
    claim: str,
    evidence: EvidenceLike,
    threshold: float = 0.95,
    *,
    cites: Sequence[str] | None = None,
    question: str | None = None,
    policy: Policy | None = None,
    config: EpistemicConfig | None = None,
    judge: str | Judge | None = None,
    generator: Generator | None = None,
) -> ClaimVerification:
    """How far the evidence supports one claim that is put forward as `threshold` sure.

    >>> verify_claim("Mount Everest is 8,849 m high.", "Mount Everest is 8,849 m high.", judge="lexical").is_flagged
    False
    >>> verify_claim("Mount Everest is 8,489 m high.", "Mount Everest is 8,849 m high.", judge="lexical").gap_type.value
    'contradicted'
    """
    checker = Checker(policy=policy, config=config, judge=judge, generator=generator)
    return run(checker.verify_claim(claim, evidence, threshold, cites=cites, question=question))


def audit_reasoning(
    steps: Sequence[Mapping[str, Any]],
    sources: EvidenceLike,
    *,
    question: str | None = None,
    policy: Policy | None = None,
    config: EpistemicConfig | None = None,
    judge: str | Judge | None = None,
    generator: Generator | None = None,
) -> list[ClaimVerification]:
    """Each step of a chain of reasoning (`{"claim": …, "cites": [ids]}`) against the sources it cites.

    >>> steps = [{"claim": "Everest is 8,849 m high.", "cites": ["atlas"]}]
    >>> audit_reasoning(steps, {"guide": "Mount Everest is 8,849 m high."}, judge="lexical")[0].gap_type.value
    'phantom_citation'
    """
    checker = Checker(policy=policy, config=config, judge=judge, generator=generator)
    return run(checker.audit_reasoning(steps, sources, question=question))


def evidence_dependence(
    question: str | None,
    answer: str,
    evidence: EvidenceLike,
    *,
    policy: Policy | None = None,
    config: EpistemicConfig | None = None,
    judge: str | Judge | None = None,
    generator: Generator | None = None,
) -> float:
    """How far the answer hangs on the evidence: 0 not at all, 1 fully."""
    checker = Checker(policy=policy, config=config, judge=judge, generator=generator)
    return run(checker.evidence_dependence(question, answer, evidence))


def detect_hallucinations(
    response: str,
    context: EvidenceLike,
    *,
    question: str | None = None,
    policy: Policy | None = None,
    config: EpistemicConfig | None = None,
    judge: str | Judge | None = None,
    generator: Generator | None = None,
    answer_cost_usd: float | None = None,
    response_id: str | None = None,
) -> HallucinationReport:
    """Which claims of a response its context does not carry, and what to tell the writer.

    `answer_cost_usd` is what the response cost: a check by a paid model then stays within its share of that.
    """
    checker = Checker(policy=policy, config=config, judge=judge, generator=generator, answer_cost_usd=answer_cost_usd)
    return run(checker.detect_hallucinations(response, context, question=question, response_id=response_id))


def resolve_response(
    response: str,
    context: EvidenceLike,
    *,
    question: str | None = None,
    rewrite: Rewrite | Generator | str | None = None,
    policy: Policy | None = None,
    config: EpistemicConfig | None = None,
    judge: str | Judge | None = None,
    generator: Generator | None = None,
    answer_cost_usd: float | None = None,
    response_id: str | None = None,
) -> ResolvedResponse:
    """The same check, and then what the setting `on_failure` says: flag, retry or ask.

    `flag` puts the flags into the text. `retry` has `rewrite` (a function that is told what was wrong, or a generator)
    write it again with the right evidence quoted, and takes the best try. `ask` gives back the question to put to a
    person.

    >>> source = "Mount Everest is 8,849 m high. It was first climbed in 1953 by Hillary and Tenzing."
    >>> said = source.replace("8,849", "8,489") + " That is all that the source has to say."
    >>> found = resolve_response(said, source, judge="lexical")
    >>> found.outcome, "[contradicted: " in found.answer
    ('flagged', True)
    """
    from assay.llm import make_generator

    checker = Checker(policy=policy, config=config, judge=judge, generator=generator, answer_cost_usd=answer_cost_usd)
    writer = make_generator(rewrite, policy=policy) if isinstance(rewrite, str) else rewrite
    return run(resolve(checker, response, context, question=question, rewrite=writer, response_id=response_id))
