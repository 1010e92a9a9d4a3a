"""HotpotQA's development questions with all their passages, and the vectors of those, embedded once and kept.

`python -m bench.corpus` embeds what is missing: half an hour on two cores; it can be interrupted and run again.
  ASSAY_BENCH_CORPUS   hotpotqa_dev.jsonl.gz (default: where it lies beside this repository)
  ASSAY_BENCH_KEEP     folder for vectors and memories that are kept between runs (default: in the temporary folder)
  ASSAY_BENCH_QUESTIONS  how many questions, with their passages as the corpus (default all)
"""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from assay.memory.embed import DEFAULT_EMBEDDER, Embedder, NetworkEmbedder, Vectors, content_key, load_embedder
from assay.memory.passages import cut_passages, embedding_text
from assay.types import Document

_BESIDE = Path(__file__).parents[2] / "shared" / "data" / "corpora" / "hotpotqa_dev.jsonl.gz"
_BLOCK = 512


@dataclass(frozen=True)
class Corpus:
    """Distinct passages as documents; for each question the ids of the two that answer it."""

    documents: list[Document]
    questions: list[str]
    gold: list[set[str]]


class KeptEmbedder:
    """An embedder whose vectors are kept in a file by content hash; interrupted, it goes on where it was."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self.name, self.width = inner.name, inner.width
        self._inner = inner
        folder.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(folder / f"{inner.name}.vectors", timeout=60)
        self._database.execute("CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = self.held(texts)
        missing = {text for text, row in zip(texts, rows, strict=True) if row is None}
        made: dict[str, Vectors] = {}
        shortest_first = sorted(missing, key=lambda text: (len(text), text))
        for start in range(0, len(shortest_first), _BLOCK):
            block = shortest_first[start : start + _BLOCK]
            vectors = self._inner.embed(block)
            made |= dict(zip(block, vectors, strict=True))
            with self._database:
                self._database.executemany(
                    "INSERT OR IGNORE INTO kept VALUES (?, ?)",
                    ((_key(text), vector.tobytes()) for text, vector in zip(block, vectors, strict=True)),
                )
        found = [made[text] if row is None else row for text, row in zip(texts, rows, strict=True)]
        return np.stack(found) if found else np.zeros((0, self.width), dtype=np.float32)

    def held(self, texts: Sequence[str]) -> list[Vectors | None]:
        """What is kept already, None for the rest."""
        query = "SELECT vector FROM kept WHERE key = ?"
        rows = [self._database.execute(query, (_key(text),)).fetchone() for text in texts]
        return [None if row is None else np.frombuffer(row[0], dtype=np.float32) for row in rows]


def _key(text: str) -> bytes:
    return content_key(f"{len(text)} {text}")


def read_corpus(limit: int | None = None) -> Corpus:
    """The first questions, all unless the environment says otherwise, and every distinct passage they come with."""
    if limit is None:
        limit = int(os.environ.get("ASSAY_BENCH_QUESTIONS", "0"))
    path = Path(os.environ.get("ASSAY_BENCH_CORPUS", _BESIDE))
    if not path.exists():
        sys.exit(f"{path} is not there: say where HotpotQA lies with ASSAY_BENCH_CORPUS")
    names: dict[tuple[str, str], str] = {}
    corpus = Corpus([], [], [])
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in islice(lines, limit or None):
            row = json.loads(line)
            gold = set()
            for passage in row["passages"]:
                key = (passage["title"], passage["text"])
                if key not in names:
                    names[key] = f"p{len(names)}"
                    corpus.documents.append(Document(names[key], passage["text"], passage["title"]))
                if passage["gold"]:
                    gold.add(names[key])
            corpus.questions.append(row["question"])
            corpus.gold.append(gold)
    return corpus


def keeping_folder() -> Path:
    return Path(os.environ.get("ASSAY_BENCH_KEEP", Path(tempfile.gettempdir()) / "assay-bench"))


def open_embedder(name: str = DEFAULT_EMBEDDER) -> KeptEmbedder:
    return KeptEmbedder(load_embedder(name), keeping_folder())


def open_folder(folder: Path) -> KeptEmbedder:
    """A network that training/embedder.py or training/tuning.py made."""
    card = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return KeptEmbedder(NetworkEmbedder(folder, card), keeping_folder())


def main() -> None:
    corpus, embedder = read_corpus(), open_embedder()
    embedder.embed(corpus.questions)
    for at in range(0, len(corpus.documents), 2000):
        part = corpus.documents[at : at + 2000]
        embedder.embed([embedding_text(document, cut) for document in part for cut in cut_passages(document)])
        sys.stdout.write(f"{at + len(part):,} of {len(corpus.documents):,} documents\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
