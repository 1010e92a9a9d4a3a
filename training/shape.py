"""The dimensions of a network, as the published config.json of its start states them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

POINTER_WIDTH = 128  # of the vectors in which a claim's tokens are compared with those of the evidence
SHARPNESS = 20.0  # of the pointer at first: how much a better match counts
MARKS = 4  # of a claim's token: the evidence lacks it, has it, has it with one of its neighbours, with both
FARTHEST = 128  # distance from which MPNet's relative bias no longer grows
FAR = 15  # MPNet's bucket of the farthest words before a token: what evidence is to a claim


@dataclass(frozen=True)
class Shape:
    """What the published config.json says about a starting model."""

    kind: str
    vocabulary: int
    width: int
    layers: int
    heads: int
    inner: int
    positions: int
    epsilon: float
    pad: int
    relative_buckets: int = 0

    @classmethod
    def read(cls, folder: Path) -> Shape:
        raw = json.loads((folder / "config.json").read_text())
        mpnet = raw["model_type"] == "mpnet"
        return cls(
            kind="mpnet" if mpnet else "bert",
            vocabulary=raw["vocab_size"],
            width=raw["hidden_size"],
            layers=raw["num_hidden_layers"],
            heads=raw["num_attention_heads"],
            inner=raw["intermediate_size"],
            positions=raw["max_position_embeddings"],
            epsilon=raw["layer_norm_eps"],
            pad=1 if mpnet else 0,
            relative_buckets=raw.get("relative_attention_num_buckets", 32) if mpnet else 0,
        )
