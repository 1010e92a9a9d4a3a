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
from itertools import count
from pathlib import Path

from assay.types import Document, Passage

CLAIMS, ROUNDS, STARTS = 10, 7, 3
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
from assay.evaluation.metrics import peak_memory
from assay.encoder import Verifier
from bench.encoder import cases
Verifier.load({name!r}, threads={threads}).judge(cases(0))
print(peak_memory())
"""


def passages(salt: int) -> list[str]:
    """Five passages of about two hundred tokens; another salt gives other words, so that nothing was read before."""
    return [
        " ".join(SENTENCES[(n + m) % len(SENTENCES)].replace("cape", f"cape {salt} {n} {m}") for m in range(9))
        for n in range(5)
    ]


def claims(salt: int) -> list[str]:
    return [f"{CLAIM[:-1]} ({salt}, {n})." for n in range(CLAIMS)]


def cases(salt: int) -> list[tuple[str, list[Passage]]]:
    """Ten claims, each with all five passages."""
    shown = [Passage(Document(str(n), text), 0, len(text)) for n, text in enumerate(passages(salt))]
    return [(claim, shown) for claim in claims(salt)]


def run() -> list[tuple[str, str]]:
    from assay.encoder.bundle import WEIGHTS
    from assay.weights import find_weights

    rows: list[tuple[str, str]] = []
    for name in ("small", "base"):
        if find_weights(WEIGHTS, name) is None:
            rows.append((name, "its weights are not installed here"))
            continue
        rows.extend(_measure(name))
    return rows


def _measure(name: str) -> list[tuple[str, str]]:
    from assay.encoder import Verifier

    verifier = Verifier.load(name, threads=THREADS)
    tokens = sum(len(verifier.tokenizer.encode(text).ids) for text in passages(0))
    salts = count(1)
    new = time_of(lambda: verifier.judge(cases(next(salts))))
    known = cases(0)
    again = time_of(lambda: verifier.judge(known))
    rows = [
        (f"{name}: {CLAIMS} claims on 5 passages, {tokens} tokens, not read before", f"{new * 1000:.0f} ms CPU"),
        (f"{name}: the same, passages read before", f"{again * 1000:.0f} ms CPU"),
        (f"{name}: from import to first verdict, fresh process", f"{cold_start(name):.0f} ms (median of {STARTS})"),
        (f"{name}: peak memory of a process after that", f"{peak_memory(name):.0f} MB"),
    ]
    theirs = cross_encoder(name)
    if theirs is None:
        rows.append((f"{name}: CrossEncoder, same body", "sentence-transformers or ASSAY_STARTS is missing here"))
    else:
        rows.append((f"{name}: CrossEncoder, same body, float32, every pair", f"{theirs * 1000:.0f} ms CPU"))
        rows.append((f"{name}: against CrossEncoder, passages not read before", f"{theirs / new:.1f} ×"))
    return rows


def time_of(work: object) -> float:
    """The least processor time of several rounds, in seconds: other work on the machine does not spoil it."""
    assert callable(work)
    work()
    took = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        took.append(time.process_time() - began)
    return min(took)


def cold_start(name: str) -> float:
    code = COLD.format(name=name, threads=THREADS, evidence=passages(0)[0], claim=CLAIM)
    return statistics.median(_run(code) for _ in range(STARTS))


def peak_memory(name: str) -> float:
    return _run(MEMORY.format(name=name, threads=THREADS))


def _run(code: str) -> float:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return float(json.loads(done.stdout))


def cross_encoder(name: str) -> float | None:
    """Seconds of processor time that sentence-transformers takes for the same pairs.

    In one thread: with more, torch's threads spend time waiting for each other, which would count against it.
    """
    folder = Path(os.environ.get("ASSAY_STARTS", "")) / START_OF[name]
    if find_spec("sentence_transformers") is None or "ASSAY_STARTS" not in os.environ or not folder.is_dir():
        return None
    import torch
    from sentence_transformers import CrossEncoder

    torch.set_num_threads(1)
    model = CrossEncoder(str(folder), num_labels=3, max_length=384, device="cpu", local_files_only=True)
    pairs = [(passage, claim) for claim in claims(0) for passage in passages(0)]
    return time_of(lambda: model.predict(pairs, batch_size=len(pairs), show_progress_bar=False))
