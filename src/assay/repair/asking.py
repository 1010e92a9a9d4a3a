"""`ask`: a question in; an answer of which every sentence was verified, or an abstention, out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from assay.abstention import Abstention, abstain
from assay.engine import Engine, Request, Run
from assay.errors import UsageError
from assay.llm.extractive import Extractive
from assay.llm.prices import Metered
from assay.policy import QUESTION_MAX_TOKENS, Policy
from assay.repair.case import Case, Strategy, documents_of, gather
from assay.repair.edit import cut
from assay.repair.loop import find_strategies, run_loop
from assay.repair.score import find_irrelevance, passes
from assay.repair.skeptic import object_to_draft
from assay.repair.values import Asked, Attempt, RepairBudget
from assay.repair.writer import ANCHOR_CHARS, Writer
from assay.text.sentences import split_sentences
from assay.text.tokens import count_tokens
from assay.types import Action, Passage, Report, RiskFlag, Span, Verdict

if TYPE_CHECKING:
    from assay.ledger.ledger import Ledger
    from assay.llm import Generator
    from assay.memory import Memory

    Recorder = Callable[[Run, Sequence[Attempt], Abstention | None], str | None]

NO_EVIDENCE = "I could not find relevant information to answer this question."
_NO_EVIDENCE_FLAG = RiskFlag("no_evidence", "high", "the memory holds nothing about this question")


def ask(
    question: str,
    *,
    memory: Memory,
    generator: Generator | str = "extractive",
    policy: Policy | None = None,
    engine: Engine | None = None,
    ledger: Ledger | None = None,
    budget: RepairBudget | None = None,
    strategies: Sequence[str | Strategy] | None = None,
    user: str = "",
    session: str = "",
) -> Asked:
    """The answer to a question from a memory: drafted, verified, repaired, and shown only if it then passes.

    With a ledger the run is recorded for `user` and `session`, with what the generator spent; an abstention too.

    >>> from tempfile import TemporaryDirectory
    >>> from assay import Memory
    >>> with TemporaryDirectory() as folder, Memory(folder, embedder="static") as memory:
    ...     _ = memory.add(["The mill opened in 1900."])
    ...     asked = ask("When did the mill open?", memory=memory, engine=Engine(judge="lexical"))
    >>> "The mill opened in 1900." in asked.answer
    True
    """
    from assay.llm import make_generator

    started = perf_counter()
    checker = engine or Engine(policy)
    asked = check_question(question)
    writer = Metered(make_generator(generator, policy=checker.policy) if isinstance(generator, str) else generator)

    def record(run: Run, attempts: Sequence[Attempt], abstention: Abstention | None) -> str | None:
        if ledger is None:
            return None
        who: dict[str, Any] = {"user": user, "session": session, "mode": "ask", "memory": memory}
        return ledger.record(run, attempts=attempts, abstention=abstention, spent=writer.spent, **who)

    passages = tuple(gather(asked, memory, (), checker.policy))
    if not passages:
        return _without_evidence(asked, checker, started, record)
    draft = Writer(writer, checker.policy).draft(asked, passages)
    case = Case(asked, draft.text, Report(draft.text, ()), checker, writer, memory, shown=passages)
    if writer.name == Extractive.name:
        # A quote is judged by the source it is quoted from: another source about something like it refutes nothing.
        quoted = tuple(passage for passage in passages if passage.document.sha256[:ANCHOR_CHARS] in draft.text)
        case = replace(case, memory=None, shown=quoted or passages)
    run = case.examine(draft.text)
    case = replace(case, report=run.report)
    warnings: tuple[str, ...] = ()
    objections = () if draft.refused else object_to_draft(case)
    case = replace(case, objections=objections)
    if writer.name == Extractive.name and not passes(run.report):
        # Quotes are the sources' own words: one that fails is left out and never rewritten.
        kept = backed_sentences(run.report)
        case = replace(case, answer=kept, report=case.examine(kept).report) if kept else case
    elif not draft.refused and not passes(run.report):
        result = run_loop(case, find_strategies(strategies), budget or RepairBudget())
        warnings = result.warnings
        case = replace(case, answer=result.answer, report=result.report, attempts=result.attempts)
    final = verified_text(case.report) if passes(case.report) else case.answer
    if final != run.report.answer:
        run = case.examine(final)
    return _finish(case, run, draft.text, draft.refused, warnings, record, started)


def check_question(question: str) -> str:
    """The question without the space around it; one that is empty or too long is refused."""
    asked = question.strip()
    if not asked:
        raise UsageError("the question is empty")
    if (length := count_tokens(asked)) > QUESTION_MAX_TOKENS:
        raise UsageError(f"the question has about {length} tokens; at most {QUESTION_MAX_TOKENS} are taken")
    return asked


def verified_text(report: Report) -> str:
    """The answer without the sentences in which nothing was verified: greetings, opinions, instructions."""
    good = [span for f in report.findings if f.verdict is Verdict.SUPPORTED for span in f.spans]
    return _without(report.answer, lambda sentence: not any(span.overlaps(sentence) for span in good))


def backed_sentences(report: Report) -> str:
    """The answer without the sentences that have a claim which is not backed."""
    bad = [span for f in report.checkable if f.verdict is not Verdict.SUPPORTED for span in f.spans]
    return _without(report.answer, lambda sentence: any(span.overlaps(sentence) for span in bad))


def _without(answer: str, unwanted: Callable[[Span], bool]) -> str:
    for sentence in reversed(split_sentences(answer)):
        if unwanted(sentence.span):
            answer = cut(answer, Span(sentence.span.start, sentence.span.end))
    return answer.strip()


def _finish(
    case: Case, run: Run, draft: str, refused: bool, warnings: tuple[str, ...], record: Recorder, started: float
) -> Asked:
    from assay.ledger import ledger_of

    report = run.report
    reason = "the sources do not answer it" if refused else None
    if not refused and passes(report):
        quoted = draft if case.generator is not None and case.generator.name == Extractive.name else ""
        reason = find_irrelevance(case.question or "", report, case.shown, case.policy, quoted=quoted)
    good = not refused and passes(report) and reason is None
    abstention = None if good else abstain(report, reason)
    if abstention is not None:
        report = replace(report, action=Action.ABSTAIN)
    return Asked(
        question=case.question or "",
        answer=report.answer if good else None,
        report=report,
        ledger=ledger_of(report, case.policy),
        abstention=abstention,
        attempts=case.attempts,
        seconds=perf_counter() - started,
        draft=draft,
        sources=tuple(documents_of(_cited(case.shown, report))),
        warnings=warnings,
        run_id=record(replace(run, report=report), case.attempts, abstention),
        objections=case.objections,
    )


def _cited(shown: tuple[Passage, ...], report: Report) -> list[Passage]:
    """The passages of the documents that the report's evidence quotes."""
    quoted = {item.document for finding in report.findings for item in finding.evidence}
    elsewhere = [Passage(d, 0, 0) for d in report.documents if d.id in quoted]
    return [*(passage for passage in shown if passage.document.id in quoted), *elsewhere]


def _without_evidence(question: str, engine: Engine, started: float, record: Recorder) -> Asked:
    """The fixed answer where nothing was found: an empty ledger and a flag."""
    from assay.ledger import ledger_of

    policy, model = engine.policy, engine.model
    report = Report(
        "",
        (),
        question=question,
        skipped="no evidence",
        action=Action.ABSTAIN,
        risk_flags=(_NO_EVIDENCE_FLAG,),
        policy_sha256=policy.sha256,
        model=model,
    )
    refusal = abstain(report, "no relevant information was found")
    run_id = record(Run(Request("", question=question), report, (), policy, model), (), refusal)
    seconds = perf_counter() - started
    return Asked(question, None, report, ledger_of(report, policy), refusal, (), seconds, run_id=run_id)
