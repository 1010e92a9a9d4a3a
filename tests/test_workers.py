"""One pool of threads for all models of a process."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Lock, get_ident

import pytest

from assay.workers import run_parallel


def test_results_come_in_the_order_of_the_items():
    assert run_parallel(lambda n: n * n, range(50), 3) == [n * n for n in range(50)]


def test_one_thread_is_the_callers_own():
    assert run_parallel(lambda _: get_ident(), [1, 2], 1) == [get_ident()] * 2


def test_items_are_worked_on_at_the_same_time():
    meeting = Barrier(2)  # nobody passes before both have come
    run_parallel(lambda _: meeting.wait(timeout=10), [1, 2], 2)


def test_callers_together_have_no_more_threads_than_one():
    running, most, lock = 0, 0, Lock()

    def work(_: int) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        sum(range(20_000))
        with lock:
            running -= 1

    with ThreadPoolExecutor(6) as callers:
        list(callers.map(lambda _: run_parallel(work, range(20), 2), range(6)))
    assert most <= 2


def test_an_error_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        run_parallel(lambda n: 1 // n, [1, 0], 2)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_a_pool_of_its_own():
    run_parallel(str, [1, 2], 2)
    child = os.fork()
    if child == 0:
        os._exit(0 if run_parallel(str, [1, 2], 2) == ["1", "2"] else 1)
    assert os.waitpid(child, 0)[1] == 0
