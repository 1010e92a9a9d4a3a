from __future__ import annotations

import asyncio

import pytest

from assay.checkpoint import Checkpoint, UnverifiedError, grounded
from assay.epistemic import EpistemicConfig
from assay.errors import UsageError
from assay.policy import Policy

RIGHT = "Mount Everest is 8,849 m high."
WRONG = "Mount Everest is 8,489 m high."
OPTIONS = {"sources": [RIGHT], "judge": "lexical"}


def test_flag_hands_the_answer_on_with_its_report() -> None:
    @grounded(on_failure="flag", **OPTIONS)  # type: ignore[arg-type]
    def answer(question: str) -> str:
        return WRONG

    checked = answer("How high is Everest?")
    assert str(checked) == WRONG
    assert not checked.passed  # type: ignore[attr-defined]
    assert checked.report.question == "How high is Everest?"  # type: ignore[attr-defined]


def test_retry_tells_the_function_what_was_wrong() -> None:
    heard: list[list[str]] = []

    @grounded(on_failure="retry", **OPTIONS)  # type: ignore[arg-type]
    def answer(question: str, feedback: list[str] | None = None) -> str:
        heard.append(feedback or [])
        return RIGHT if feedback else WRONG

    checked = answer("How high is Everest?")
    assert (str(checked), checked.passed, checked.retries) == (RIGHT, True, 1)  # type: ignore[attr-defined]
    assert heard == [[], [f"Correct “{WRONG}”. The source says: “{RIGHT}”"]]


def test_retries_end_and_need_no_feedback_argument() -> None:
    calls: list[int] = []

    @grounded(on_failure="retry", policy=Policy(max_retries=2), **OPTIONS)  # type: ignore[arg-type]
    def answer() -> str:
        calls.append(1)
        return WRONG

    checked = answer()
    assert len(calls) == 3
    assert not checked.passed  # type: ignore[attr-defined]


def test_ask_raises_with_the_report_for_a_person_to_decide() -> None:
    @grounded(on_failure="ask", **OPTIONS)  # type: ignore[arg-type]
    def answer() -> str:
        return WRONG

    with pytest.raises(UnverifiedError, match="8,489") as caught:
        answer()
    assert caught.value.checked.answer == WRONG


def test_asynchronous_functions_are_guarded_too() -> None:
    @grounded(on_failure="retry", **OPTIONS)  # type: ignore[arg-type]
    async def answer(question: str, feedback: list[str] | None = None) -> str:
        return RIGHT if feedback else WRONG

    assert str(asyncio.run(answer("How high is Everest?"))) == RIGHT  # type: ignore[arg-type]


def test_a_context_checks_on_leaving() -> None:
    with Checkpoint(on_failure="flag", **OPTIONS) as checkpoint:  # type: ignore[arg-type]
        checkpoint.say(WRONG)
        checkpoint.say("Hello!")
    assert [checked.passed for checked in checkpoint.results] == [False, True]
    with pytest.raises(UnverifiedError), Checkpoint(on_failure="ask", **OPTIONS) as strict:  # type: ignore[arg-type]
        strict.say(WRONG)


def test_an_error_inside_a_context_is_not_covered_up() -> None:
    def fail() -> None:
        with Checkpoint(on_failure="ask", **OPTIONS) as checkpoint:  # type: ignore[arg-type]
            checkpoint.say(WRONG)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()


def test_wrong_use_is_said_plainly() -> None:
    with pytest.raises(UsageError, match="one of flag, retry, ask"):
        Checkpoint(on_failure="shout")
    with pytest.raises(UsageError, match="cannot be written again"), Checkpoint(on_failure="retry", **OPTIONS):  # type: ignore[arg-type]
        pass


LONG = "Mount Everest is 8,849 m high. Mount Everest was first climbed in 1953 by Hillary and Tenzing, as is known."
LONG_SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953 by Hillary and Tenzing."


def answers(*texts, **options):
    replies = iter(texts)

    @grounded(sources=[LONG_SOURCE], judge="lexical", **options)
    def answer(question, feedback=()):
        told.append(list(feedback))
        return next(replies)

    told: list[list[str]] = []
    return answer, told


def test_the_best_try_is_returned_and_not_the_last() -> None:
    wrong = LONG.replace("8,849", "8,489")
    worse = wrong.replace("1953", "1963")
    answer, _ = answers(worse, wrong, worse, on_failure="retry")
    checked = answer("How high is Everest?")
    assert (checked.answer, checked.retries) == (wrong, 1)


def test_the_epistemic_checks_can_be_used() -> None:
    wrong = LONG.replace("8,849", "8,489")
    answer, _ = answers(wrong, epistemic=True)
    checked = answer("How high is Everest?")
    assert "8,489 m high. [contradicted: " in checked.answer
    assert checked.report.answer == wrong
    assert checked.epistemic.flagged_claims == 1
    answer, told = answers(wrong, LONG, on_failure="retry", epistemic=EpistemicConfig())
    assert answer("How high is Everest?").passed
    assert "8,849" in told[1][0]
    assert answers(LONG)[0]("How high?").epistemic is None
