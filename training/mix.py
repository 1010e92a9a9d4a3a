"""The training mix: labelled sets read, evened out, and woven so that any prefix is a fair sample of all of them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from training.disjunctions import in_doubt
from training.rows import NOT_SUPPORTED, REFUTED, Row, read_rows


@dataclass(frozen=True)
class Share:
    """How many rows of one set go into the stream: `skip` were used by an earlier stage (from the end: below 0)."""

    files: tuple[str, ...]
    take: int
    skip: int = 0
    skew: float = 2.0
    soften: bool = False  # REFUTED of this set says no more than NOT_SUPPORTED
    doubt: bool = False  # labels that a rule has given for one side of an "or" are taken back


def even_out(rows: Sequence[Row], skew: float, seed: str) -> list[Row]:
    """The rows shuffled, with no label more than `skew` times as frequent as the rarest."""
    dice = random.Random(seed)
    by_label: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_label[row.label].append(row)
    ceiling = int(skew * min(len(group) for group in by_label.values()))
    kept = []
    for label in sorted(by_label):
        group = by_label[label]
        dice.shuffle(group)
        kept.extend(group[:ceiling])
    dice.shuffle(kept)
    return kept


def weave(groups: Mapping[str, Sequence[Row]], seed: str) -> list[Row]:
    """One stream in which each group is spread evenly from beginning to end."""
    dice = random.Random(seed)
    placed = []
    for name in sorted(groups):
        rows = groups[name]
        placed.extend(((number + dice.random()) / len(rows), name, number) for number in range(len(rows)))
    placed.sort()
    return [groups[name][number] for _, name, number in placed]


def read_share(name: str, share: Share, folder: Path, seed: int, banned: Iterable[str] = ()) -> list[Row]:
    """The rows of one set that its share asks for, none of whose premises quotes a banned sentence."""
    forbidden = frozenset(banned)
    rows = [row for file in share.files for row in read_rows(folder / "train" / f"{file}.jsonl.gz")]
    if forbidden:
        rows = [row for row in rows if not quotes_any(row.premise, forbidden)]
    rows = even_out(rows, share.skew, f"{seed}:{name}")
    if share.soften:
        rows = [replace(row, label=NOT_SUPPORTED) if row.label == REFUTED else row for row in rows]
    if share.doubt:
        rows = [in_doubt(row) for row in rows]
    return rows[share.skip :][: share.take]


FINGERPRINT = 40  # characters: enough to tell sentences apart, short enough to survive a cut-off end


def fingerprint(sentence: str) -> str:
    return sentence.strip()[:FINGERPRINT]


def quotes_any(premise: str, fingerprints: frozenset[str]) -> bool:
    """Whether some sentence of the premise begins like one of the forbidden ones."""
    starts = [0]
    for place, character in enumerate(premise):
        # "U.S.The" happens where sets glue passages together, so no space is asked for after the full stop.
        if character in ".!?\n":
            starts.append(place + 1)
    return any(fingerprint(premise[start : start + FINGERPRINT + 4]) in fingerprints for start in starts)
