"""The engine: an answer of ten claims against a memory, stage by stage, beside the pipeline one would write first.

`python -m bench engine` measures 1,000 and 10,000 documents. Set more in the environment (bench/corpus.py says where
the texts and their vectors come from and where memories are kept between runs):
  ASSAY_BENCH_PASSAGES   documents in the memory, such as 1000,10000,66635 (default 1000,10000); all 66,635 are
                         105,359 passages
  ASSAY_BENCH_ANSWERS    answers that are verified at each size (default 60)
  ASSAY_BENCH_JUDGE      small, cascade, base or lexical (default small)
  ASSAY_BENCH_NAIVE      a Python that has sentence-transformers, for the naive pipeline (default: this one)
  ASSAY_STARTS           the folder that `python -m training fetch` filled, for the naive pipeline

Claims are sentences of HotpotQA's passages said again in other words, every third with one fact changed. The naive
pipeline has the same passages, the same vectors and the same body: exact search, then one pair after the other.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, time

import numpy as np

from assay.claims import extract_claims
from assay.engine import Engine
from assay.memory import Memory
from assay.memory.embed import DEFAULT_EMBEDDER, load_embedder
from assay.mutations import mutate
from assay.mutations.paraphrases import reword
from assay.policy import Policy
from assay.text.sentences import split_sentences
from assay.text.tokens import WORD
from assay.types import Document
from bench.corpus import keeping_folder, open_embedder, read_corpus

Row = tuple[str, str]
PICTURE = ("images/engine-cost.svg", "What an answer costs, by its claims and by the size of the memory")
CLAIMS, EMBEDDER, WARM = 10, DEFAULT_EMBEDDER, 5
PUBLISHED = "minilm"  # what the naive pipeline embeds and reads with: the same network before its training here
NAIVE_ANSWERS = 5
PROCESSES = 2


def run() -> list[Row]:
    if find_spec("matplotlib") is None:  # better said now than after all has been measured
        raise SystemExit("the plot needs matplotlib: pip install 'assay-check[bench]'")
    sizes = [int(size) for size in os.environ.get("ASSAY_BENCH_PASSAGES", "1000,10000").split(",")]
    count = int(os.environ.get("ASSAY_BENCH_ANSWERS", "60"))
    judge = os.environ.get("ASSAY_BENCH_JUDGE", "small")
    documents = read_corpus().documents
    rows: list[Row] = []
    by_size: list[tuple[int, float]] = []
    by_claims: list[tuple[int, float]] = []
    for size in sizes:
        if size > len(documents):
            rows.append((f"{size:,} documents", f"the corpus has only {len(documents):,}"))
            continue
        folder = build(documents[:size])
        answers = make_answers(documents[:size], CLAIMS, count + WARM)
        with Memory(folder, embedder=load_embedder(EMBEDDER)) as memory:
            engine = Engine(judge=judge)
            engine.warm()
            measure(engine, memory, answers[:WARM])  # caches fill and threads start
            stages, total = measure(engine, memory, answers[WARM:])
            rows += shown(size, judge, stages, total)
            by_size.append((size, median(total)))
            rows += naive_rows(size, memory, answers[WARM:], median(total))
            if size == sizes[-1]:
                for claims in (1, 2, 5, 10, 20, 40):
                    few = make_answers(documents[:size], claims, max(5, count // 6), seed=1)
                    by_claims.append((claims, median(measure(engine, memory, few)[1])))
        rows.append(
            (f"{size:,} documents, {judge}: claims verified a second, two processes", together(folder, answers))
        )
    rows += [(f"{claims} claims, median", f"{ms:.1f} ms") for claims, ms in by_claims]
    draw(by_claims, by_size, Path("docs") / PICTURE[0])
    return rows


def build(documents: Sequence[Document]) -> Path:
    """A memory of the documents, made once and kept; one that was left half made is gone on with."""
    folder = keeping_folder() / f"engine-{len(documents)}"
    with Memory(folder, embedder=open_embedder(EMBEDDER)) as memory:
        held = {listing.id for listing in memory.documents()}
        missing = [document for document in documents if document.id not in held]
        for at in range(0, len(missing), 2000):
            memory.add(missing[at : at + 2000])
    return folder


def make_answers(documents: Sequence[Document], claims: int, count: int, seed: int = 0) -> list[str]:
    """Answers about as many documents as they have claims."""
    dice = random.Random(f"{seed}:{claims}:{len(documents)}")
    answers: list[str] = []
    while len(answers) < count:
        said: list[str] = []
        while len(said) < claims:
            if sentence := restate(dice.choice(documents), dice, changed=len(said) % 3 == 2):
                said.append(sentence)
        answers.append(" ".join(said))
    return answers


def restate(document: Document, dice: random.Random, *, changed: bool) -> str | None:
    """A sentence of a document in other words, or with one fact changed; None where that cannot be done."""
    sentences = [found.span.of(document.text) for found in split_sentences(document.text)]
    fitting = [text for text in sentences if 40 <= len(text) <= 200 and WORD.search(text) and "\n" not in text]
    if not fitting:
        return None
    sentence = dice.choice(fitting)
    if changed:
        made = mutate(sentence, dice.randrange(1000))
        return dice.choice(made).text if made else None
    return reword(sentence, dice.randrange(1000))


def measure(engine: Engine, memory: Memory, answers: Sequence[str]) -> tuple[dict[str, list[float]], list[float]]:
    """Milliseconds of each stage, and of the whole, for every answer."""
    stages: dict[str, list[float]] = {}
    total = []
    for answer in answers:
        started = perf_counter()
        report = engine.check(answer, sources=memory)
        total.append((perf_counter() - started) * 1000)
        for stage, ms in report.timings_ms.items():
            stages.setdefault(stage, []).append(ms)
    return stages, total


def shown(size: int, judge: str, stages: dict[str, list[float]], total: Sequence[float]) -> list[Row]:
    rows = [(stage, f"{median(ms):.1f} / {worst(ms):.1f} ms") for stage, ms in stages.items()]
    judged = [sum(parts) for parts in zip(*(stages[name] for name in ("claims", "judges", "report")), strict=True)]
    rows += [
        ("all but retrieval", f"{median(judged):.1f} / {worst(judged):.1f} ms"),
        ("whole answer", f"{median(total):.1f} / {worst(total):.1f} ms"),
    ]
    named = [(f"{size:,} documents, {judge}, {CLAIMS} claims, p50 / p99: {name}", value) for name, value in rows]
    rate = CLAIMS * len(total) * 1000 / sum(total)
    return [*named, (f"{size:,} documents, {judge}: claims verified a second, one answer at a time", f"{rate:,.0f}")]


def naive_rows(size: int, memory: Memory, answers: Sequence[str], ours: float) -> list[Row]:
    """The same answers through sentence-transformers, and how many times longer that takes."""
    start = Path(os.environ.get("ASSAY_STARTS", "")) / PUBLISHED
    python = os.environ.get("ASSAY_BENCH_NAIVE", sys.executable)
    here = python == sys.executable
    if "ASSAY_STARTS" not in os.environ or (here and find_spec("sentence_transformers") is None):
        return [(f"{size:,} documents: naive pipeline", "sentence-transformers or ASSAY_STARTS is missing here")]
    numbers = memory.passage_ids()
    vectors = memory.vectors(numbers)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        claims = [[claim.text for claim in extract_claims(answer)] for answer in answers[:NAIVE_ANSWERS]]
        texts = [passage.text for number in numbers if (passage := memory.passage(number)) is not None]
        (folder / "claims.json").write_text(json.dumps(claims), encoding="utf-8")
        (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        np.save(folder / "vectors.npy", np.stack([vectors[number] for number in numbers]).astype(np.float32))
        script = Path(__file__).with_name("naive.py")
        done = subprocess.run(
            [python, str(script), str(folder), str(start)], capture_output=True, check=True, text=True
        )
    took = json.loads(done.stdout.splitlines()[-1])
    return [
        (
            f"{size:,} documents, {CLAIMS} claims, p50 / worst: sentence-transformers, a pair at a time, exact search",
            f"{median(took):.0f} / {max(took):.0f} ms",
        ),
        (f"{size:,} documents: times the naive pipeline's speed", f"{median(took) / ours:.1f}×"),
    ]


def together(folder: Path, answers: Sequence[str]) -> str:
    """Claims in a second where two processes, each with one thread, verify half of the answers."""
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        parts = [answers[WARM + n :: PROCESSES] for n in range(PROCESSES)]
        found = list(pool.map(_verify_all, [folder] * PROCESSES, [answers[:WARM]] * PROCESSES, parts))
    seconds = max(end for _, end in found) - min(begin for begin, _ in found)
    return f"{CLAIMS * (len(answers) - WARM) / seconds:,.0f}"


def _verify_all(folder: Path, warm: Sequence[str], answers: Sequence[str]) -> tuple[float, float]:
    """When the work began and ended, by a clock that all processes share."""
    policy = Policy().but(threads=1)
    with Memory(folder, embedder=load_embedder(EMBEDDER), policy=policy) as memory:
        engine = Engine(policy, os.environ.get("ASSAY_BENCH_JUDGE", "small"))
        engine.warm()
        measure(engine, memory, warm)
        began = time()
        measure(engine, memory, answers)
        return began, time()


def median(values: Sequence[float]) -> float:
    return float(np.median(values))


def worst(values: Sequence[float]) -> float:
    return float(np.percentile(values, 99))


def draw(by_claims: Sequence[tuple[int, float]], by_size: Sequence[tuple[int, float]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    left.plot(*zip(*by_claims, strict=True), marker="o", color="#2f6f4f", clip_on=False)
    left.set(xlabel="claims in the answer", ylabel="milliseconds (median)", title="Cost against claims", ylim=(0, None))
    right.plot(*zip(*by_size, strict=True), marker="o", color="#2f6f4f", clip_on=False)
    right.set(xlabel="documents in the memory", xscale="log", title="Cost against memory size", ylim=(0, None))
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
