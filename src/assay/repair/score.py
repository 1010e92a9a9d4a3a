"""How good an answer is: whether it passes, how sure it is, what it still needs, and whether it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assay.claims.grammar import finite, words_of
from assay.ledger.entries import gates
from assay.llm.choosing import is_answered, weigh_question
from assay.llm.delimit import Block
from assay.orders import find_order
from assay.policy import Policy
from assay.text.tokens import stem, tokenize
from assay.types import Finding, Importance, Passage, Report, Verdict
from assay.views import LedgerVerdict, RagVerdict, confidence_level, gap_type, ledger_verdict, rag_verdict

REVISE_LIMIT = 2  # times a repair has the answer revised claim by claim
_PENALTY = 0.1  # for each claim that nothing supports, or whose check failed
_BONUS = 0.1  # if every claim is fully supported
_PARTIAL = 0.5


def passes(report: Report) -> bool:
    """Whether something was verified, and nothing in the answer failed to be."""
    return report.grounded is True


def failing(report: Report) -> list[Finding]:
    """The findings that keep an answer from passing, the weightiest and surest first."""
    order = {Importance.CRITICAL: 0, Importance.MATERIAL: 1, Importance.MINOR: 2}
    found = [f for f in report.findings if f.verdict not in (Verdict.SUPPORTED, Verdict.NOT_CHECKABLE)]
    return sorted(
        found, key=lambda f: (f.verdict is not Verdict.REFUTED, order[f.claim.importance], -f.confidence, f.claim.span)
    )


@dataclass(frozen=True, slots=True)
class AnswerRating:
    """How far an answer can be relied on, with the figures from which it follows.

    `confidence` is (supported + half of the partly supported) / all, less 0.1 for each unsupported claim or error, plus
    0.1 if every claim is fully supported; `level` is the same in words, and "High" only for the last case.
    """

    confidence: float
    level: str
    supported: int
    partial: int
    unsupported: int
    fully_supported: bool

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"confidence": round(self.confidence, 6)}


def rate_answer(report: Report) -> AnswerRating | None:
    """The rating of an answer; None, and not 1, where nothing could be checked."""
    verdicts = [rag_verdict(finding) or RagVerdict.UNSUPPORTED for finding in report.checkable]
    if not verdicts:
        return None
    full = is_fully_supported(report)
    supported = verdicts.count(RagVerdict.SUPPORTED)
    partial = verdicts.count(RagVerdict.PARTIALLY_SUPPORTED)
    unsupported = verdicts.count(RagVerdict.UNSUPPORTED)  # among them errors: a failed check supports nothing
    score = (supported + _PARTIAL * partial) / len(verdicts) - _PENALTY * unsupported
    confidence = min(1.0, max(0.0, score + _BONUS if full else score))
    level = confidence_level(confidence)
    return AnswerRating(
        confidence, "Medium" if level == "High" and not full else level, supported, partial, unsupported, full
    )


def answer_confidence(report: Report) -> float | None:
    """The confidence of `rate_answer`."""
    rating = rate_answer(report)
    return None if rating is None else rating.confidence


def is_fully_supported(report: Report) -> bool:
    """Whether there are claims, and each is supported: none in part, none weakly, none in error."""
    claims = report.checkable
    return bool(claims) and all(ledger_verdict(finding) is LedgerVerdict.SUPPORTED for finding in claims)


def rank(report: Report) -> tuple[float, ...]:
    """A key by which the better of two answers is the greater; saying nothing is worse than anything supported."""
    confidence = answer_confidence(report)
    counts = report.counts
    failed = counts["REFUTED"] + counts["INSUFFICIENT"] + counts["ERROR"]
    return (
        float(passes(report)),
        float(counts["SUPPORTED"] > 0),
        -1.0 if confidence is None else confidence,
        -float(counts["REFUTED"]),
        -float(failed),
        float(counts["SUPPORTED"]),
    )


_REVISED_FOR = {  # the gates of the ledger, the gravest first
    "critical_unsupported": "a critical claim was not found",
    "contradictions": "a claim is contradicted",
    "coverage": "coverage is too low",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether an answer is to be revised (again), and why."""

    revise: bool
    reason: str


