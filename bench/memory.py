"""The evidence memory as it grows: each stage of a search, storing, opening, memory and disk, beside the plain ways.

`python -m bench memory` measures 10,000 passages. Set more in the environment (bench/corpus.py says where the texts and
their vectors come from):
  ASSAY_BENCH_SIZES   such as 10000,66635,100000,1000000 (default 10000)

The passages are those of HotpotQA with their own vectors. Past their number (about 105,000) a passage is made of real
sentences dealt anew, and its vector is that of a real passage moved by noise which has the covariance of all of them:
it lies as real vectors lie, in the same directions, and is nobody's copy.
"""

from __future__ import annotations

import os
import random
import sqlite3
import statistics
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from assay.memory.embed import Vectors
from assay.memory.passages import PassageSpan, cut_passages, embedding_text, find_terms
from assay.memory.retrieve import rank_passages
from assay.memory.stores.rows import PreparedDocument
from assay.memory.stores.sqlite import SqliteStore
from assay.policy import Policy
from assay.text.sentences import split_sentences
from assay.types import Document
from bench.corpus import KeptEmbedder, open_embedder, read_corpus

Row = tuple[str, str]
PICTURE = ("images/memory-growth.svg", "How the cost of a search grows with the memory")  # drawn from two sizes on
QUERIES, K, DEPTH = 200, 5, 20  # a search for five looks at twenty of each kind
BATCH, TOGETHER = 1_000, 20  # passages for each transaction and for each document
SPLIT = 20_000  # passages whose sentences are dealt anew
MOVED = 0.7  # noise beside a real vector, in units of the spread of all


@dataclass(frozen=True)
class Piece:
    """A passage: its words, what the embedder sees of it, and its search terms."""

    text: str
    seen: str
    terms: str


@dataclass(frozen=True)
class Measured:
    """What one size costs; times in milliseconds, sizes in bytes for each passage."""

    size: int
    vector_ms: float
    text_ms: float
    fused_ms: float
    fresh_ms: float
    exact_ms: float
    fts5_ms: float
    recall: float
    stored_per_second: float
    indexed_per_second: float
    memory: float
    disk: float
    open_s: float

    def rows(self) -> list[Row]:
        return [
            ("vector stage, median", f"{self.vector_ms:.2f} ms"),
            ("text stage (BM25), median", f"{self.text_ms:.2f} ms"),
            ("fused, median", f"{self.fused_ms:.2f} ms"),
            ("fused, questions with words not asked for before", f"{self.fresh_ms:.2f} ms"),
            ("exact numpy search, median", f"{self.exact_ms:.2f} ms"),
            ("plain FTS5 query, median", f"{self.fts5_ms:.2f} ms"),
            ("recall@5 of the vector stage against exact search", f"{self.recall:.3f}"),
            ("stored, without embedding", f"{self.stored_per_second:,.0f} a second"),
            ("put into the graph", f"{self.indexed_per_second:,.0f} a second"),
            ("memory of the graph and disk for each", f"{self.memory:,.0f} and {self.disk:,.0f} bytes"),
            ("opened in", f"{self.open_s:.2f} s"),
        ]


def run() -> list[Row]:
    sizes = [int(size) for size in os.environ.get("ASSAY_BENCH_SIZES", "10000").split(",")]
    if len(sizes) > 1:
        import matplotlib  # noqa: F401 (if it is not installed, better say so now than in half an hour)
    corpus, embedder = read_corpus(), open_embedder()
    questions = random.Random(4).sample(corpus.questions, 2 * QUERIES)
    pieces = list(islice(real_pieces(corpus.documents), max(sizes)))
    grown = [measure(size, pieces, questions, embedder) for size in sizes]
    if len(sizes) > 1:
        draw(grown, Path("docs") / PICTURE[0])
    return [(f"{one.size:,} passages: {name}", value) for one in grown for name, value in one.rows()]


def measure(size: int, pieces: Sequence[Piece], questions: Sequence[str], embedder: KeptEmbedder) -> Measured:
    queries, terms = embedder.embed(questions), [find_terms(question) for question in questions]
    rows = np.empty((size, embedder.width), dtype=np.float16)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(folder, embedder.width)
        stored = store_all(store, rows, batches(size, pieces, embedder))
        start = perf_counter()
        store.flush()
        indexed = perf_counter() - start
        used = store.stats()
        store.close()
        start = perf_counter()
        store = open_store(folder, embedder.width)
        opened = perf_counter() - start
        found, vector_times = clocked(lambda at: store.nearest(queries[at : at + 1], DEPTH)[0], range(QUERIES))
        _, text_times = clocked(lambda at: store.matching(terms[at : at + 1], DEPTH), range(QUERIES))
        fused = partial(search, store, queries, terms)
        _, fused_times = clocked(fused, range(QUERIES))
        _, fresh_times = clocked(fused, range(QUERIES, 2 * QUERIES))
        store.close()
        fts5 = plain_fts5_ms(Path(folder), terms[:QUERIES])
    whole = rows.astype(np.float32)
    exact, exact_times = clocked(lambda query: np.argpartition(-(whole @ query), K)[:K] + 1, queries[:QUERIES])
    hits = [len({key for key, _ in mine[:K]} & set(true.tolist())) for mine, true in zip(found, exact, strict=True)]
    return Measured(
        size,
        median_ms(vector_times),
        median_ms(text_times),
        median_ms(fused_times),
        median_ms(fresh_times),
        median_ms(exact_times),
        fts5,
        sum(hits) / (K * QUERIES),
        size / stored,
        size / indexed,
        used["index_bytes"] / size,
        used["disk_bytes"] / size,
        opened,
    )


