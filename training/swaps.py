"""The test of small changes: claims of held-out passages, each with one fact changed, and how often that is noticed."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from training.claims import take_claim
from training.contrast import contrast
from training.premises import Passage
from training.qualifiers import qualified_rows
from training.rows import SUPPORTED, Row, held_out, read_json


@dataclass(frozen=True)
class Swap:
    """A claim that holds, the same with one fact changed, and what kind of fact."""

    kind: str
    right: Row
    wrong: Row


def held_out_passages(data: Path) -> list[Passage]:
    """Passages that no training row has quoted."""
    return [
        Passage(raw["title"], raw["text"])
        for question in read_json(data / "corpora" / "hotpotqa_dev.jsonl.gz")
        for raw in question["passages"]
        if held_out(raw["title"]) and raw["text"]
    ]


def held_out_swaps(data: Path, count: int, seed: int) -> list[Swap]:
    """Claims of held-out passages beside the same with one fact changed."""
    dice = random.Random(f"{seed}:swaps")
    passages = held_out_passages(data)
    made: list[Swap] = []
    while len(made) < count:
        passage = dice.choice(passages)
        taken = take_claim(passage, dice)
        changed = taken and contrast(taken.claim, passage.text, dice)
        if taken and changed:
            right = Row(passage.text, taken.claim, SUPPORTED, "swaps")
            made.append(Swap(changed.kind, right, Row(passage.text, changed.text, changed.label, "swaps")))
    return made


def held_out_qualified(data: Path, count: int, seed: int) -> list[Row]:
    """Claims of held-out passages that a word holds back: as they stand, with it dropped, with it said otherwise."""
    dice = random.Random(f"{seed}:qualified")
    passages = held_out_passages(data)
    made: list[Row] = []
    while len(made) < count:
        made.extend(qualified_rows(dice.choice(passages), dice)[1])
    return made[:count]


def held_back(rows: Sequence[Row], probabilities: np.ndarray) -> dict[str, float]:
    """In percent: claims no bolder than their source called supported, and bolder ones not called so."""
    called = probabilities.argmax(1) == 0
    bolder = np.asarray([row.label != SUPPORTED for row in rows])
    return {
        "held_back": round(100 * float(called[~bolder].mean()), 1),
        "noticed_bolder": round(100 * float((~called[bolder]).mean()), 1),
    }


def noticed(swaps: Sequence[Swap], probabilities: Callable[[list[Row]], np.ndarray]) -> dict[str, float]:
    """In percent: right claims called supported, and of these how many lose it when changed, in all and by kind."""
    right = probabilities([swap.right for swap in swaps]).argmax(1) == 0
    wrong = probabilities([swap.wrong for swap in swaps]).argmax(1) == 0
    flips: dict[str, list[bool]] = defaultdict(list)
    for swap, held, fooled in zip(swaps, right, wrong, strict=True):
        if held:
            flips[swap.kind].append(not fooled)
    every = [flip for group in flips.values() for flip in group]
    scores = {"supported": float(right.mean()), "noticed": float(np.mean(every))}
    scores |= {f"noticed_{kind}": float(np.mean(group)) for kind, group in sorted(flips.items())}
    return {name: round(100 * value, 1) for name, value in scores.items()}
