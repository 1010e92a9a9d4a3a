"""Checkpoint: verify whatever a function writes before anybody reads it.

Three ways to act on an answer that does not pass: `flag` (hand it on with its report), `retry` (have it written again,
with what was wrong; the best try is handed on) and `ask` (raise, so that a person decides). With the epistemic checks
an answer must also have used its evidence, and the flags stand in its text.

>>> @grounded(sources=["Mount Everest is 8,849 m high."], on_failure="flag", judge="lexical")
... def answer(question):
...     return "Mount Everest is 8,849 m high."
>>> answer("How high is Everest?").report.grounded
True
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from assay.engine import Engine, Request, Source
from assay.engine.request import list_sources
from assay.errors import AssayError, UsageError
from assay.policy import Policy
from assay.repair.score import failing, passes, rank
from assay.repair.skeptic import instruct
from assay.types import Report, Verdict

if TYPE_CHECKING:
    from assay.epistemic import EpistemicConfig, HallucinationReport

ACTIONS = ("flag", "retry", "ask")
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class CheckedAnswer:
    """An answer that has been through the checkpoint; `str()` is the answer.

    `epistemic` is the report of the epistemic checks, if they were asked for.
    """

    answer: str
    report: Report
    passed: bool
    retries: int = 0
    epistemic: HallucinationReport | None = None

    @property
    def feedback(self) -> list[str]:
        """One instruction for each claim that does not hold."""
        told = [instruct(finding) for finding in failing(self.report)]
        gaps = self.epistemic.gaps if self.epistemic is not None else ()
        known = {finding.text for finding in failing(self.report)}
        return told + [f"“{gap.claim_text}”: {gap.suggested_action}." for gap in gaps if gap.claim_text not in known]

    def __str__(self) -> str:
        return self.answer


class UnverifiedError(AssayError):
    """An answer did not pass and a person has to decide; `checked` holds it with its report."""

    def __init__(self, checked: CheckedAnswer) -> None:
        self.checked = checked
        claims = [f"“{finding.text}” ({finding.verdict})" for finding in failing(checked.report)]
        if not claims and checked.epistemic is not None:
            claims = [f"“{gap.claim_text}” ({gap.claim.flag_reason})" for gap in checked.epistemic.gaps]
        reason = "; ".join(claims) or checked.report.skipped or "nothing in it was"
        super().__init__(f"the answer is not verified: {reason}")


class Checkpoint:
    """Verifies answers; also a context manager, which checks on leaving whatever was put down with `say`.

    >>> with Checkpoint(sources=["Mount Everest is 8,849 m high."], judge="lexical") as checkpoint:
    ...     checkpoint.say("Mount Everest is 8,849 m high.")
    >>> checkpoint.results[0].passed
    True
    """

    def __init__(
        self,
        *,
        sources: Iterable[Source] | Source = (),
        on_failure: str = "flag",
        policy: Policy | None = None,
        judge: str = "cascade",
        engine: Engine | None = None,
        epistemic: EpistemicConfig | bool = False,
    ) -> None:
        if on_failure not in ACTIONS:
            raise UsageError(f"on_failure is one of {', '.join(ACTIONS)}, not {on_failure!r}")
        self.sources = list_sources(sources)
        self.on_failure = on_failure
        self.engine = engine or Engine(policy, judge)
        self.epistemic = _settings(epistemic, self.engine.policy)
        self.results: list[CheckedAnswer] = []
        self._said: list[tuple[str, str | None]] = []

    def check(self, answer: str, question: str | None = None, retries: int = 0) -> CheckedAnswer:
        """The answer with its report; what has nothing to check passes, as nothing in it is wrong."""
        report = self.engine.run(Request(answer, sources=self.sources, question=question, branches=retries)).report
        passed = passes(report) or report.verdict is Verdict.NOT_CHECKABLE
        found = None
        if self.epistemic is not None:
            from assay.epistemic import Checker
            from assay.llm.waiting import run

            checker = Checker(engine=self.engine.unwatched(), config=self.epistemic)
            found = run(checker.detect_hallucinations(answer, report.documents, question=question))
            passed = passed and not (found.flagged_claims or found.errors)
        checked = CheckedAnswer(answer, report, passed, retries, found)
        self.results.append(checked)
        return checked

    def settle(self, *tries: CheckedAnswer) -> CheckedAnswer:
        """The best try if it passed or may be handed on flagged; else the error that asks for a person."""
        best = max(tries, key=_rank)
        if not best.passed and self.on_failure == "ask":
            raise UnverifiedError(best)
        if not best.passed and best.epistemic is not None:
            from assay.epistemic.resolve import annotate

            return replace(best, answer=annotate(best.answer, best.epistemic.claims))
        return best

    def say(self, answer: str, question: str | None = None) -> None:
        """Puts down an answer to be checked on leaving; `retry` cannot help here, since nobody is there to write."""
        self._said.append((answer, question))

    def __enter__(self) -> Self:
        if self.on_failure == "retry":
            raise UsageError("a context cannot be written again: use on_failure='flag' or 'ask', or the decorator")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        said, self._said = self._said, []
        if kind is not None:
            return
        for checked in [self.check(answer, question) for answer, question in said]:
            self.settle(checked)


def grounded(
    *,
    sources: Iterable[Source] | Source = (),
    on_failure: str = "flag",
    policy: Policy | None = None,
    judge: str = "cascade",
    engine: Engine | None = None,
    epistemic: EpistemicConfig | bool = False,
) -> Callable[[F], F]:
    """A decorator for functions, plain or asynchronous, that return an answer as text: they return `CheckedAnswer`.

    The first argument, if it is text, is taken as the question. With `retry` the function is called again, at most
    `max_retries` times, with `feedback=[one instruction for each failing claim]` if it takes such an argument, and the
    best of its answers is returned. `epistemic` adds the epistemic checks, with settings of your own if you give them.

    >>> @grounded(sources=["The mill opened in 1900."], judge="lexical")
    ... def answer(question):
    ...     return "The mill opened in 1950."
    >>> answer("When did the mill open?").report.verdict.value
    'REFUTED'
    """
    checkpoint = Checkpoint(
        sources=sources, on_failure=on_failure, policy=policy, judge=judge, engine=engine, epistemic=epistemic
    )

    def decorate(function: F) -> F:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def guarded_async(*args: Any, **kwargs: Any) -> CheckedAnswer:
                import asyncio

                # Judging is synchronous: off the event loop, so that nobody else has to wait for it.
                answer = await function(*args, **kwargs)
                tries = [await asyncio.to_thread(checkpoint.check, answer, _question(args))]
                while (again := _again(checkpoint, tries[-1], function, kwargs)) is not None:
                    answer = await function(*args, **again)
                    tries.append(await asyncio.to_thread(checkpoint.check, answer, _question(args), len(tries)))
                return checkpoint.settle(*tries)

            return cast("F", guarded_async)

        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> CheckedAnswer:
            tries = [checkpoint.check(function(*args, **kwargs), _question(args))]
            while (again := _again(checkpoint, tries[-1], function, kwargs)) is not None:
                tries.append(checkpoint.check(function(*args, **again), _question(args), len(tries)))
            return checkpoint.settle(*tries)

        return cast("F", guarded)

    return decorate


def _again(
    checkpoint: Checkpoint, checked: CheckedAnswer, function: Any, kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """The arguments to call once more with, or None when there is nothing to retry."""
    if checked.passed or checkpoint.on_failure != "retry" or checked.retries >= checkpoint.engine.policy.max_retries:
        return None
    return kwargs | {"feedback": checked.feedback} if _takes_feedback(function) else kwargs


def _rank(checked: CheckedAnswer) -> tuple[Any, ...]:
    """A key by which the better of two tries is the greater; of equals the earlier is taken."""
    flagged = 0 if checked.epistemic is None else checked.epistemic.flagged_claims + checked.epistemic.errors
    return checked.passed, rank(checked.report), -flagged


def _settings(epistemic: EpistemicConfig | bool, policy: Policy) -> EpistemicConfig | None:
    if epistemic is False:
        return None
    from assay.epistemic import EpistemicConfig

    return EpistemicConfig.load(policy=policy) if epistemic is True else epistemic


def _takes_feedback(function: Any) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(p.name == "feedback" or p.kind is p.VAR_KEYWORD for p in parameters)


def _question(args: tuple[Any, ...]) -> str | None:
    return next((argument for argument in args[:1] if isinstance(argument, str)), None)
