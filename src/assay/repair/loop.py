"""The one bounded loop: try strategies until the answer passes, the budget is spent, or nothing helps any more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.engine import Engine, Source
from assay.errors import GeneratorError, UsageError
from assay.repair.case import Case, Proposal, Strategy, gather
from assay.repair.score import answer_confidence, failing, find_quoted_order, passes, rank
from assay.repair.strategies import STRATEGIES
from assay.repair.values import COST_UNKNOWN, NO_IMPROVEMENT, UNSUPPORTED_CLAIMS, Attempt, RepairBudget, RepairResult
from assay.types import Passage, Report, Verdict

if TYPE_CHECKING:
    from assay.llm import Generator
    from assay.memory import Memory


PATIENCE = 2  # attempts without improvement after which a repair only branches


def repair(
    question: str | None,
    answer: str,
    report: Report | None = None,
    *,
    generator: Generator | str | None = None,
    memory: Memory | None = None,
    sources: Iterable[Source] | Source = (),
    strategies: Sequence[str | Strategy] | None = None,
    budget: RepairBudget | None = None,
    engine: Engine | None = None,
    shown: Sequence[Passage] | None = None,
) -> RepairResult:
    """The best answer that the strategies make of this one; the first attempt that passes, else the best of all.

    Without a generator only `correct` and `edit` can do anything. `shown` are the passages the answer was written
    from; without them they are looked for.
    """
    case = open_case(question, answer, report, generator, memory, sources, engine, shown)
    if passes(case.report):
        return RepairResult(answer, answer, case.report, stopped="nothing to do")
    return run_loop(case, find_strategies(strategies), budget or RepairBudget())


def open_case(
    question: str | None,
    answer: str,
    report: Report | None,
    generator: Generator | str | None,
    memory: Memory | None,
    sources: Iterable[Source] | Source,
    engine: Engine | None,
    shown: Sequence[Passage] | None = None,
) -> Case:
    """Everything a strategy needs, with the answer verified if it was not yet."""
    from assay.engine.request import read_sources
    from assay.llm import make_generator

    checker = engine or Engine()
    documents, memories, _ = read_sources(sources)
    recall = memory if memory is not None else (memories[0] if memories else None)
    writer = make_generator(generator, policy=checker.policy) if isinstance(generator, str) else generator
    passages = tuple(gather(question or answer, recall, documents, checker.policy)) if shown is None else tuple(shown)
    known = Report(answer, ()) if report is None else report
    case = Case(question, answer, known, checker, writer, recall, tuple(documents), passages)
    return case if report is not None else replace(case, report=case.examine(answer).report)


def find_strategies(wanted: Sequence[str | Strategy] | None) -> list[Strategy]:
    """Strategies by name or as they are; all of them if none is named."""
    found: list[Strategy] = []
    for item in STRATEGIES if wanted is None else wanted:
        if not isinstance(item, str):
            found.append(item)
        elif item in STRATEGIES:
            found.append(STRATEGIES[item]())
        else:
            raise UsageError(f"there is no strategy {item!r}; there are {', '.join(STRATEGIES)}")
    return found


def run_loop(case: Case, strategies: Sequence[Strategy], budget: RepairBudget) -> RepairResult:
    """Strategies one after the other, the least tried first; `edit` is kept for the end, and is always allowed."""
    policy, first = case.policy, case
    most = policy.repair_attempts if budget.attempts is None else budget.attempts
    money = policy.repair_usd if budget.usd is None else budget.usd
    added: tuple[Passage, ...] = ()
    idle, stopped = 0, ""
    last = [strategy for strategy in strategies if strategy.name == "edit"]
    others = [strategy for strategy in strategies if strategy.name != "edit"]
    while not stopped:
        fitting = [strategy for strategy in others if strategy.applies(case)]
        if passes(case.report):
            stopped = "success"
        elif len(case.attempts) >= most:
            stopped = "attempts"
        elif (spent := sum(attempt.cost_usd or 0.0 for attempt in case.attempts)) > 0 and spent >= money:
            stopped = "cost"
        elif idle >= PATIENCE and not (fitting := [item for item in fitting if item.name == "branch"]):
            stopped = "no improvement"  # but not before every branch was tried: they come before abstaining
        elif not fitting:
            stopped = "nothing left to try"
        else:
            case, found = _attempt(case, min(fitting, key=lambda strategy: case.used(strategy.name)))
            added += found
            # That nothing could be corrected for free says nothing about what a model could do.
            if case.attempts[-1].strategy != "correct":
                idle = 0 if case.attempts[-1].improved else idle + 1
    for strategy in last:
        if not passes(case.report) and strategy.applies(case):
            case, _ = _attempt(case, strategy)
            stopped = "success" if passes(case.report) else stopped
    return _result(first, case, added, stopped)


def _attempt(case: Case, strategy: Strategy) -> tuple[Case, tuple[Passage, ...]]:
    """The case after one attempt; a generator that fails makes a failed attempt, not a failed repair."""
    problem, proposal = "", None
    try:
        proposal = strategy.propose(case)
    except GeneratorError as failure:
        problem = str(failure)
    if proposal is None:
        reason = problem or "it had nothing to propose"
        attempt = Attempt(
            strategy.name, case.answer, case.report, answer_confidence(case.report), False, problem=reason
        )
        return replace(case, attempts=(*case.attempts, attempt)), ()
    return _weigh(case, strategy.name, proposal)


def _weigh(case: Case, name: str, proposal: Proposal) -> tuple[Case, tuple[Passage, ...]]:
    """The case with the proposal's answer if it is better; evidence that was found is kept in any case."""
    shown = (*case.shown, *(passage for passage in proposal.added if passage not in case.shown))
    wider = replace(case, shown=shown)
    report = proposal.report or wider.examine(proposal.answer).report
    improved = rank(report) > rank(case.report) and find_quoted_order(report) is None
    # A caveat does not change what the engine says, but the reader is better off with it.
    kept = improved or (bool(proposal.edits) and rank(report) == rank(case.report))
    attempt = Attempt(
        name,
        proposal.answer,
        report,
        answer_confidence(report),
        improved,
        proposal.cost_usd,
        proposal.edits,
        proposal.objections,
    )
    wider = replace(wider, attempts=(*case.attempts, attempt))
    return (replace(wider, answer=proposal.answer, report=report) if kept else wider), proposal.added


