"""One check of ten claims on five passages of 200 tokens, stage by stage: what the model takes and what the rest.

Every answer comes with passages that were not read before. Set ASSAY_BENCH_ROUNDS for more answers (default 40).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path

import numpy as np

from assay.encoder.network import Network
from assay.encoder.verifier import Verifier
from assay.engine import Engine
from bench.town import CLAIMS, answer, sources

Row = tuple[str, str]
WARM, STARTS, FEW = 3, 7, 3
MEMORY = """
import os
from assay.engine import Engine
from assay.workers import release_memory
from bench.processes import memory
from bench.town import answer, sources
engine = Engine(judge="cascade")
engine.warm()
for salt in range(10):
    engine.check(answer(salt), sources(salt))
print(*memory(os.getpid()))
release_memory()
print(*memory(os.getpid()))
"""
_salts = count(1)


class ModelClock:
    """Seconds of the clock that pass while models read passages or judge claims."""

    def __init__(self) -> None:
        self.seconds = 0.0
        for name in ("read", "judge", "judge_closely"):
            setattr(Network, name, self._timed(getattr(Network, name)))

    def _timed(self, work):
        def timed(*args):
            began = time.perf_counter()
            try:
                return work(*args)
            finally:
                self.seconds += time.perf_counter() - began

        return timed


def run() -> list[Row]:
    rounds = int(os.environ.get("ASSAY_BENCH_ROUNDS", "40"))
    clock = ModelClock()
    rows: list[Row] = []
    for judge in ("small", "cascade"):
        rows += _measure(judge, rounds, clock)
    rows += [
        ("command line, `small`: from start to the end of a check", f"{command_line():.2f} s (median of {STARTS})"),
        *memory(),
    ]
    return rows


def _measure(judge: str, rounds: int, clock: ModelClock) -> list[Row]:
    engine = Engine(judge=judge)
    engine.warm()
    for _ in range(WARM):
        salt = next(_salts)
        engine.check(answer(salt), sources(salt))
    took, worked, stages = [], [], {}
    for _ in range(rounds):
        salt = next(_salts)
        text, given = answer(salt), sources(salt)
        clock.seconds, used = 0.0, time.process_time()
        began = time.perf_counter()
        report = engine.check(text, given)
        took.append((time.perf_counter() - began) * 1000)
        worked.append((time.process_time() - used) * 1000)
        parts = dict(report.timings_ms)
        parts["the model"] = clock.seconds * 1000
        parts["judges"] -= parts["the model"]
        for stage, ms in parts.items():
            stages.setdefault(stage, []).append(ms)
    whole = sum(took)
    shares = sorted(((sum(ms) / whole, stage) for stage, ms in stages.items()), reverse=True)
    name = f"{judge}: {len(CLAIMS)} claims on 5 new passages"
    rows = [
        (f"{name}, p50 / p99", f"{np.median(took):.0f} / {np.percentile(took, 99):.0f} ms"),
        (f"{name}, processor time (median)", f"{statistics.median(worked):.0f} ms"),
        (f"{name}, shares", ", ".join(f"{stage} {share:.0%}" for share, stage in shares)),
    ]
    return [
        *rows,
        (f"{judge}: {FEW}-claim answers a second, one process", f"{answers_a_second(engine, rounds):.1f}"),
        *_hits(judge),
    ]


def answers_a_second(engine: Engine, rounds: int) -> float:
    """Answers about sources of which each is asked about five times, as in a chat about the same documents."""
    began = time.perf_counter()
    first = next(_salts)
    for number in range(rounds):
        salt = first + number // 5
        engine.check(answer(salt, FEW), sources(salt))
        next(_salts)
    return rounds / (time.perf_counter() - began)


def _hits(judge: str) -> list[Row]:
    small = Verifier.load("small").passages_kept
    share = small.hits / max(1, small.hits + small.misses)
    return [(f"{judge}: passages that `small` had read before, of all so far", f"{share:.0%}")]


def command_line() -> float:
    """Seconds of a whole `assay check` in a fresh process."""
    with tempfile.TemporaryDirectory() as name:
        source, text = Path(name, "source.md"), Path(name, "answer.md")
        source.write_text(sources(0)[0].text, encoding="utf-8")
        text.write_text(answer(0, 1), encoding="utf-8")
        took = []
        for _ in range(STARTS):
            began = time.perf_counter()
            command = [sys.executable, "-m", "assay", "check", str(text), "-s", str(source), "-j", "small", "--quiet"]
            subprocess.run(command, check=False, capture_output=True)
            took.append(time.perf_counter() - began)
    return statistics.median(took)


def memory() -> list[Row]:
    """Megabytes that a process holds which has both sizes and has checked ten answers."""
    done = subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True)
    states = ("after ten answers", "the same when idle, as a server hands memory back")
    return [
        (f"memory of a process with both sizes, {state}", "PSS {:.0f}, USS {:.0f} MB".format(*map(float, line.split())))
        for state, line in zip(states, done.stdout.splitlines(), strict=True)
    ]
