from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import pytest

from assay.engine import crowding
from assay.engine.crowding import waiting_clock

needs_schedstat = pytest.mark.skipif(not Path("/proc/self/schedstat").is_file(), reason="this system does not say")


def test_the_load_of_the_machine_tells_how_crowded_it_is(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr("os.getloadavg", lambda: (16.0, 0.0, 0.0))
    assert crowding.crowding() == 8.0
    monkeypatch.setattr("os.getloadavg", lambda: (0.5, 0.0, 0.0))
    assert crowding.crowding() == 1.0


@needs_schedstat
def test_a_process_that_shares_its_processor_is_known_to_have_waited():
    only = {next(iter(os.sched_getaffinity(0)))}
    rival = subprocess.Popen([sys.executable, "-c", f"import os; os.sched_setaffinity(0, {only})\nwhile True: pass"])
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, only)
        waited, started = waiting_clock(), perf_counter()
        assert waited is not None
        while waited() < 20 and perf_counter() - started < 60:
            sum(range(10_000))
        assert 20 <= waited() <= (perf_counter() - started) * 1000 + 1
    finally:
        rival.kill()
        rival.wait()
        os.sched_setaffinity(0, before)


def test_without_the_figures_of_the_system_there_is_no_such_clock(monkeypatch, tmp_path):
    monkeypatch.setattr(crowding, "_THREADS", tmp_path / "none")
    assert waiting_clock() is None
    (tmp_path / "1").mkdir()
    monkeypatch.setattr(crowding, "_THREADS", tmp_path)
    assert waiting_clock() is None
