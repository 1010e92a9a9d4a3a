"""The engine: an answer of ten claims against a memory, stage by stage, beside the pipeline one would write first.

`python -m bench engine` takes a minute or two. Set more in the environment:
  ASSAY_BENCH_PASSAGES   passages in the memory, such as 100000; several sizes are drawn (default 10000)
  ASSAY_BENCH_ANSWERS    answers that are verified (default 60)
  ASSAY_BENCH_JUDGE      small, cascade, base or lexical (default small)
  ASSAY_BENCH_EMBEDDER   of the memory (default static)
  ASSAY_BENCH_PLOT       where to draw the cost, such as docs/images/engine-cost.svg
The naive pipeline has the same model and the same passages: exact search, then one pair after the other, in one thread.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

from assay.claims import extract_claims
from assay.encoder import Verifier
from assay.engine import Engine
from assay.memory import Memory
from assay.types import Document

Row = tuple[str, str]
CLAIMS, K = 10, 5
NAMES = "Alder Brink Cobalt Dorset Elmore Farrow Gable Harrow Ivory Jasper Kestrel Larch Merton Norwood".split()
THINGS = "bridge library museum observatory railway theatre harbour school chapel mill garden archive market".split()
TOWNS = "Aldham Berwick Calder Dunmore Easton Fenwick Garston Holme Inver Jarrow Keswick Lorne Morpeth Nairn".split()


def run() -> list[Row]:
    sizes = [int(size) for size in os.environ.get("ASSAY_BENCH_PASSAGES", "10000").split(",")]
    count = int(os.environ.get("ASSAY_BENCH_ANSWERS", "60"))
    judge = os.environ.get("ASSAY_BENCH_JUDGE", "small")
    embedder = os.environ.get("ASSAY_BENCH_EMBEDDER", "static")
    rows: list[Row] = []
    by_size: list[tuple[int, float]] = []
    by_claims: list[tuple[int, float]] = []
    for size in sizes:
        documents = make_documents(size)
        with tempfile.TemporaryDirectory() as folder, Memory(folder, embedder=embedder) as memory:
            memory.add(documents)
            engine = Engine(judge=judge)
            engine.warm()
            answers = [make_answer(documents, CLAIMS, seed) for seed in range(count + 5)]
            for answer in answers[:5]:  # caches fill and threads start
                engine.verify(answer, sources=memory)
            stages, total = measure(engine, memory, answers[5:])
            naive = measure_naive(memory, documents, answers[5 : 5 + max(3, count // 20)])
            rows += shown(size, judge, stages, total, naive)
            by_size.append((size, median(total)))
            if size == sizes[-1]:
                for claims in (1, 2, 5, 10, 20):
                    few = [make_answer(documents, claims, 1000 + seed) for seed in range(max(5, count // 6))]
                    by_claims.append((claims, median(measure(engine, memory, few)[1])))
    if plot := os.environ.get("ASSAY_BENCH_PLOT"):
        draw(by_claims, by_size, Path(plot))
    rows += [(f"{claims} claims, median", f"{ms:.1f} ms") for claims, ms in by_claims]
    return rows


def make_documents(count: int) -> list[Document]:
    """Documents of three sentences about things with names, towns, years and numbers, no two alike."""
    dice = random.Random(count)
    documents = []
    for number in range(count):
        name = f"{dice.choice(NAMES)} {dice.choice(NAMES)} {number}"
        thing, town = dice.choice(THINGS), dice.choice(TOWNS)
        days = dice.choice(("weekdays", "Sundays"))
        text = (
            f"The {name} {thing} stands in the north of {town}. It was opened in {dice.randint(1700, 2020)} by the "
            f"engineer {dice.choice(NAMES)} {dice.choice(TOWNS)} and cost {dice.randint(2, 90)},000 pounds. "
            f"About {dice.randint(20, 900)} people work there, and the building is open on {days}."
        )
        documents.append(Document(f"d{number}", text, title=f"{name} {thing}"))
    return documents


def make_answer(documents: Sequence[Document], claims: int, seed: int) -> str:
    """Sentences about as many documents: said again in other words, or with another year."""
    dice = random.Random(seed)
    sentences = []
    for document in dice.sample(list(documents), claims):
        year = document.text.split(" opened in ")[1][:4]
        builder = document.text.split("engineer ")[1].split(" and cost")[0]
        place = document.text.split("north of ")[1].split(".")[0]
        sentences.append(
            dice.choice(
                (
                    f"The {document.title} can be found in northern {place}.",
                    f"{builder} was the engineer who opened the {document.title}.",
                    f"The {document.title} was opened in {int(year) + 7}.",
                    f"The {document.title} has been in use since {year}.",
                )
            )
        )
    return " ".join(sentences)


def measure(engine: Engine, memory: Memory, answers: Sequence[str]) -> tuple[dict[str, list[float]], list[float]]:
    """Milliseconds of each stage, and of the whole, for every answer."""
    stages: dict[str, list[float]] = {}
    total = []
    for answer in answers:
        started = perf_counter()
        report = engine.verify(answer, sources=memory)
        total.append((perf_counter() - started) * 1000)
        for stage, ms in report.timings_ms.items():
            stages.setdefault(stage, []).append(ms)
    return stages, total


def measure_naive(memory: Memory, documents: Sequence[Document], answers: Sequence[str]) -> list[float]:
    """The pipeline one would write first: exact search over all vectors, one pair after the other."""
    vectors = np.concatenate(
        [memory._embedder.embed([d.text for d in documents[at : at + 512]]) for at in range(0, len(documents), 512)]
    )
    verifier = Verifier.load("small", 1)
    total = []
    for answer in answers:
        started = perf_counter()
        for claim in extract_claims(answer):
            query = memory._embedder.embed([claim.text])[0]
            for number in np.argsort(-(vectors @ query))[:K]:
                verifier.score([(documents[number].text, claim.text)])
        total.append((perf_counter() - started) * 1000)
    return total


def shown(
    size: int, judge: str, stages: dict[str, list[float]], total: Sequence[float], naive: Sequence[float]
) -> list[Row]:
    rows = [(stage, f"{median(ms):.1f} / {worst(ms):.1f} ms") for stage, ms in stages.items()]
    judged = [sum(parts) for parts in zip(*(stages[name] for name in ("claims", "judges", "report")), strict=True)]
    rows += [
        ("all but retrieval", f"{median(judged):.1f} / {worst(judged):.1f} ms"),
        ("whole answer", f"{median(total):.1f} / {worst(total):.1f} ms"),
        ("claims verified a second", f"{CLAIMS * len(total) * 1000 / sum(total):,.0f}"),
        ("naive pipeline, whole answer", f"{median(naive):.1f} / {worst(naive):.1f} ms"),
        ("times the naive pipeline's speed", f"{median(naive) / median(total):.1f}×"),
    ]
    return [(f"{size:,} passages, {judge}, {CLAIMS} claims, p50 / p99: {name}", value) for name, value in rows]


def median(values: Sequence[float]) -> float:
    return float(np.median(values))


def worst(values: Sequence[float]) -> float:
    return float(np.percentile(values, 99))


def draw(by_claims: Sequence[tuple[int, float]], by_size: Sequence[tuple[int, float]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    left.plot(*zip(*by_claims, strict=True), marker="o", color="#2f6f4f")
    left.set(xlabel="claims in the answer", ylabel="milliseconds (median)", title="Cost against claims", ylim=(0, None))
    right.plot(*zip(*by_size, strict=True), marker="o", color="#2f6f4f")
    right.set(xlabel="passages in the memory", xscale="log", title="Cost against memory size", ylim=(0, None))
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
