"""Fits the weights by which the extractive writer tells whether sources answer a question, and shows what they do.

    python -m bench.aptness --data hotpotqa_dev.jsonl.gz squad2_dev.jsonl.gz --skip 800 --questions 400

Every question is put twice: to its own passages, and to those that are left without the ones that hold the answer. The
weights are fitted on the first half of the questions of each file and judged on the second.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.llm.choosing import Signs, likelihood, point_sentences, read_signs
from assay.llm.delimit import Block
from assay.policy import Policy
from assay.repair.case import gather
from assay.types import Document
from bench.asking import SEED, read_shuffled

ABSTAINED = (0.08, 0.10, 0.12, 0.14)
_FURTHER = 7  # paragraphs of the same article beside a question's own
_ROUNDS = 60
_RIDGE = 1e-3


@dataclass(frozen=True)
class Row:
    """The signs that were read for a question, and whether its answer was there to be quoted."""

    signs: Signs
    answerable: bool


def read_rows(path: Path, count: int, skip: int, policy: Policy) -> list[Row]:
    """Two rows for each question: with the passages that hold its answer, and without."""
    chosen = shuffle_questions(path)[skip : skip + count]
    return [Row(_read(record, answerable, policy), answerable) for record in chosen for answerable in (True, False)]


def shuffle_questions(path: Path) -> list[dict[str, Any]]:
    """Questions with their passages; one of SQuAD comes with further paragraphs of its article."""
    rng = random.Random(SEED)
    records = read_shuffled(path, rng)
    if not records or "passages" in records[0]:
        return records
    articles: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        articles.setdefault(record["title"], []).append(record)
    found = []
    for record in records:
        others = [other for other in articles[record["title"]] if other is not record][:_FURTHER]
        passages = [{"title": one["title"], "text": one["text"], "gold": one is record} for one in [record, *others]]
        found += [{**item, "passages": passages} for item in record["questions"] if item["answerable"]]
    rng.shuffle(found)
    return found


def _read(record: dict[str, Any], answerable: bool, policy: Policy) -> Signs:
    question = record["question"]
    listed = [p for p in record["passages"] if answerable or not p["gold"]]
    documents = [Document(str(n), p["text"], p["title"].replace("_", " ")) for n, p in enumerate(listed)]
    shown = gather(question, None, documents, policy)
    blocks = [Block("source", p.text, f"E{number}", p.document.title) for number, p in enumerate(shown, 1)]
    found = point_sentences(question, blocks)
    if found is None:
        raise UsageError("the weights of the verifier are not installed")
    return read_signs(question, blocks, found)


def fit(rows: Sequence[Row]) -> tuple[Signs, float]:
    """The weights and the constant of a logistic regression, by Newton's method."""
    table = np.array([[*astuple(row.signs), 1.0] for row in rows])
    truth = np.array([float(row.answerable) for row in rows])
    weights = np.zeros(table.shape[1])
    for _ in range(_ROUNDS):
        guessed = 1.0 / (1.0 + np.exp(-table @ weights))
        slope = table.T @ (guessed - truth) + _RIDGE * weights
        bend = (table * (guessed * (1.0 - guessed))[:, None]).T @ table + _RIDGE * np.eye(len(weights))
        weights -= np.linalg.solve(bend, slope)
    return Signs(*map(float, weights[:-1])), float(weights[-1])


def trade(scores: Sequence[float], rows: Sequence[Row], abstained: float) -> tuple[float, float]:
    """The threshold that abstains on this share of the answerable, and the share of the others it then answers."""
    good = [score for score, row in zip(scores, rows, strict=True) if row.answerable]
    bad = [score for score, row in zip(scores, rows, strict=True) if not row.answerable]
    threshold = float(np.quantile(good, abstained))
    return threshold, sum(score >= threshold for score in bad) / len(bad)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.aptness", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--data", type=Path, nargs="+", required=True, help="HotpotQA or SQuAD as JSON lines, may be gzipped"
    )
    parser.add_argument("--skip", type=int, default=800, help="leave out the first questions, those that are reported")
    parser.add_argument("--questions", type=int, default=400, help="of each file")
    options = parser.parse_args(arguments)
    read = [read_rows(path, options.questions, options.skip, Policy.load()) for path in options.data]
    first = [row for rows in read for row in rows[: len(rows) // 2]]
    second = [row for rows in read for row in rows[len(rows) // 2 :]]
    weights, constant = fit(first)
    print(
        f"fitted on {len(first)} rows: " + ", ".join(f"{f.name}={getattr(weights, f.name):.2f}" for f in fields(Signs))
    )
    print(f"constant={constant:.2f}\n\nwith the weights that are shipped:\n")
    print("| part | abstained, answerable | threshold | answered, answer left out |\n| --- | ---: | ---: | ---: |")
    for name, part in (("fitted on", first), ("not fitted on", second)):
        for share in ABSTAINED:
            threshold, answered = trade([likelihood(row.signs) for row in part], part, share)
            print(f"| {name} | {share:.2f} | {threshold:.3f} | {answered:.3f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
