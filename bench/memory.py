"""The evidence memory: vector search against exact search as it grows, and retrieval on HotpotQA.

`python -m bench memory` takes a minute. Set more in the environment:
  ASSAY_BENCH_SIZES   vectors in the graph, such as 10000,100000,1000000 (default 10000)
  ASSAY_BENCH_CORPUS  hotpotqa_dev.jsonl.gz: adds retrieval quality and times on its passages
  ASSAY_BENCH_QUESTIONS  how many of its questions, with their passages as the corpus (default all)
  ASSAY_BENCH_EMBEDDERS  which to compare (default minilm,static)
  ASSAY_BENCH_PLOT    where to draw how the cost grows, such as docs/memory-growth.svg
"""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from assay.memory import Memory
from assay.memory.graph import Graph
from assay.memory.retrieve import rank_passages
from assay.memory.terms import find_terms
from assay.policy import Policy
from assay.types import Document

Row = tuple[str, str]
WIDTH, QUERIES, K = 384, 200, 5


def run() -> list[Row]:
    sizes = [int(size) for size in os.environ.get("ASSAY_BENCH_SIZES", "10000").split(",")]
    rows: list[Row] = []
    grown = []
    for size in sizes:
        measured = measure_graph(size)
        grown.append((size, measured))
        rows += [(f"{size:,} vectors: {name}", value) for name, value in shown(measured)]
    if plot := os.environ.get("ASSAY_BENCH_PLOT"):
        draw(grown, Path(plot))
    if corpus := os.environ.get("ASSAY_BENCH_CORPUS"):
        for name in os.environ.get("ASSAY_BENCH_EMBEDDERS", "minilm,static").split(","):
            rows += measure_retrieval(Path(corpus), name)
    return rows


