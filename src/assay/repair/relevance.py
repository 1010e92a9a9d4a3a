"""Whether a verified text may stand as the answer: sure enough, stating something, and about what was asked."""

from __future__ import annotations

from collections.abc import Sequence

from assay.claims.grammar import finite, words_of
from assay.llm.choosing import weigh_question
from assay.orders import find_order
from assay.policy import Policy
from assay.text.tokens import stem, tokenize
from assay.types import Finding, Passage, Report, Verdict

ANSWER_COVERAGE = 0.5  # share of the question that an answer and the passages behind it must hold


def find_irrelevance(question: str, report: Report, shown: Sequence[Passage], policy: Policy) -> str | None:
    """Why a verified text is no answer, in words that fit behind "Reason:"; None if it is one.

    That "Eric Marlon Bishop" stands in a source proves nothing about the question; and a sentence that is true of
    something else answers nothing.
    """
    if order := find_quoted_order(report):
        return f"a source tells its reader what to say (“{order[:80]}”) and is not taken as evidence"
    supported = [finding for finding in report.findings if finding.verdict is Verdict.SUPPORTED]
    if any(finding.confidence < policy.low_confidence for finding in supported):
        return "a claim is supported, but not surely enough"
    if not any(states_something(finding.text) or _is_whole_quote(finding) for finding in supported):
        return "the draft names something, but states nothing that could be verified"
    titles = {document.id: document.title for document in report.documents}
    behind = {item.document for finding in supported for item in finding.evidence}
    texts = [report.answer, *(titles.get(name, "") for name in behind)]
    texts += [item.quote for finding in supported for item in finding.evidence]
    texts += [passage.text for passage in shown if passage.document.id in behind]
    if coverage_of(question, " ".join(texts)) < ANSWER_COVERAGE:
        return "what could be verified does not answer it"
    return None


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
