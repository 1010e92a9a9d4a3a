"""Long work: answers of up to 1,000 claims, sources of up to 5 MB, files of up to 10,000 answers, here and on Ray.

Set in the environment:
  ASSAY_BENCH_JUDGE    small, cascade, base or lexical (default small)
  ASSAY_BENCH_ANSWERS  the numbers of answers in a file, such as 100,1000,10000 (default 100,1000)
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from assay.batch import check_file
from assay.engine import Engine
from assay.types import Document
from bench.town import CLAIMS, answer, sources

Row = tuple[str, str]
Points = list[tuple[float, float]]
PICTURE = ("images/scale-cost.svg", "What a check costs by claims, megabytes of sources and answers")
CLAIM_COUNTS, MEGABYTES = (10, 30, 100, 300, 1000), (0.01, 0.1, 1.0, 5.0)
ENGINES = ("local", "ray")


def run() -> list[Row]:
    if find_spec("matplotlib") is None:  # better said now than after all has been measured
        raise SystemExit("the plot needs matplotlib: pip install 'assay-check[bench]'")
    judge = os.environ.get("ASSAY_BENCH_JUDGE", "small")
    counts = [int(n) for n in os.environ.get("ASSAY_BENCH_ANSWERS", "100,1000").split(",")]
    engine = Engine(judge=judge)
    engine.warm()
    engine.check(answer(0), sources(0))
    by_claims = [(n, seconds(lambda n=n: engine.check(answer(n, n), sources(n)))) for n in CLAIM_COUNTS]
    by_size = [(size, seconds(lambda size=size: engine.check(answer(0), archive(size)))) for size in MEGABYTES]
    by_answers = {name: [(n, check_answers(n, judge, name)) for n in counts] for name in ENGINES if has(name)}
    rows = [(f"{judge}: {n:,} claims on 5 passages", _spent(took, n, "claim", "CPU")) for n, took in by_claims]
    rows += [(f"{judge}: 10 claims on {size:g} MB of sources", f"{took:.2f} s CPU") for size, took in by_size]
    for name, points in by_answers.items():
        said, clock = f"{judge}, {name}: a file of", "CPU" if name == "local" else "of the clock"
        rows += [(f"{said} {n:,} answers of one claim", _spent(took, n, "answer", clock)) for n, took in points]
    draw(by_claims, by_size, by_answers, Path("docs") / PICTURE[0])
    return rows


def _spent(took: float, items: int, what: str, clock: str) -> str:
    return f"{took:.2f} s {clock}, {took * 1000 / items:.1f} ms a {what}"


def seconds(work) -> float:
    """Processor time of this process, which other work on the machine does not spoil."""
    began = time.process_time()
    work()
    return time.process_time() - began


def archive(megabytes: float) -> list[Document]:
    """Documents of together so many megabytes, five of them those that the answer is about."""
    found, size = sources(0), 0
    for salt in count(1):
        more = sources(salt)
        size += sum(len(document.text) for document in more)
        if size > megabytes * 1e6:
            break
        found += more
    return found


def check_answers(answers: int, judge: str, engine: str) -> float:
    """Seconds for a file of answers, each a claim about sources that five others are about too."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "answers.jsonl")
        with path.open("w", encoding="utf-8") as file:
            for n in range(answers):
                salt = n // 5
                texts = [document.text for document in sources(salt)]
                row = {"answer": CLAIMS[n % len(CLAIMS)].format(salt=salt), "sources": texts}
                file.write(json.dumps(row) + "\n")
        clock = time.process_time if engine == "local" else time.perf_counter  # of actors only the clock tells
        began = clock()
        done = check_file(path, Path(name, "reports.jsonl"), judge=judge, engine=engine)
        took = clock() - began
    if done.checked != answers:
        raise SystemExit(f"{answers - done.checked} of {answers} answers were not checked: {done.problems[:1]}")
    return took


def has(engine: str) -> bool:
    return engine == "local" or find_spec("ray") is not None


def draw(by_claims: Points, by_size: Points, by_answers: dict[str, Points], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 3, figsize=(12, 3.4), layout="constrained")
    one = {"": by_claims}, {"": by_size}
    drawn = (("claims in the answer", one[0]), ("MB of sources", one[1]), ("answers in a file", by_answers))
    for axes, (label, lines) in zip(panels, drawn, strict=True):
        for name, points in lines.items():
            axes.plot(*zip(*points, strict=True), marker="o", clip_on=False, label=name)
        axes.set(xlabel=label, ylabel="seconds", xlim=(0, None), ylim=(0, None))
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
    panels[2].legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