def _result(first: Case, case: Case, added: tuple[Passage, ...], stopped: str) -> RepairResult:
    warnings: list[str] = []
    if rank(case.report) <= rank(first.report):
        warnings.append(NO_IMPROVEMENT)
    if left := [finding for finding in failing(case.report) if finding.verdict is Verdict.INSUFFICIENT]:
        warnings.append(f"{UNSUPPORTED_CLAIMS}: " + "; ".join(finding.text for finding in left))
    if any(attempt.cost_usd is None for attempt in case.attempts):
        warnings.append(COST_UNKNOWN)
    edits = tuple(edit for attempt in case.attempts for edit in attempt.edits if _was_kept(attempt, case))
    report = case.report
    if not passes(report) and case.used("branch") >= case.policy.max_branches:
        # The best attempt may be older than the last branch: what is to be done follows from all of them.
        report = case.examine(case.answer).report
    return RepairResult(first.answer, case.answer, report, case.attempts, tuple(warnings), added, stopped, edits)


def _was_kept(attempt: Attempt, case: Case) -> bool:
    """Whether the final answer goes back to this attempt: nothing after it started anew."""
    position = case.attempts.index(attempt)
    later = [other for other in case.attempts[position + 1 :] if other.improved and not other.edits]
    return (attempt.improved or attempt.answer == case.answer) and not later