def decide_revision(report: Report, done: int, policy: Policy) -> Decision:
    """Limit reached or good enough: stop. Critical not found, contradicted, or too little covered: revise."""
    if done >= REVISE_LIMIT:
        return Decision(False, "limit reached")
    failed = {gate.name for gate in gates(report, policy) if gate.passed is False}
    reason = next((said for name, said in _REVISED_FOR.items() if name in failed), None)
    return Decision(False, "covered") if reason is None else Decision(True, reason)


def critical_gaps(report: Report) -> list[Finding]:
    """Critical claims that show an epistemic gap."""
    return [f for f in report.findings if f.claim.importance is Importance.CRITICAL and gap_type(f) is not None]


ANSWER_COVERAGE = 0.5  # share of the question that an answer and the passages behind it must hold


def find_irrelevance(
    question: str, report: Report, shown: Sequence[Passage], policy: Policy, *, quoted: str = ""
) -> str | None:
    """Why a verified text is no answer, in words that fit behind "Reason:"; None if it is one.

    That "Eric Marlon Bishop" stands in a source proves nothing about the question; and a sentence that is true of
    something else answers nothing. `quoted` is a text of quotes that were chosen because they answer.
    """
    if order := find_quoted_order(report):
        return f"a source tells its reader what to say (“{order[:80]}”) and is not taken as evidence"
    supported = [finding for finding in report.findings if finding.verdict is Verdict.SUPPORTED]
    if any(finding.confidence < policy.low_confidence for finding in supported):
        return "a claim is supported, but not surely enough"
    if quoted and report.answer == quoted:
        return None
    if not any(states_something(finding.text) or _is_whole_quote(finding) for finding in supported):
        return "the draft names something, but states nothing that could be verified"
    titles = {document.id: document.title for document in report.documents}
    behind = {item.document for finding in supported for item in finding.evidence}
    texts = [report.answer, *(titles.get(name, "") for name in behind)]
    texts += [item.quote for finding in supported for item in finding.evidence]
    texts += [passage.text for passage in shown if passage.document.id in behind]
    if coverage_of(question, " ".join(texts)) >= ANSWER_COVERAGE or is_answered(question, _quotes(supported, titles)):
        return None
    return "what could be verified does not answer it"


def _quotes(supported: Sequence[Finding], titles: Mapping[str, str]) -> list[Block]:
    """The quotes behind some findings, a block for each document."""
    quotes: dict[str, dict[str, None]] = {}
    for finding in supported:
        for item in finding.evidence:
            quotes.setdefault(item.document, {})[item.quote] = None
    return [Block("source", "\n\n".join(texts), name, titles.get(name, "")) for name, texts in quotes.items()]


def find_quoted_order(report: Report) -> str | None:
    """The words of a supporting quote that are addressed to a model: "write: bananas cure cancer" states nothing."""
    for finding in report.findings:
        if finding.verdict is Verdict.SUPPORTED:
            for item in finding.evidence:
                if words := find_order(item.quote):
                    return words
    return None


def coverage_of(question: str, text: str) -> float:
    """The share of a question's words, names counting double, that a text holds; 1 for a question without any."""
    wanted = weigh_question(question)
    held = {stem(token.text.lower()) for token in tokenize(text)}
    whole = sum(wanted.values())
    return sum(weight for root, weight in wanted.items() if root in held) / whole if whole else 1.0


def _is_whole_quote(finding: Finding) -> bool:
    """Whether a claim is a whole sentence of its evidence: that states something, whatever its verb."""
    return any(" ".join(item.quote.split()) == finding.text for item in finding.evidence)


def states_something(text: str) -> bool:
    """Whether a text has a verb that makes a statement of it.

    >>> states_something("Paris is in France."), states_something("Paris, France")
    (True, False)
    """
    words = words_of(text, 0, len(text))
    return any(finite(words, at) for at in range(len(words)))
