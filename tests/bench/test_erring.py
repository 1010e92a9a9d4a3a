"""The erring writer errs as often as it was told to, always in the same drafts, and in one fact."""

from __future__ import annotations

import random

import pytest

from assay.llm import Message, Scripted
from assay.llm.waiting import run
from bench.asking import FaultyGenerator, insert_error

DRAFT = "Everest was first climbed in 1953 by Edmund Hillary. [E1]\nIt is 8,849 m high. [E2]"


def say(share: float, number: int) -> str:
    return run(FaultyGenerator(Scripted(DRAFT), share).complete([Message("user", f"question {number}")])).text


def test_it_errs_in_the_share_it_was_told() -> None:
    assert all(say(0.0, number) == DRAFT for number in range(5))
    assert all(say(1.0, number) != DRAFT for number in range(5))
    assert 10 < sum(say(0.5, number) != DRAFT for number in range(40)) < 30


def test_the_same_prompt_gives_the_same_error_and_another_seed_another_chance() -> None:
    assert say(0.5, 3) == say(0.5, 3)
    writer = FaultyGenerator(Scripted([DRAFT] * 20), 0.5)
    said = {run(writer.complete([Message("user", "x")], seed=seed)).text == DRAFT for seed in range(20)}
    assert said == {True, False}


def test_one_line_is_changed_and_its_pointer_stays() -> None:
    spoiled = insert_error(DRAFT, random.Random(1)).splitlines()
    assert [line[-4:] for line in spoiled] == ["[E1]", "[E2]"]
    assert sum(one != two for one, two in zip(spoiled, DRAFT.splitlines(), strict=True)) == 1
    assert insert_error("Nothing to change here", random.Random(1)) == "Nothing to change here"


def test_a_share_is_from_0_to_1() -> None:
    with pytest.raises(ValueError, match="2"):
        FaultyGenerator(Scripted(DRAFT), 2.0)
