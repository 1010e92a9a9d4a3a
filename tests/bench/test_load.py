"""A server that many clients ask at once works as fast as for a few, and fails nobody."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from assay.encoder.bundle import WEIGHTS
from assay.server.settings import Settings
from assay.weights import find_weights
from bench.processes import family, memory, processor_seconds
from bench.server import free_port, measure, served

linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")


@linux
@pytest.mark.slow
def test_sixty_four_clients_are_all_served_without_collapse(tmp_path):
    if find_weights(WEIGHTS, "small") is None:
        pytest.skip("the weights of small are not installed")
    settings = Settings(
        data=str(tmp_path), port=free_port(), judge="small", rate_per_minute=100_000_000, record=False, queue=64
    )
    with served(settings) as (address, pid):
        asyncio.run(measure(address, 2, 3, "small"))  # loads what is lazy
        before = processor_seconds(pid)
        few = asyncio.run(measure(address, 4, 20, "small"))
        spent_on_few = (processor_seconds(pid) - before) / few.answered
        before = processor_seconds(pid)
        many = asyncio.run(measure(address, 64, 20, "small"))
        spent_on_many = (processor_seconds(pid) - before) / many.answered
    assert few.failed == many.failed == 0
    assert many.per_second >= 0.5 * few.per_second
    # By the clock other work on the machine counts too, in processor time it does not.
    assert spent_on_many <= 1.5 * spent_on_few


@linux
def test_memory_and_time_of_a_program_are_those_of_its_children_too():
    code = "held = b'x' * (80 << 20); print('ready', flush=True); input()"
    shell = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"
    with subprocess.Popen(
        [sys.executable, "-c", shell], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        assert len(family(program.pid)) == 2
        assert memory(program.pid).own > 80
        assert processor_seconds(program.pid) > 0
        program.communicate("\n")