def open_store(folder: str, width: int) -> SqliteStore:
    return SqliteStore(folder, "default", width, Policy(), lambda _: None)


def search(store: SqliteStore, queries: Vectors, terms: Sequence[Sequence[str]], at: int) -> Any:
    return rank_passages(store, queries[at : at + 1], terms[at : at + 1], K)


def store_all(store: SqliteStore, rows: Any, parts: Iterable[tuple[Sequence[Piece], Vectors]]) -> float:
    """Stores the passages and writes their vectors into `rows`; the seconds the store itself took."""
    seconds, at = 0.0, 0
    for pieces, vectors in parts:
        rows[at : at + len(pieces)] = vectors
        batch = [
            bind(f"d{at + place}", pieces[place : place + TOGETHER], vectors[place : place + TOGETHER])
            for place in range(0, len(pieces), TOGETHER)
        ]
        start = perf_counter()
        store.put(batch)
        seconds += perf_counter() - start
        at += len(pieces)
    return seconds


def bind(name: str, pieces: Sequence[Piece], vectors: Vectors) -> PreparedDocument:
    """Some passages as one document."""
    cuts, at = [], 0
    for piece in pieces:
        cuts.append(PassageSpan(at, at + len(piece.text)))
        at += len(piece.text) + 2
    text = "\n\n".join(piece.text for piece in pieces)
    return PreparedDocument(Document(name, text), cuts, vectors, [piece.terms for piece in pieces])


def batches(size: int, pieces: Sequence[Piece], embedder: KeptEmbedder) -> Iterator[tuple[Sequence[Piece], Vectors]]:
    """Real passages with their vectors, then made ones, up to so many."""
    real: list[Vectors] = []
    for at in range(0, min(size, len(pieces)), BATCH):
        part = pieces[at : min(at + BATCH, size)]
        real.append(embedder.embed([piece.seen for piece in part]))
        yield part, real[-1]
    left = size - len(pieces)
    if left > 0:
        known = np.concatenate(real)
        noise = Noise(known, np.random.default_rng(size))
        made = made_pieces([pair for piece in pieces[:SPLIT] for pair in dealt(piece.text)])
        for at in range(0, left, BATCH):
            part = list(islice(made, min(BATCH, left - at)))
            yield part, noise.near(known, len(part))


def real_pieces(documents: Iterable[Document]) -> Iterator[Piece]:
    for document in documents:
        for cut in cut_passages(document):
            seen = embedding_text(document, cut)
            yield Piece(document.text[cut.start : cut.end], seen, " ".join(find_terms(seen)))


def dealt(text: str) -> Iterable[tuple[str, str]]:
    for sentence in split_sentences(text):
        words = sentence.span.of(text)
        yield words, " ".join(find_terms(words))


def made_pieces(sentences: Sequence[tuple[str, str]]) -> Iterator[Piece]:
    chance = random.Random(1)
    while True:
        chosen = chance.choices(sentences, k=4)
        yield Piece(" ".join(text for text, _ in chosen), "", " ".join(terms for _, terms in chosen))


class Noise:
    """Moves real vectors in the directions in which they differ from one another."""

    def __init__(self, known: Vectors, chance: np.random.Generator) -> None:
        values, directions = np.linalg.eigh(np.cov(known, rowvar=False))
        self._shape = (directions * np.sqrt(np.maximum(values, 0))).T.astype(np.float32)
        self._chance = chance

    def near(self, known: Vectors, count: int) -> Vectors:
        moved = known[self._chance.integers(len(known), size=count)]
        moved = moved + MOVED * self._chance.standard_normal((count, len(self._shape)), dtype=np.float32) @ self._shape
        rows: Vectors = moved / np.linalg.norm(moved, axis=1, keepdims=True)
        return rows


def plain_fts5_ms(folder: Path, terms: Sequence[Sequence[str]]) -> float:
    """What SQLite's own ranking costs on the same index, every word of the question asked for."""
    database = sqlite3.connect(folder / "default.db")
    statement = "SELECT rowid FROM terms WHERE terms MATCH ? ORDER BY rank LIMIT 5"
    asked = [" OR ".join(f'"{term}"' for term in words) for words in terms[:50]]  # seconds each at a million
    times = clocked(lambda words: database.execute(statement, (words,)).fetchall(), asked)[1]
    database.close()
    return median_ms(times)


def clocked(function: Callable[[Any], Any], arguments: Iterable[Any]) -> tuple[list[Any], list[float]]:
    results, times = [], []
    for argument in arguments:
        start = perf_counter()
        results.append(function(argument))
        times.append(perf_counter() - start)
    return results, times


def median_ms(times: list[float]) -> float:
    return statistics.median(times) * 1000


def draw(grown: Sequence[Measured], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.5, 4))
    sizes = [one.size for one in grown]
    for label, mark, times in (
        ("plain FTS5", "v", [one.fts5_ms for one in grown]),
        ("exact numpy", "s", [one.exact_ms for one in grown]),
        ("fused", "D", [one.fused_ms for one in grown]),
        ("text stage", "^", [one.text_ms for one in grown]),
        ("vector stage", "o", [one.vector_ms for one in grown]),
    ):
        axes.loglog(sizes, times, marker=mark, label=label)
    axes.set_xlabel("passages")
    axes.set_ylabel("median ms for one query")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)
