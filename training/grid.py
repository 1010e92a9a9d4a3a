"""The values that packed weights can take: a run that begins from a packed bundle learns on its grid.

Rounding full weights after training would lose most of what a short run has learnt: a step of four bits is larger than
nearly all of its changes. Here every forward pass sees rounded weights and the masters behind them gather the changes,
so that what is trained is what is shipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from training.pack import Grouped, read_grouped

FILES = ("grid.bin", "grid.json")  # in the run's folder, as the bundle's weights.bin and weights.json


@dataclass(frozen=True)
class Grid:
    """The groups of each packed matrix, by the network's own names; their scales stay as they are."""

    stored: Mapping[str, Grouped]

    @classmethod
    def read(cls, weights: Path, index: Path) -> Grid:
        return cls({own_name(inside): value for inside, value in read_grouped(weights, index).items()})

    @classmethod
    def of_run(cls, run: Path) -> Grid | None:
        """The grid a run was begun on, if any."""
        paths = [run / name for name in FILES]
        return cls.read(*paths) if all(path.exists() for path in paths) else None

    def codes(self, name: str, full: np.ndarray) -> np.ndarray:
        """The whole numbers nearest to full weights."""
        held = self.stored[name]
        low, high = -(1 << (held.bits - 1)), (1 << (held.bits - 1)) - 1
        groups = full.reshape(*held.scales.shape, held.group) / held.scales.astype(np.float32)[..., None]
        return np.clip(np.rint(groups, out=groups), low, high, out=groups).reshape(full.shape)

    def settled(self, name: str, full: np.ndarray) -> Grouped:
        """Full weights as they can be packed."""
        held = self.stored[name]
        return Grouped(self.codes(name, full), held.scales, held.bits, held.group)

    def scattered(self, name: str, dice: np.random.Generator) -> np.ndarray:
        """Full weights that settle on the stored ones, with the digits that rounding took away drawn by lot.

        Were they all in the middle of their step, nothing would change for a while and then much at once.
        """
        held = self.stored[name]
        steps = np.repeat(held.scales.astype(np.float32), held.group, axis=1)
        return held.values + steps * dice.uniform(-0.49, 0.49, held.codes.shape).astype(np.float32)


def own_name(inside: str) -> str:
    """What the network calls a matrix that the graph calls `inside`.

    >>> own_name("words.codes"), own_name("layers.0.q.weight_quantized")
    ('words.weight', 'layers.0.q.weight')
    """
    return "words.weight" if inside == "words.codes" else inside.removesuffix("_quantized")
