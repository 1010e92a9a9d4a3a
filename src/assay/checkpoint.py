"""Checkpoint: verify whatever a function writes before anybody reads it.

Three ways to act on an answer that does not pass: `flag` (hand it on with its report), `retry` (have it written again,
with what was wrong) and `ask` (raise, so that a person decides).

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
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from assay.engine import Engine, Source
from assay.engine.sources import list_sources
from assay.errors import AssayError, UsageError
from assay.policy import Policy
from assay.repair.score import failing, passes
from assay.repair.skeptic import instruct
from assay.types import Report, Verdict

ACTIONS = ("flag", "retry", "ask")
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class CheckedAnswer:
    """An answer that has been through the checkpoint; `str()` is the answer."""

    answer: str
    report: Report
    passed: bool
    retries: int = 0

    def __str__(self) -> str:
        return self.answer


class UnverifiedError(AssayError):
    """An answer did not pass and a person has to decide; `checked` holds it with its report."""

    def __init__(self, checked: CheckedAnswer) -> None:
        self.checked = checked
        claims = "; ".join(f"“{finding.text}” ({finding.verdict})" for finding in failing(checked.report))
        super().__init__(f"the answer is not verified: {claims or checked.report.skipped or 'nothing in it was'}")


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
    ) -> None:
        if on_failure not in ACTIONS:
            raise UsageError(f"on_failure is one of {', '.join(ACTIONS)}, not {on_failure!r}")
        self.sources = list_sources(sources)
        self.on_failure = on_failure
        self.engine = engine or Engine(policy, judge)
        self.results: list[CheckedAnswer] = []
        self._said: list[tuple[str, str | None]] = []

    def check(self, answer: str, question: str | None = None, retries: int = 0) -> CheckedAnswer:
        """The answer with its report; what has nothing to check passes, as nothing in it is wrong."""
        report = self.engine.verify(answer, sources=self.sources, question=question, branches=retries)
        checked = CheckedAnswer(answer, report, passes(report) or report.verdict is Verdict.NOT_CHECKABLE, retries)
        self.results.append(checked)
        return checked

    def settle(self, checked: CheckedAnswer) -> CheckedAnswer:
        """The answer if it passed or may be handed on flagged; else the error that asks for a person."""
        if not checked.passed and self.on_failure == "ask":
            raise UnverifiedError(checked)
        return checked

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
) -> Callable[[F], F]:
    """A decorator for functions, plain or asynchronous, that return an answer as text: they return `CheckedAnswer`.

    The first argument, if it is text, is taken as the question. With `retry` the function is called again, at most
    `max_retries` times, with `feedback=[one instruction for each failing claim]` if it takes such an argument.
    """
    checkpoint = Checkpoint(sources=sources, on_failure=on_failure, policy=policy, judge=judge, engine=engine)

    def decorate(function: F) -> F:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def guarded_async(*args: Any, **kwargs: Any) -> CheckedAnswer:
                import asyncio

                # Judging is synchronous: off the event loop, so that nobody else has to wait for it.
                checked = await asyncio.to_thread(checkpoint.check, await function(*args, **kwargs), _question(args))
                while (again := _again(checkpoint, checked, function, kwargs)) is not None:
                    answer = await function(*args, **again)
                    checked = await asyncio.to_thread(checkpoint.check, answer, _question(args), checked.retries + 1)
                return checkpoint.settle(checked)

            return cast("F", guarded_async)

        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> CheckedAnswer:
            checked = checkpoint.check(function(*args, **kwargs), _question(args))
            while (again := _again(checkpoint, checked, function, kwargs)) is not None:
                checked = checkpoint.check(function(*args, **again), _question(args), checked.retries + 1)
            return checkpoint.settle(checked)

        return cast("F", guarded)

    return decorate


def _again(
    checkpoint: Checkpoint, checked: CheckedAnswer, function: Any, kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """The arguments to call once more with, or None when there is nothing to retry."""
    if checked.passed or checkpoint.on_failure != "retry" or checked.retries >= checkpoint.engine.policy.max_retries:
        return None
    feedback = [instruct(finding) for finding in failing(checked.report)]
    return kwargs | {"feedback": feedback} if _takes_feedback(function) else kwargs


def _takes_feedback(function: Any) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(p.name == "feedback" or p.kind is p.VAR_KEYWORD for p in parameters)


def _question(args: tuple[Any, ...]) -> str | None:
    return next((argument for argument in args[:1] if isinstance(argument, str)), None)
