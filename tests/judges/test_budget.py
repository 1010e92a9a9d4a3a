"""A budget ends by its own time or when the caller has given up."""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from time import perf_counter

import pytest

from assay.judges.budget import DEADLINE, Budget
from assay.judges.cascade import Cascade
from assay.policy import Policy
from assay.server.worker_pool import WorkerPool
from assay.types import Verdict
from tests.judges.opinions import SURE, FixedTier, claim, passage


def budget_until(seconds: float) -> Budget:
    context = copy_context()
    context.run(DEADLINE.set, perf_counter() + seconds)
    return context.run(Budget, Policy())


def test_without_a_limit_there_is_always_time() -> None:
    budget = Budget(Policy())
    assert not budget.is_limited
    assert not budget.out_of_time


def test_a_deadline_of_the_caller_ends_it() -> None:
    assert budget_until(-1).out_of_time
    assert not budget_until(100).out_of_time
    assert budget_until(100).is_limited


def test_claims_that_come_after_the_deadline_are_not_verified() -> None:
    given = [[passage("The mill opened in 1900.")]]
    cascade = Cascade(Policy(), (FixedTier("small", SURE),))
    (judgement,) = cascade.deliberate([claim("The mill opened in 1900.")], given, None, budget_until(-1)).judgements
    assert judgement.verdict is Verdict.ERROR
    assert "the time for this request was used up" in judgement.explanation


@pytest.mark.parametrize("seconds", [0.5, 30.0])
def test_work_behind_the_gate_knows_when_its_request_ends(seconds: float) -> None:
    gate = WorkerPool(1, 1, seconds)
    try:
        deadline = asyncio.run(gate.run(DEADLINE.get))
    finally:
        gate.close()
        gate.join()
    assert deadline is not None
    assert 0 <= deadline - perf_counter() + 5 <= seconds + 5
    assert DEADLINE.get() is None
