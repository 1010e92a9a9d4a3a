"""The checks for people: each waits for its result, and works inside a running event loop as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from assay.epistemic.checker import Checker
from assay.epistemic.config import EpistemicConfig
from assay.epistemic.evidence import EvidenceLike
from assay.epistemic.resolve import ResolvedResponse, Rewrite, resolve
from assay.epistemic.results import ClaimVerification, HallucinationReport
from assay.judges import Judge
from assay.llm.values import Generator
from assay.llm.waiting import run
from assay.policy import Policy


class CheckerOptions(TypedDict, total=False):
    """What all checks take; `answer_cost_usd` is what the checked answer cost: a paid model stays within its share."""

    policy: Policy | None
    config: EpistemicConfig | None
    judge: str | Judge | None
    generator: Generator | None
    answer_cost_usd: float | None


def verify_claim(
    claim: str,
    evidence: EvidenceLike,
    threshold: float = 0.95,
    *,
    cites: Sequence[str] | None = None,
    question: str | None = None,
    **options: Unpack[CheckerOptions],
) -> ClaimVerification:
    """How far the evidence supports one claim that is put forward as `threshold` sure.

    >>> verify_claim("Mount Everest is 8,849 m high.", "Mount Everest is 8,849 m high.", judge="lexical").is_flagged
    False
    >>> verify_claim("Mount Everest is 8,489 m high.", "Mount Everest is 8,849 m high.", judge="lexical").gap_type.value
    'contradicted'
    """
    return run(Checker(**options).verify_claim(claim, evidence, threshold, cites=cites, question=question))


def audit_reasoning(
    steps: Sequence[Mapping[str, Any]],
    sources: EvidenceLike,
    *,
    question: str | None = None,
    **options: Unpack[CheckerOptions],
) -> list[ClaimVerification]:
    """Each step of a chain of reasoning (`{"claim": …, "cites": [ids]}`) against the sources it cites.

    >>> steps = [{"claim": "Everest is 8,849 m high.", "cites": ["atlas"]}]
    >>> audit_reasoning(steps, {"guide": "Mount Everest is 8,849 m high."}, judge="lexical")[0].gap_type.value
    'phantom_citation'
    """
    return run(Checker(**options).audit_reasoning(steps, sources, question=question))


def evidence_dependence(
    question: str | None, answer: str, evidence: EvidenceLike, **options: Unpack[CheckerOptions]
) -> float:
    """How far the answer hangs on the evidence: 0 not at all, 1 fully."""
    return run(Checker(**options).evidence_dependence(question, answer, evidence))


def detect_hallucinations(
    response: str,
    context: EvidenceLike,
    *,
    question: str | None = None,
    response_id: str | None = None,
    **options: Unpack[CheckerOptions],
) -> HallucinationReport:
    """Which claims of a response its context does not carry, and what to tell the writer."""
    return run(Checker(**options).detect_hallucinations(response, context, question=question, response_id=response_id))


def resolve_response(
    response: str,
    context: EvidenceLike,
    *,
    question: str | None = None,
    rewrite: Rewrite | Generator | str | None = None,
    response_id: str | None = None,
    **options: Unpack[CheckerOptions],
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

    checker = Checker(**options)
    writer = make_generator(rewrite, policy=checker.policy) if isinstance(rewrite, str) else rewrite
    return run(resolve(checker, response, context, question=question, rewrite=writer, response_id=response_id))
