"""What other processes do to a memory in the fault tests: `python crowd.py write|read FOLDER NAME COUNT`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay.memory import Memory
from assay.memory.embed import content_key
from assay.types import Document


class QuickEmbedder:
    """A vector made from the hash of a text: no model to load, the same in every process."""

    name, width = "quick", 16

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        rows = [np.frombuffer(content_key(text), dtype=np.uint8).astype(np.float32) - 127 for text in texts]
        out = np.stack(rows) if rows else np.zeros((0, 16), dtype=np.float32)
        return out / np.linalg.norm(out, axis=1, keepdims=True)


def make_document(name: str, number: int) -> Document:
    sentences = [f"Fact {part} of document {name}-{number} is that {part * number} comes next." for part in range(30)]
    return Document(f"{name}-{number}", " ".join(sentences), f"Document {name} {number}")


def open_memory(folder: Path, **options: object) -> Memory:
    return Memory(folder, embedder=QuickEmbedder(), **options)  # type: ignore[arg-type]


def main() -> None:
    action, folder, name, count = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    with open_memory(folder) as memory:
        print("open", flush=True)
        for number in range(count):
            if action == "write":
                memory.add(make_document(name, number))
                print(f"{name}-{number}", flush=True)  # only now is it promised
            else:
                for found in memory.retrieve(f"Fact 3 of document {number}", k=5):
                    assert found.document.text[found.start : found.end] == found.text
                    assert found.text.startswith("Fact ")


if __name__ == "__main__":
    main()
