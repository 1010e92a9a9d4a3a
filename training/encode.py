"""Rows as token ids, and token ids as batches of bounded size."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from training.premises import focus
from training.rows import LABELS, NOT_SUPPORTED, UNDECIDED, Row

CODES = {label: number for number, label in enumerate((*LABELS, NOT_SUPPORTED, UNDECIDED))}
WORDS_PER_TOKEN = 0.68


@dataclass(frozen=True)
class Encoded:
    """Token ids of many pairs laid end to end, where each begins, where its claim begins, and its label's code."""

    ids: np.ndarray
    starts: np.ndarray
    claims: np.ndarray
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.starts)

    def save(self, path: Path) -> None:
        part = path.with_name(path.name + ".part.npz")
        np.savez(part, ids=self.ids, starts=self.starts, claims=self.claims, labels=self.labels)
        part.replace(path)

    @classmethod
    def load(cls, path: Path) -> Encoded:
        with np.load(path) as raw:
            return cls(raw["ids"], raw["starts"], raw["claims"], raw["labels"])


@dataclass(frozen=True)
class Batch:
    """A rectangle of token ids, which of them are present, which belong to the claim, and the rows they come from."""

    ids: np.ndarray
    present: np.ndarray
    segments: np.ndarray
    rows: np.ndarray


def pair_tokenizer(folder: Path, most_tokens: int):
    """The start's own tokenizer, cutting only the evidence."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(most_tokens, strategy="only_first")
    return tokenizer


def shorten(claim: str, tokenizer, most_tokens: int) -> str:
    """The claim, cut when it would leave too little room for evidence."""
    if len(claim) <= most_tokens:  # a token has at least one character
        return claim
    offsets = tokenizer.encode(claim, add_special_tokens=False).offsets
    return claim if len(offsets) <= most_tokens else claim[: offsets[most_tokens][0]]


def encode(rows: Sequence[Row], folder: Path, most_tokens: int | Sequence[int]) -> Encoded:
    """Pairs as the start's tokenizer encodes them; a premise too long is first narrowed to what bears on the claim."""
    limits = [most_tokens] * len(rows) if isinstance(most_tokens, int) else list(most_tokens)
    tokenizers = {limit: pair_tokenizer(folder, limit) for limit in set(limits)}
    ids: list[np.ndarray] = []
    claims: list[int] = []
    for begin in range(0, len(rows), 512):
        for limit, tokenizer in sorted(tokenizers.items()):
            chosen = [n for n in range(begin, min(begin + 512, len(rows))) if limits[n] == limit]
            pairs = []
            for n in chosen:
                claim = shorten(rows[n].hypothesis, tokenizer, limit // 2)
                pairs.append((focus(rows[n].premise, claim, int(limit * WORDS_PER_TOKEN)), claim))
            for n, found in zip(chosen, tokenizer.encode_batch(pairs), strict=True):
                ids.append((n, np.asarray(found.ids, dtype=np.uint16), found.sequence_ids.index(1)))
    ids.sort(key=lambda item: item[0])
    claims = [place for _, _, place in ids]
    starts = np.concatenate([[0], np.cumsum([len(item) for _, item, _ in ids])])
    labels = np.asarray([CODES[row.label] for row in rows], dtype=np.int8)
    return Encoded(
        np.concatenate([item for _, item, _ in ids]),
        starts.astype(np.int64),
        np.asarray(claims, dtype=np.int16),
        labels,
    )


def plan_batches(lengths: Sequence[int], budget: int, chunk: int, seed: int) -> list[list[int]]:
    """Row numbers of every batch: padded size within the budget, alike lengths together, order near the stream's own.

    Chunks of the stream are sorted by length, cut into batches, and the batches of a chunk shuffled. The plan depends
    only on its arguments, so that a resumed run finds the same next batch.
    """
    plan: list[list[int]] = []
    for begin in range(0, len(lengths), chunk):
        inside = sorted(range(begin, min(begin + chunk, len(lengths))), key=lambda n: (lengths[n], n))
        batches: list[list[int]] = []
        current: list[int] = []
        for n in inside:
            if current and lengths[n] * (len(current) + 1) > budget:
                batches.append(current)
                current = []
            current.append(n)
        batches.append(current)
        random.Random(f"{seed}:{begin}").shuffle(batches)
        plan.extend(batches)
    return plan


def rectangle(data: Encoded, numbers: Sequence[int], pad: int, multiple: int = 8) -> Batch:
    """One batch as arrays, padded to a multiple that suits the processor."""
    longest = max(int(data.starts[n + 1] - data.starts[n]) for n in numbers)
    longest = -(-longest // multiple) * multiple
    ids = np.full((len(numbers), longest), pad, dtype=np.int64)
    present = np.zeros((len(numbers), longest), dtype=bool)
    segments = np.zeros((len(numbers), longest), dtype=np.int64)
    for line, n in enumerate(numbers):
        begin, end = int(data.starts[n]), int(data.starts[n + 1])
        ids[line, : end - begin] = data.ids[begin:end]
        present[line, : end - begin] = True
        segments[line, int(data.claims[n]) : end - begin] = 1
    return Batch(ids, present, segments, np.asarray(numbers))


def batches(data: Encoded, plan: Sequence[Sequence[int]], pad: int, first: int = 0) -> Iterator[Batch]:
    """The batches of a plan from number `first` on."""
    for numbers in plan[first:]:
        yield rectangle(data, numbers, pad)
