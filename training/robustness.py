"""Whether a verdict stays the same when passages about other things are added.

    python -m training.robustness --data DATA [--size small] [--claims 100]

Claims and their evidence are dev rows of FEVER symmetric, HealthVer and Fool Me Twice; other passages are HotpotQA's.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

from assay.encoder import Verifier
from assay.types import Document, Passage
from training.rows import Row, read_rows
from training.synthetic import hotpot

SETS = ("fever_symmetric.dev", "healthver.dev", "fool_me_twice.dev")


def whole(number: int, text: str) -> Passage:
    return Passage(Document(str(number), text), 0, len(text))


def share_stable(verifier: Verifier, rows: Sequence[Row], others: Sequence[Passage], added: int) -> float:
    """The share of claims whose verdict does not change when `added` passages come between and after their evidence."""
    kept = 0
    for number, row in enumerate(rows):
        evidence = whole(-1, row.premise)
        noise = random.Random(number).sample(others, added)
        half = added // 2
        alone = verifier.judge_passages(row.hypothesis, [evidence]).verdict
        kept += verifier.judge_passages(row.hypothesis, [*noise[:half], evidence, *noise[half:]]).verdict == alone
    return kept / len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--size", default="small")
    parser.add_argument("--claims", type=int, default=100)
    given = parser.parse_args()
    rows = [row for name in SETS for row in read_rows(given.data / "dev" / f"{name}.jsonl.gz")]
    random.Random(0).shuffle(rows)
    texts = [passage.text for question in hotpot(given.data)[:400] for passage in question["passages"]]
    others = [whole(number, text) for number, text in enumerate(dict.fromkeys(texts)) if text]
    verifier = Verifier.load(given.size)
    for added in (10, 100):
        stable = share_stable(verifier, rows[: given.claims], others, added)
        print(f"{given.size}: {stable:.1%} of {given.claims} verdicts stay with {added} other passages")


if __name__ == "__main__":
    main()