def measure_graph(size: int) -> dict[str, float]:
    """Search, build, save and open of the graph over vectors that lie as sentence vectors do: in a few directions."""
    random = np.random.default_rng(size)
    directions = random.normal(size=(48, WIDTH)).astype(np.float32)
    rows = make_rows(random, size, directions)
    queries = make_rows(random, QUERIES, directions)
    graph = Graph(WIDTH, Policy(), generation=1)
    start = perf_counter()
    for at in range(0, size, 10_000):
        graph.add(range(at + 1, min(at + 10_000, size) + 1), rows[at : at + 10_000])
    build = perf_counter() - start
    found, times = clocked(lambda query: graph.search(query[None], K)[0], queries)
    exact, exact_times = clocked(lambda query: np.argpartition(-(rows @ query), K)[:K] + 1, queries)
    hits = [len({key for key, _ in mine} & set(true.tolist())) for mine, true in zip(found, exact, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "graph"
        graph.save(file, "bench")
        start = perf_counter()
        Graph.load(file, "bench", WIDTH, Policy())
        opened, disk = perf_counter() - start, file.stat().st_size
    return {
        "median_ms": median_ms(times),
        "exact_ms": median_ms(exact_times),
        "recall": sum(hits) / (K * QUERIES),
        "per_second": size / build,
        "memory": graph.bytes / size,
        "disk": disk / size,
        "open_s": opened,
    }


def make_rows(random: np.random.Generator, count: int, directions: np.ndarray) -> np.ndarray:
    rows = random.normal(size=(count, len(directions))).astype(np.float32) @ directions
    rows += random.normal(size=rows.shape).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def shown(measured: dict[str, float]) -> list[Row]:
    return [
        ("vector search, median", f"{measured['median_ms']:.2f} ms"),
        ("exact numpy search, median", f"{measured['exact_ms']:.2f} ms"),
        ("recall@5 against exact search", f"{measured['recall']:.3f}"),
        ("built", f"{measured['per_second']:,.0f} a second"),
        ("memory and disk for each", f"{measured['memory']:,.0f} and {measured['disk']:,.0f} bytes"),
        ("index file opened in", f"{measured['open_s']:.2f} s"),
    ]


def measure_retrieval(path: Path, embedder: str) -> list[Row]:
    """Both gold passages among the first five, and the time of each stage, with the question as query."""
    documents, questions, gold = read_corpus(path, int(os.environ.get("ASSAY_BENCH_QUESTIONS", "0")))
    with tempfile.TemporaryDirectory() as folder:
        start = perf_counter()
        memory = Memory(folder, embedder=embedder)
        memory.add(documents)
        ingest = perf_counter() - start
        stats = memory.stats()
        memory.close()
        start = perf_counter()
        memory = Memory(folder)
        opened = perf_counter() - start
        start = perf_counter()
        vectors = memory._embedder.embed(questions)
        embedding = (perf_counter() - start) / len(questions) * 1000
        rows = [
            ("passages", f"{stats['passages']:,} of {stats['documents']:,} documents"),
            ("ingest", f"{stats['passages'] / ingest:,.0f} passages a second"),
            ("disk for each passage", f"{stats['disk_bytes'] / stats['passages']:,.0f} bytes"),
            ("opened in", f"{opened:.2f} s"),
            ("embedding a question, in batches", f"{embedding:.2f} ms"),
        ]
        rows += compare_stages(memory, questions, vectors, gold)
        rows.append(("plain FTS5 query, median", f"{plain_fts5_ms(documents, questions[:QUERIES]):.2f} ms"))
        memory.close()
    return [(f"HotpotQA, {embedder}: {name}", value) for name, value in rows]


def compare_stages(memory: Memory, questions: list[str], vectors: np.ndarray, gold: list[set[str]]) -> list[Row]:
    terms = [find_terms(question) for question in questions]
    stages: dict[str, tuple[bool, bool, bool]] = {
        "BM25 alone": (False, True, False),
        "vectors alone": (True, False, False),
        "fused": (True, True, False),
        "fused and edges": (True, True, True),
    }
    rows = []
    for name, (by_vector, by_text, edges) in stages.items():

        def search(index: int, by_vector: bool = by_vector, by_text: bool = by_text, edges: bool = edges) -> Any:
            return rank_passages(
                memory._store,
                vectors[index : index + 1] if by_vector else None,
                terms[index : index + 1] if by_text else None,
                K,
                memory.policy,
                edges=edges,
            )[0]

        found, times = clocked(search, range(len(questions)))
        entries = memory._store.entries({item.id for ranked in found for item in ranked})
        names = {number: document.id for number, document in memory._store.documents(
            {entry.document for entry in entries.values()}).items()}  # fmt: skip
        held = [{names[entries[item.id].document] for item in ranked} for ranked in found]
        both = sum(wanted <= mine for wanted, mine in zip(gold, held, strict=True)) / len(gold)
        some = statistics.mean(len(wanted & mine) / len(wanted) for wanted, mine in zip(gold, held, strict=True))
        rows.append((name, f"both gold@5 {both:.3f}, recall@5 {some:.3f}, median {median_ms(times):.2f} ms"))
    return rows


def read_corpus(path: Path, limit: int) -> tuple[list[Document], list[str], list[set[str]]]:
    numbers: dict[tuple[str, str], str] = {}
    documents, questions, gold = [], [], []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for count, line in enumerate(lines):
            if limit and count >= limit:
                break
            row = json.loads(line)
            wanted = set()
            for passage in row["passages"]:
                key = (passage["title"], passage["text"])
                if key not in numbers:
                    numbers[key] = f"p{len(numbers)}"
                    documents.append(Document(numbers[key], passage["text"], passage["title"]))
                if passage["gold"]:
                    wanted.add(numbers[key])
            questions.append(row["question"])
            gold.append(wanted)
    return documents, questions, gold


def plain_fts5_ms(documents: list[Document], questions: Sequence[str]) -> float:
    """What SQLite's own ranking costs on the same texts, every word of the question asked for."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE plain USING fts5(words, tokenize='porter')")
    database.executemany("INSERT INTO plain VALUES (?)", ((f"{item.title} {item.text}",) for item in documents))
    statement = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 5"

    def search(question: str) -> Any:
        words = " OR ".join(f'"{term}"' for term in find_terms(question))
        return database.execute(statement, (words,)).fetchall()

    return median_ms(clocked(search, questions)[1])


def clocked(function: Callable[[Any], Any], arguments: Any) -> tuple[list[Any], list[float]]:
    results, times = [], []
    for argument in arguments:
        start = perf_counter()
        results.append(function(argument))
        times.append(perf_counter() - start)
    return results, times


def median_ms(times: list[float]) -> float:
    return statistics.median(times) * 1000


def draw(grown: list[tuple[int, dict[str, float]]], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    sizes = [size for size, _ in grown]
    axes.loglog(sizes, [measured["median_ms"] for _, measured in grown], marker="o", label="HNSW graph")
    axes.loglog(sizes, [measured["exact_ms"] for _, measured in grown], marker="s", label="exact numpy")
    axes.set_xlabel("passages")
    axes.set_ylabel("median ms for one query")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)
