"""The view of retrieval-augmented chats: an answer with a verification beside it, corrected where it is not sure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from assay.engine import Engine, Source
from assay.errors import UsageError
from assay.llm.values import Message
from assay.repair.asking import NO_EVIDENCE, check_question
from assay.repair.case import Case, documents_of
from assay.repair.gather import gather
from assay.repair.loop import open_case, run_loop
from assay.repair.score import answer_confidence
from assay.repair.strategies import Retrieve
from assay.repair.values import Budget, Chat, RepairResult, Verification
from assay.repair.writer import Writer
from assay.types import Passage, Report, RiskFlag, Verdict
from assay.views import confidence_level, is_grounded

if TYPE_CHECKING:
    from assay.llm import Generator
    from assay.memory import Memory


def verify_response(
    question: str | None,
    answer: str,
    *,
    memory: Memory | None = None,
    sources: Iterable[Source] | Source = (),
    engine: Engine | None = None,
    show_claims: bool = False,
) -> Verification:
    """How far an answer is borne out by a memory, by sources, or by both."""
    return _verification(open_case(question, answer, None, None, memory, sources, engine, ()).report, 0, show_claims)


def corrective_rag_loop(
    question: str,
    answer: str | None = None,
    *,
    memory: Memory,
    generator: Generator | str = "extractive",
    threshold: float | None = None,
    attempts: int | None = None,
    engine: Engine | None = None,
) -> RepairResult:
    """Looks for evidence and writes again until the answer is sure enough; without an answer, one is drafted first."""
    checker = engine or Engine()
    case = open_case(question, answer or "", None, generator, memory, (), checker)
    return _correct(_drafted(case) if answer is None else case, threshold, attempts)


def chat_with_verification(
    messages: Sequence[Message] | str,
    *,
    memory: Memory,
    generator: Generator | str = "extractive",
    verification: bool = True,
    correction: bool = True,
    threshold: float | None = None,
    attempts: int | None = None,
    show_claims: bool = False,
    engine: Engine | None = None,
) -> Chat:
    """A reply to the last message, from the memory's evidence; verified and corrected unless told otherwise."""
    listed = [Message("user", messages)] if isinstance(messages, str) else list(messages)
    if not listed or listed[-1].role != "user":
        raise UsageError("a chat ends with a message of the user")
    checker = engine or Engine()
    question = check_question(listed[-1].content, checker.policy)
    passages = tuple(gather(question, memory, (), checker.policy))
    if not passages:
        return _nothing_found(question, verification, show_claims)
    case = _drafted(open_case(question, "", None, generator, memory, (), checker, passages), listed[:-1])
    if not case.answer:
        return _nothing_found(question, verification, show_claims, passages)
    if not verification:
        return Chat(case.answer, None, passages)
    result = _correct(case, threshold, attempts) if correction else None
    report = result.report if result else case.report
    tried = sum(attempt.strategy == "retrieve" for attempt in result.attempts) if result else 0
    return Chat(
        answer=result.answer if result else case.answer,
        verification=_verification(report, tried, show_claims),
        sources=(*passages, *(result.evidence_added if result else ())),
        attempts=result.attempts if result else (),
        warnings=result.warnings if result else (),
    )


def _drafted(case: Case, history: Sequence[Message] = ()) -> Case:
    """The case with a first draft, verified."""
    from dataclasses import replace

    assert case.generator is not None
    draft = Writer(case.generator, case.policy).draft(case.question or "", case.shown, history=history)
    return replace(case, answer=draft.text, report=case.examine(draft.text).report)


def _correct(case: Case, threshold: float | None, attempts: int | None) -> RepairResult:
    """Corrective retrieval alone, if the answer is less sure than the threshold."""
    wanted = case.policy.repair_confidence if threshold is None else threshold
    confidence = answer_confidence(case.report)
    if confidence is not None and confidence >= wanted:
        return RepairResult(case.answer, case.answer, case.report, stopped="nothing to do")
    limit = case.policy.retrieve_limit if attempts is None else attempts
    return run_loop(case, [Retrieve(threshold=wanted, limit=limit)], Budget(attempts=limit))


def _verification(report: Report, attempts: int, show_claims: bool) -> Verification:
    confidence = answer_confidence(report)
    return Verification(
        confidence=None if confidence is None else round(confidence, 6),
        level=None if confidence is None else confidence_level(confidence),
        is_grounded=is_grounded(report),
        claims_checked=len(report.scored),
        claims_supported=sum(finding.verdict is Verdict.SUPPORTED for finding in report.findings),
        crag_attempts=attempts,
        report=report,
        show_claims=show_claims,
    )


def _nothing_found(question: str, verification: bool, show_claims: bool, passages: Sequence[Passage] = ()) -> Chat:
    """The fixed answer; what was looked at is named, so that a reader can look too."""
    flag = RiskFlag("no_evidence", "high", "the memory holds nothing that answers this question")
    report = Report(NO_EVIDENCE, (), tuple(documents_of(passages)), question, skipped="no evidence", risk_flags=(flag,))
    return Chat(NO_EVIDENCE, _verification(report, 0, show_claims) if verification else None, tuple(passages))
