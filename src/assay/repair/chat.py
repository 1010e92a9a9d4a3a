"""The view of retrieval-augmented chats: an answer with a verification beside it, corrected where it is not sure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.engine import Engine, Source
from assay.errors import UsageError
from assay.llm.prices import Metered
from assay.llm.values import Message
from assay.repair.asking import NO_EVIDENCE, check_question
from assay.repair.case import Case, documents_of, gather
from assay.repair.loop import open_case, run_loop
from assay.repair.options import VerificationOptions, engine_by
from assay.repair.score import rate_answer
from assay.repair.skeptic import suggest_corrections
from assay.repair.strategies import Retrieve
from assay.repair.values import Chat, RepairBudget, RepairResult, Verification
from assay.repair.writer import Writer
from assay.types import Passage, Report, RiskFlag, Verdict
from assay.views import is_grounded

if TYPE_CHECKING:
    from assay.epistemic import EpistemicConfig, ResolvedResponse
    from assay.llm import Generator
    from assay.memory import Memory


def verify_response(
    question: str | None,
    answer: str,
    *,
    memory: Memory | None = None,
    sources: Iterable[Source] | Source = (),
    engine: Engine | None = None,
    model: str = "",
    show_claims: bool = False,
) -> Verification:
    """How far an answer is borne out by a memory, by sources, or by both, and what it should say instead.

    `model` is who verifies: a judge by name, or a language model ("haiku", "openai:…"); without it the engine's own.
    """
    checker = engine_by(model, engine or Engine())
    report = open_case(question, answer, None, None, memory, sources, checker, ()).report
    return _verification(report, 0, VerificationOptions(show_claims=show_claims), checker)


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
    options = VerificationOptions.load(policy=checker.policy, env={}, threshold=threshold, attempts=attempts)
    return _correct(_drafted(case) if answer is None else case, options)


def chat_with_verification(
    messages: Sequence[Message] | str,
    *,
    memory: Memory,
    generator: Generator | str = "extractive",
    verification: bool | VerificationOptions = True,
    correction: bool | None = None,
    threshold: float | None = None,
    attempts: int | None = None,
    show_claims: bool | None = None,
    epistemic: EpistemicConfig | None = None,
    engine: Engine | None = None,
) -> Chat:
    """A reply to the last message, from the memory's evidence; verified and corrected unless told otherwise.

    `verification` is on, off, or all options at once; those given beside it come before them. With `epistemic` (or
    the option of that name) the answer is also checked claim by claim for whether it used its evidence, and treated as
    the setting `on_failure` says.
    """
    from assay.llm import make_generator

    listed = [Message("user", messages)] if isinstance(messages, str) else list(messages)
    if not listed or listed[-1].role != "user":
        raise UsageError("a chat ends with a message of the user")
    own = engine or Engine()
    options = verification if isinstance(verification, VerificationOptions) else VerificationOptions.of(own.policy)
    if isinstance(verification, bool):
        options = options.but(enabled=verification)
    given = {"correction": correction, "threshold": threshold, "attempts": attempts, "show_claims": show_claims}
    options = options.but(**{name: value for name, value in given.items() if value is not None})
    checker = engine_by(options.model, own)
    writer = Metered(make_generator(generator, policy=own.policy) if isinstance(generator, str) else generator)
    question = check_question(listed[-1].content)
    chat = Chat("", None, model=writer.name, workspace=memory.workspace)
    passages = tuple(gather(question, memory, (), checker.policy))
    if not passages:
        return _nothing_found(chat, question, options, checker)
    case = _drafted(open_case(question, "", None, writer, memory, (), checker, passages), listed[:-1])
    if not case.answer:
        return _nothing_found(chat, question, options, checker, passages)
    if not options.enabled:
        return replace(chat, answer=case.answer, sources=passages)
    cost = writer.spent["cost_usd"]
    result = _correct(case, options) if options.correction else RepairResult(case.answer, case.answer, case.report)
    shown = (*passages, *result.evidence_added)
    answer, report, resolved = result.answer, result.report, None
    if epistemic is not None or options.epistemic:
        resolved = _resolve(replace(case, shown=shown), answer, epistemic, cost)
        answer = resolved.answer
        if resolved.response != result.answer:
            report = replace(case, shown=shown).examine(resolved.response).report
    return replace(
        chat,
        answer=answer,
        verification=_verification(report, result.real_attempts, options, checker),
        sources=shown,
        attempts=result.attempts,
        warnings=result.warnings,
        epistemic=resolved,
    )


def _drafted(case: Case, history: Sequence[Message] = ()) -> Case:
    """The case with a first draft, verified."""
    assert case.generator is not None
    draft = Writer(case.generator, case.policy).draft(case.question or "", case.shown, history=history)
    return replace(case, answer=draft.text, report=case.examine(draft.text).report)


def _correct(case: Case, options: VerificationOptions) -> RepairResult:
    """Corrective retrieval alone, if the answer is less sure than the threshold or a claim has no evidence."""
    strategy = Retrieve(threshold=options.threshold, limit=options.attempts)
    if not strategy.applies(case):
        return RepairResult(case.answer, case.answer, case.report, stopped="nothing to do")
    return run_loop(case, [strategy], RepairBudget(attempts=options.attempts))


def _resolve(case: Case, answer: str, config: EpistemicConfig | None, cost: float) -> ResolvedResponse:
    from assay.epistemic import Checker, EpistemicConfig
    from assay.epistemic.resolve import resolve
    from assay.llm.waiting import run

    settings = config or EpistemicConfig.load(policy=case.policy)
    checker = Checker(engine=case.engine, config=settings, answer_cost_usd=cost or None)
    writer = case.generator if case.may_rewrite else None
    return run(resolve(checker, answer, documents_of(case.shown), question=case.question, rewrite=writer))


def _verification(report: Report, attempts: int, options: VerificationOptions, engine: Engine) -> Verification:
    rating = rate_answer(report)
    return Verification(
        confidence=None if rating is None else round(rating.confidence, 6),
        level=None if rating is None else rating.level,
        is_grounded=is_grounded(report),
        claims_checked=len(report.scored),
        claims_supported=sum(finding.verdict is Verdict.SUPPORTED for finding in report.findings),
        crag_attempts=attempts,
        report=report,
        show_claims=options.show_claims,
        suggested_corrections=suggest_corrections(report, engine) if options.suggest_corrections else (),
        model=engine.model,
    )


def _nothing_found(
    chat: Chat, question: str, options: VerificationOptions, engine: Engine, passages: Sequence[Passage] = ()
) -> Chat:
    """The fixed answer; what was looked at is named, so that a reader can look too."""
    flag = RiskFlag("no_evidence", "high", "the memory holds nothing that answers this question")
    report = Report(NO_EVIDENCE, (), tuple(documents_of(passages)), question, skipped="no evidence", risk_flags=(flag,))
    verified = _verification(report, 0, options, engine) if options.enabled else None
    return replace(chat, answer=NO_EVIDENCE, verification=verified, sources=tuple(passages))
