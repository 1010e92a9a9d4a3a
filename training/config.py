"""The one config file that drives every step."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path

from training.mix import Share


@dataclass(frozen=True)
class Recipe:
    """How one size is trained."""

    start: str
    dropout: float
    batch_tokens: int
    batches_a_step: int
    chunk: int
    body_rate: float
    head_rate: float
    weight_decay: float
    smoothing: float
    clip: float
    warm_up: int
    decay: float
    frozen_layers: int
    thaw: int
    most_rows: int
    lean: bool  # the last layer works for the first token alone: a seventh of the time of six layers


@dataclass(frozen=True)
class Lesson:
    """How a student weighs its teacher's scores."""

    temperature: float
    share: float


@dataclass(frozen=True)
class Fit:
    """How the line that gives a pair its temperature is fitted."""

    ridge: float
    gap: float
    steps: int


@dataclass(frozen=True)
class Config:
    """The parsed file and its hash."""

    raw: dict
    sha256: str

    @classmethod
    def read(cls, path: Path) -> Config:
        content = path.read_bytes()
        return cls(tomllib.loads(content.decode()), hashlib.sha256(content).hexdigest())

    @property
    def seed(self) -> int:
        return self.raw["seed"]

    def recipe(self, size: str) -> Recipe:
        return Recipe(**{name: self.raw[size][name] for name in Recipe.__dataclass_fields__})

    @property
    def lesson(self) -> Lesson:
        return Lesson(**self.raw["distillation"])

    @property
    def fit(self) -> Fit:
        return Fit(**{name: self.raw["calibration"][name] for name in Fit.__dataclass_fields__})

    def fresh(self, count: int) -> dict[str, tuple[Share, str]]:
        """Rows of training files that no stage has taken, for calibration, and the measure of each set."""
        found = {}
        for name, entry in self.raw["calibration"]["fresh"].items():
            told = self.raw["sets"][name]
            share = Share(tuple(told["files"]), count, entry["after"], told.get("skew", 2.0))
            found[name] = (share, entry["measure"])
        return found

    def share(self, name: str, stage: str) -> Share:
        """The part of a labelled set that a stage uses; the first three begin where those before them stopped."""
        entry = self.raw["sets"][name]
        warm, take = entry["warm"], entry["take"]
        used = round(take * self.raw["main"]["share"])
        pairs, again, deep, deeper = (entry.get(part, 0) for part in ("pairs", "again", "deep", "deeper"))
        places = {
            "warm": (warm, 0),
            "main": (take, warm),
            "more": (take, warm + used),
            "pairs": (pairs, warm),
            "again": (again, -again),  # from the end, where the rows are that were seen least
            "deep": (deep, -deep),
            "deeper": (deeper, -deep - deeper),
        }
        for later in ("wide", "further", "mended"):
            places[later] = (entry.get(later, 0), self.raw[later].get(f"{name}_after", 0))
        size, skip = places[stage]
        soften = stage == "more" and entry.get("soften", False)
        doubt = stage in ("further", "mended") and entry.get("doubt", False)
        return Share(tuple(entry["files"]), size, skip, entry.get("skew", 2.0), soften, doubt)
