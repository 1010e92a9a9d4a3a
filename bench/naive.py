"""The pipeline one would write first, for `bench.engine` to run in an interpreter that has sentence-transformers.

    python bench/naive.py FOLDER START

FOLDER holds `claims.json` (a list of claims for each answer), `texts.json` and `vectors.npy` (every passage), START the
published weights. Exact search over all vectors, then one pair after the other through a CrossEncoder with the same
body; what each answer took, in milliseconds, goes to the standard output.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

K, THREADS = 5, 2


def main(folder: Path, start: Path) -> None:
    import torch
    from sentence_transformers import CrossEncoder, SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer

    torch.set_num_threads(THREADS)
    body = Transformer(str(start))
    embedder = SentenceTransformer(modules=[body, Pooling(body.get_word_embedding_dimension())], device="cpu")
    judge = CrossEncoder(str(start), num_labels=3, max_length=384, device="cpu", local_files_only=True)
    answers = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    vectors = np.load(folder / "vectors.npy")
    took = []
    for claims in [answers[0], *answers]:  # the first one twice: it warms up
        began = perf_counter()
        for claim in claims:
            query = embedder.encode(claim, show_progress_bar=False)
            for number in np.argsort(-(vectors @ query))[:K]:
                judge.predict([(texts[number], claim)], show_progress_bar=False)
        took.append((perf_counter() - began) * 1000)
    sys.stdout.write(json.dumps(took[1:]) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
