"""The verifier's speed, start and memory, beside sentence-transformers' CrossEncoder on the same body of weights.

The CrossEncoder is run where sentence-transformers is installed and `ASSAY_STARTS` names the folder that
`python -m training fetch` filled (`minilm/`, `mpnet/`).
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

PAIRS, ROUNDS, STARTS = 20, 7, 3
THREADS = 2
START_OF = {"small": "minilm", "base": "mpnet"}
SENTENCES = (
    "The lighthouse on the northern cape was finished in 1887 after eleven years of work.",
    "Its lamp could be seen from a distance of twenty-one nautical miles in clear weather.",
    "The keepers lived with their families in three stone houses below the tower until 1964.",
    "A storm in the winter of 1903 destroyed the landing stage and two of the boats.",
    "Since 1992 a museum in the oldest of the houses has shown the history of the station.",
)
CLAIM = "The lighthouse was finished after eleven years, and a museum has stood there since 1992."

COLD = """
import time
began = time.perf_counter()
from assay.encoder import Verifier
scores = Verifier.load({name!r}, threads={threads}).score([({evidence!r}, {claim!r})])
print((time.perf_counter() - began) * 1000)
"""
MEMORY = """
from assay.bench.footprint import peak_memory
from assay.encoder import Verifier
Verifier.load({name!r}, threads={threads}).score({pairs!r})
print(peak_memory())
"""


def pairs() -> list[tuple[str, str]]:
    """Twenty different pairs of about a hundred tokens."""
    return [
        (" ".join(SENTENCES[(n + m) % len(SENTENCES)] for m in range(4)).replace("cape", f"cape {n}"), f"{CLAIM} ({n})")
        for n in range(PAIRS)
    ]


def run() -> list[tuple[str, str]]:
    from assay.encoder.bundle import WEIGHTS

    rows: list[tuple[str, str]] = []
    for name in ("small", "base"):
        if not (WEIGHTS / name / "manifest.json").exists():
            rows.append((name, "its weights are not installed here"))
            continue
        rows.extend(_measure(name))
    return rows


def _measure(name: str) -> list[tuple[str, str]]:
    from assay.encoder import Verifier

    verifier = Verifier.load(name, threads=THREADS)
    sizes = [len(verifier.pairing.tokens(a)) + len(verifier.pairing.tokens(b)) for a, b in pairs()]
    ours = time_of(lambda: verifier.score(pairs()))
    single = time_of(lambda: verifier.score(pairs()[:1]))
    rows = [
        (
            f"{name}: {PAIRS} pairs of about {statistics.mean(sizes):.0f} tokens, {THREADS} threads",
            f"{ours * 1000:.0f} ms",
        ),
        (f"{name}: pairs in a second", f"{PAIRS / ours:.0f}"),
        (f"{name}: one pair alone", f"{single * 1000:.1f} ms"),
        (f"{name}: from import to first verdict, fresh process", f"{cold_start(name):.0f} ms (median of {STARTS})"),
        (f"{name}: peak memory of a process after {PAIRS} pairs", f"{peak_memory(name):.0f} MB"),
    ]
    theirs = cross_encoder(name)
    if theirs is None:
        rows.append((f"{name}: CrossEncoder, same body", "sentence-transformers or ASSAY_STARTS is missing here"))
    else:
        rows.append((f"{name}: CrossEncoder, same body, float32, same pairs", f"{theirs * 1000:.0f} ms"))
        rows.append((f"{name}: throughput against CrossEncoder", f"{theirs / ours:.1f} ×"))
    return rows


def time_of(work: object) -> float:
    """The best of several rounds, in seconds: the least disturbed one says most about the code."""
    assert callable(work)
    work()
    took = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return min(took)


def cold_start(name: str) -> float:
    code = COLD.format(name=name, threads=THREADS, evidence=pairs()[0][0], claim=CLAIM)
    return statistics.median(_run(code) for _ in range(STARTS))


def peak_memory(name: str) -> float:
    return _run(MEMORY.format(name=name, threads=THREADS, pairs=pairs()))


def _run(code: str) -> float:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return float(json.loads(done.stdout))


def cross_encoder(name: str) -> float | None:
    """Seconds that sentence-transformers takes for the same pairs with the same number of threads."""
    folder = Path(os.environ.get("ASSAY_STARTS", "")) / START_OF[name]
    if find_spec("sentence_transformers") is None or "ASSAY_STARTS" not in os.environ or not folder.is_dir():
        return None
    import torch
    from sentence_transformers import CrossEncoder

    torch.set_num_threads(THREADS)
    model = CrossEncoder(str(folder), num_labels=3, max_length=384, device="cpu", local_files_only=True)
    return time_of(lambda: model.predict(pairs(), batch_size=PAIRS, show_progress_bar=False))
