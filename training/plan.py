"""What a run intends to do, where it stands, and the learning rate that follows from both."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from training.config import Recipe


@dataclass(frozen=True)
class Plan:
    """The stages in order, the examples each gives, and after how many examples dev is scored.

    Read again every minute, so that an end can be moved while the run goes on.
    """

    stages: tuple[tuple[str, int], ...]
    evaluate_every: int
    frozen_layers: int | None = None  # from the first to the last row; None: as long as the recipe says

    @classmethod
    def read(cls, path: Path) -> Plan:
        raw = json.loads(path.read_text())
        return cls(
            tuple((name, count) for name, count in raw["stages"]), raw["evaluate_every"], raw.get("frozen_layers")
        )

    @property
    def total(self) -> int:
        return sum(count for _, count in self.stages)


@dataclass
class Place:
    """Stage, batch within it, examples seen within it and over all stages, and seconds spent."""

    stage: int = 0
    batch: int = 0
    in_stage: int = 0
    seen: int = 0
    seconds: float = 0.0

    def advance(self, batches: int, examples: int, seconds: float) -> None:
        self.batch += batches
        self.in_stage += examples
        self.seen += examples
        self.seconds += seconds

    def next_stage(self) -> None:
        self.stage, self.batch, self.in_stage = self.stage + 1, 0, 0


def rate_factor(seen: int, total: int, recipe: Recipe) -> float:
    """Of the peak learning rate: a rise, a plateau, and a fall that ends with the plan.

    A plateau lets the end be moved: only the last share of the plan depends on where it is.
    """
    rise = (seen + 1) / recipe.warm_up
    fall = (total - seen) / (recipe.decay * total)
    return max(0.0, min(1.0, rise, fall))
