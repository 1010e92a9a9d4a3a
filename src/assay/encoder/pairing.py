"""Texts as token ids, and (evidence, claim) as the one sequence the network reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import ModelError

_SURROGATE = re.compile("[\ud800-\udfff]")  # halves of a character: no tokenizer takes them


@dataclass(frozen=True)
class Tokens:
    """A text's token ids and where each begins and ends in it."""

    text: str
    ids: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)

    def between(self, start: int, end: int) -> NDArray[np.int64]:
        """The ids of the tokens that begin in `text[start:end]`."""
        first, last = np.searchsorted(self.starts, (start, end))
        return self.ids[first:last]


@dataclass(frozen=True)
class Pair:
    """One sequence for the network, and the place where its claim begins."""

    ids: NDArray[np.int64]
    claim_at: int


class Pairing:
    """The model's own tokenizer, with the special tokens it puts around a pair."""

    def __init__(self, content: bytes) -> None:
        from tokenizers import Tokenizer

        try:
            self._tokenizer = Tokenizer.from_str(content.decode("utf-8"))
        except Exception as problem:  # the library raises plain Exception
            raise ModelError(f"tokenizer.json cannot be read: {problem}") from problem
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        probe = self._tokenizer.encode("a", "b")
        places = probe.sequence_ids
        if places.count(0) != 1 or places.count(1) != 1:
            raise ModelError("tokenizer.json does not tell the two texts of a pair apart")
        evidence, claim = places.index(0), places.index(1)
        self.before = np.asarray(probe.ids[:evidence], dtype=np.int64)
        self.between = np.asarray(probe.ids[evidence + 1 : claim], dtype=np.int64)
        self.after = np.asarray(probe.ids[claim + 1 :], dtype=np.int64)

    @property
    def specials(self) -> int:
        """How many tokens a pair has beyond those of its two texts."""
        return len(self.before) + len(self.between) + len(self.after)

    def tokens(self, text: str) -> Tokens:
        found = self._tokenizer.encode(_SURROGATE.sub("\ufffd", text), add_special_tokens=False)
        offsets = np.asarray(found.offsets, dtype=np.int64).reshape(-1, 2)
        # One character may give several tokens ("½" → "1", "⁄", "2"), but never one that begins before the last.
        return Tokens(text, np.asarray(found.ids, dtype=np.int64), np.maximum.accumulate(offsets[:, 0]), offsets[:, 1])

    def join(self, evidence: Sequence[int] | NDArray[np.int64], claim: NDArray[np.int64]) -> Pair:
        parts = [self.before, np.asarray(evidence, dtype=np.int64), self.between, claim, self.after]
        return Pair(np.concatenate(parts), sum(len(part) for part in parts[:3]))
