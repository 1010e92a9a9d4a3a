"""What is done with a response whose check found gaps: flags in its text, another try, or a question to the caller."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any

from assay.defuse import defuse_text
from assay.epistemic.checker import Checker
from assay.epistemic.evidence import EvidenceLike, read_evidence
from assay.epistemic.free_answer import HOME
from assay.epistemic.results import ClaimVerification, HallucinationReport
from assay.errors import GeneratorError
from assay.llm.delimit import Block, fence
from assay.llm.prices import total_usd
from assay.llm.prompt import load_prompt
from assay.llm.values import Generator
from assay.types import Document

Rewrite = Callable[[str], "str | Awaitable[str]"]
"""Writes a response again when told what was wrong with it."""

LONGEST_NOTE = 160  # characters of a flag in the text


@dataclass(frozen=True)
class Try:
    """One version of a response with the report on it, and what writing it cost."""

    response: str
    report: HallucinationReport
    cost_usd: float | None = 0.0


@dataclass(frozen=True)
class ResolvedResponse:
    """The best version of a response.

    `outcome` is `passed`, `skipped`, `flagged` (`answer` has the flags in its text) or `ask` (`question` is what to ask
    a person). `report` is about `response`, the best version without flags.
    """

    answer: str
    response: str
    report: HallucinationReport
    outcome: str
    tries: tuple[Try, ...]
    question: str | None = None
    problem: str = ""

    @property
    def cost_usd(self) -> float | None:
        """What the writing of further versions and all checks cost; None if a price is not known."""
        return total_usd(cost for one in self.tries for cost in (one.cost_usd, one.report.cost.get("usd", 0.0)))

    def to_dict(self) -> dict[str, Any]:
        return {
            "answer": self.answer,
            "outcome": self.outcome,
            "question": self.question,
            "retries": len(self.tries) - 1,
            "problem": self.problem,
            "resolve_cost_usd": self.cost_usd,
        } | self.report.to_dict()


async def resolve(
    checker: Checker,
    response: str,
    context: EvidenceLike,
    *,
    question: str | None = None,
    rewrite: Rewrite | Generator | None = None,
    response_id: str | None = None,
) -> ResolvedResponse:
    """Checks a response and does what `on_failure` says; `rewrite` is needed for `retry`, which else only flags."""
    documents = read_evidence(context, [response])
    report = await checker.detect_hallucinations(response, documents, question=question, response_id=response_id)
    tries, problem = [Try(response, report)], ""
    if report.should_retry and checker.config.on_failure == "retry":
        if rewrite is None:
            problem = "nobody is there to write it again: give a generator or a function"
        else:
            problem = await _retry(checker, tries, documents, question, rewrite, response_id)
    best = max(tries, key=rank_try)
    flagged = best.report.flagged_claims or best.report.errors
    outcome = "skipped" if best.report.skipped is not None else "flagged" if flagged else "passed"
    answer, wanted = best.response, None
    if outcome == "flagged" and checker.config.on_failure == "ask":
        outcome, wanted = "ask", ask_about(best.report)
    elif outcome == "flagged":
        answer = annotate(best.response, best.report.claims)
    return ResolvedResponse(answer, best.response, best.report, outcome, tuple(tries), wanted, problem)


async def _retry(
    checker: Checker,
    tries: list[Try],
    documents: Sequence[Document],
    question: str | None,
    rewrite: Rewrite | Generator,
    response_id: str | None,
) -> str:
    """Adds further tries until one passes or the limit is reached; what went wrong, if something did."""
    for _ in range(checker.config.max_retries):
        last = max(tries, key=rank_try)
        try:
            text, cost = await _rewritten(rewrite, last, documents, question)
        except GeneratorError as failure:
            return str(failure)
        if not text.strip():
            return "the writer gave no text"
        report = await checker.detect_hallucinations(text, documents, question=question, response_id=response_id)
        tries.append(Try(text, report, cost))
        if not report.should_retry and report.skipped is None:
            break
    return ""


async def _rewritten(
    rewrite: Rewrite | Generator, last: Try, documents: Sequence[Document], question: str | None
) -> tuple[str, float | None]:
    if not isinstance(rewrite, Generator):
        said = await asyncio.to_thread(rewrite, last.report.retry_guidance)
        return (await said if isawaitable(said) else said), 0.0
    blocks = [Block("source", defuse_text(d.text), d.id, d.title) for d in documents]
    blocks += [Block("question", question)] if question else []
    blocks += [Block("answer", last.response), Block("corrections", last.report.retry_guidance)]
    messages = load_prompt("retry", home=HOME).fill(blocks=fence(blocks))
    completion = await rewrite.complete(messages, max_tokens=max(512, 2 * rewrite.count_tokens(last.response)))
    return completion.text.strip(), completion.cost_usd


def rank_try(one: Try) -> tuple[float, ...]:
    """A key by which the better of two tries is the greater: checked, no gaps, few of them, high confidence."""
    report = one.report
    return (
        float(report.skipped is None),
        -float(report.has_critical_gaps),
        -float(report.flagged_claims + report.errors),
        -float(report.doubtful_claims),
        report.overall_confidence or 0.0,
    )


def annotate(response: str, claims: Sequence[ClaimVerification]) -> str:
    """The response with a note in square brackets behind each flagged claim."""
    for claim in sorted(claims, key=lambda one: max((span.end for span in one.spans), default=0), reverse=True):
        if claim.is_flagged and claim.spans:
            kind = "not checked" if claim.gap_type is None else claim.gap_type.value.replace("_", " ")
            reason = " ".join(claim.flag_reason.split()).rstrip(".")
            short = reason if len(reason) <= LONGEST_NOTE else f"{reason[:LONGEST_NOTE].rstrip()}…"
            end = max(span.end for span in claim.spans)
            response = f"{response[:end]} [{kind}: {short}]{response[end:]}"
    return response


def ask_about(report: HallucinationReport) -> str:
    """The question to a person: which statements cannot stay, why, and what is to be done about them."""
    lines = ["The sources do not carry these statements. Should each be corrected, removed or kept?"]
    for claim in report.claims:
        if claim.is_flagged:
            quote = next((" ".join(item.quote.split()) for item in claim.evidence if item.quote.strip()), "")
            shown = f" The source: “{quote[:300]}”." if quote else ""
            lines.append(f"- “{claim.claim_text}”: {claim.flag_reason.rstrip('.')}.{shown}")
    return "\n".join(lines)
