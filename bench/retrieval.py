"""How often the right passages are among the first five: BM25, vectors, both, and one step along the edges.

`python -m bench retrieval` asks HotpotQA's questions with all their passages as the corpus, and claims of verification
sets with their premises as the corpus. The vectors and the memories are kept (see bench/corpus.py); with vectors kept
and the memories made, it takes some minutes.
  ASSAY_BENCH_EMBEDDERS  which to compare (default: those shipped)
  ASSAY_BENCH_OTHER      folder of another network to compare, such as the published one (training/embedder.py)
  ASSAY_BENCH_SPLIT      "report" asks the questions with an even number (the default), "tune" the others: whatever is
                         chosen by looking at figures is chosen on those
  ASSAY_BENCH_CLAIMS     folder of verification sets, rows as in the project's data (default: beside this repository)
"""

from __future__ import annotations

import gzip
import json
import math
import os
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from assay.memory import Memory
from assay.memory.embed import DEFAULT_EMBEDDER, Embedder
from assay.memory.passages import find_terms
from assay.memory.retrieve import RankedPassage, rank_passages
from assay.types import Document
from bench.corpus import Corpus, keeping_folder, open_embedder, open_folder, read_corpus

Row = tuple[str, str]
K = 5
SPLIT = os.environ.get("ASSAY_BENCH_SPLIT", "report")
CLAIM_SETS = ("scifact_rte", "covidfact_rte", "fever_symmetric", "fool_me_twice")
_CLAIMS_OF_EACH = 300
_BESIDE = Path(__file__).parents[2] / "shared" / "data" / "dev"


@dataclass(frozen=True)
class Stage:
    """Which ways of finding passages take part."""

    name: str
    vectors: bool
    words: bool
    edges: bool = False


STAGES = (
    Stage("BM25 alone", vectors=False, words=True),
    Stage("vectors alone", vectors=True, words=False),
    Stage("fused", vectors=True, words=True),
    Stage("fused and edges", vectors=True, words=True, edges=True),
)


def run() -> list[Row]:
    embedders: list[Embedder] = [
        open_embedder(name) for name in os.environ.get("ASSAY_BENCH_EMBEDDERS", f"{DEFAULT_EMBEDDER},static").split(",")
    ]
    if other := os.environ.get("ASSAY_BENCH_OTHER"):
        embedders.append(open_folder(Path(other)))
    rows: list[Row] = []
    for title, corpus in (("HotpotQA", read_corpus()), ("claims", read_claims())):
        for embedder in embedders:
            rows += [(f"{title}, `{embedder.name}`: {what}", value) for what, value in measure(title, corpus, embedder)]
    return rows


def measure(title: str, corpus: Corpus, embedder: Embedder) -> Iterator[Row]:
    with open_corpus(title, corpus, embedder) as memory:
        asked = [number for number in range(len(corpus.questions)) if (number % 2 == 0) == (SPLIT == "report")]
        stats = memory.stats()
        yield "corpus", f"{stats['documents']:,} documents, {stats['passages']:,} passages; {len(asked):,} questions"
        questions = [corpus.questions[number] for number in asked]
        gold = [corpus.gold[number] for number in asked]
        for stage in STAGES:
            held, median = search(memory, questions, stage)
            yield stage.name, f"{score(gold, held)}, median {median:.2f} ms"


def open_corpus(title: str, corpus: Corpus, embedder: Embedder) -> Memory:
    """The memory of a corpus, made if it is not there yet."""
    place = keeping_folder() / f"{title.lower()}-{embedder.name}-{len(corpus.documents)}"
    memory = Memory(place, embedder=embedder)
    if memory.stats()["documents"] != len(corpus.documents):
        memory.add(corpus.documents)
    return memory


def search(memory: Memory, questions: Sequence[str], stage: Stage) -> tuple[list[list[str]], float]:
    """The documents of the first five passages for each question, best first, and the median time in milliseconds."""
    vectors = memory.embed(questions) if stage.vectors else None
    terms = [find_terms(question) for question in questions] if stage.words else None
    ranked: list[list[RankedPassage]] = []
    times = []
    for at in range(len(questions)):
        here = slice(at, at + 1)
        start = perf_counter()
        ranked += rank_passages(
            memory._store,
            vectors[here] if vectors is not None else None,
            terms[here] if terms is not None else None,
            K,
            edges=stage.edges,
        )
        times.append(perf_counter() - start)
    entries = memory._store.entries({item.id for row in ranked for item in row})
    documents = memory._store.documents({entry.document for entry in entries.values()})
    held = [[documents[entries[item.id].document].id for item in row] for row in ranked]
    return held, 1000 * statistics.median(times)


def score(gold: Sequence[set[str]], held: Sequence[Sequence[str]]) -> str:
    """How often all that is wanted is among the first five (with its 95 % interval), how much of it, and how often one
    of it comes first."""
    pairs = list(zip(gold, map(list, held), strict=True))
    every = sum(wanted <= set(mine) for wanted, mine in pairs) / len(pairs)
    parts = sum(len(wanted & set(mine)) / len(wanted) for wanted, mine in pairs) / len(pairs)
    first = sum(mine[0] in wanted for wanted, mine in pairs if mine) / len(pairs)
    within = 1.96 * math.sqrt(every * (1 - every) / len(pairs))
    return f"all@5 {every:.3f} ± {within:.3f}, recall@5 {parts:.3f}, first {first:.3f}"


def read_claims() -> Corpus:
    """Every premise of some verification sets as a document; the claims that one of them settles as questions."""
    folder = Path(os.environ.get("ASSAY_BENCH_CLAIMS", _BESIDE))
    names: dict[str, str] = {}
    corpus = Corpus([], [], [])
    for part in CLAIM_SETS:
        settled: dict[str, set[str]] = {}
        for row in _rows(folder, part):
            if row["premise"] not in names:
                names[row["premise"]] = f"e{len(names)}"
                corpus.documents.append(Document(names[row["premise"]], row["premise"]))
            if row["label"] in ("SUPPORTED", "REFUTED"):
                settled.setdefault(row["hypothesis"], set()).add(names[row["premise"]])
        claims = sorted(settled)[:: max(1, len(settled) // _CLAIMS_OF_EACH)]
        corpus.questions.extend(claims)
        corpus.gold.extend(settled[claim] for claim in claims)
    return corpus


def _rows(folder: Path, part: str) -> Iterator[dict[str, str]]:
    for path in sorted(folder.glob(f"{part}.*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


if __name__ == "__main__":
    started = perf_counter()
    for what, value in run():
        print(f"{what}: {value}", flush=True)
    print(f"{perf_counter() - started:.0f} s")
