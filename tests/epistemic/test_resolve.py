"""What is done with a response that does not hold."""

from __future__ import annotations

import pytest

from assay.epistemic import EpistemicConfig, resolve_response
from assay.errors import GeneratorError
from assay.llm import Scripted

GUIDE = "Mount Everest is 8,849 m high. It was first climbed in 1953 by Hillary and Tenzing."
RIGHT = "Mount Everest is 8,849 m high. Mount Everest was first climbed in 1953 by Hillary and Tenzing, as is known."
WRONG = RIGHT.replace("8,849", "8,489")
WORSE = WRONG.replace("1953", "1963")


def resolve(response, rewrite=None, **settings):
    config = EpistemicConfig(**settings)
    return resolve_response(response, {"guide": GUIDE}, judge="lexical", config=config, rewrite=rewrite)


@pytest.mark.parametrize("way", ["flag", "retry", "ask"])
def test_what_holds_is_handed_on_as_it_is(way):
    found = resolve(RIGHT, Scripted([]), on_failure=way)
    assert (found.outcome, found.answer, found.question) == ("passed", RIGHT, None)


def test_flag_annotates_the_text_itself_behind_the_claim():
    found = resolve(WRONG, on_failure="flag")
    assert found.outcome == "flagged"
    assert found.response == WRONG
    before, _, after = found.answer.partition(" [contradicted: ")
    assert before == "Mount Everest is 8,489 m high."
    assert "8,849" in after.split("]")[0]
    assert after.split("]")[1].strip().startswith("Mount Everest was first climbed")


def test_ask_returns_the_question_to_the_caller():
    found = resolve(WRONG, on_failure="ask")
    assert (found.outcome, found.answer) == ("ask", WRONG)
    assert "8,489" in found.question
    assert "corrected, removed or kept" in found.question
    assert "8,849" in found.question  # with what the source says


def test_retry_asks_again_with_the_right_evidence_quoted():
    model = Scripted([RIGHT])
    found = resolve(WRONG, model, on_failure="retry")
    assert (found.outcome, found.answer, len(found.tries)) == ("passed", RIGHT, 2)
    asked = model.calls[0].messages[-1].content
    corrections = asked.split("<corrections")[1]
    assert "8,489" in corrections
    assert "“Mount Everest is 8,849 m high.”" in corrections


def test_retry_takes_the_best_try_and_not_the_last():
    found = resolve(WORSE, Scripted([WRONG, WORSE]), on_failure="retry", max_retries=2)
    assert (found.response, len(found.tries)) == (WRONG, 3)
    assert found.answer.count("[contradicted: ") == 1
    found = resolve(WRONG, Scripted([WORSE, WORSE]), on_failure="retry", max_retries=2)
    assert found.response == WRONG


def test_a_function_can_write_it_again():
    told = []

    def rewrite(guidance):
        told.append(guidance)
        return RIGHT

    assert resolve(WRONG, rewrite, on_failure="retry").answer == RIGHT
    assert "8,849" in told[0]


def test_a_writer_that_fails_or_is_missing_leaves_the_flags_and_says_so():
    for rewrite, said in (
        (None, "nobody"),
        (Scripted([GeneratorError("no route")]), "no route"),
        (Scripted([""]), "no text"),
    ):
        found = resolve(WRONG, rewrite, on_failure="retry")
        assert (found.outcome, found.response) == ("flagged", WRONG)
        assert said in found.problem


def test_what_is_skipped_is_neither_passed_nor_flagged():
    found = resolve("Short.", on_failure="ask")
    assert (found.outcome, found.answer) == ("skipped", "Short.")
    assert resolve(WRONG, enabled=False).outcome == "skipped"
    assert resolve(WRONG).to_dict()["outcome"] == "flagged"
