"""What a teacher says of each batch of a pass, kept for a student that meets the same batches.

A run keeps what its own network said of every batch before learning from it (`RUN/lessons`), which costs nothing;
`python -m training teach` asks a finished network.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor


@dataclass(frozen=True)
class Lesson:
    """Of one batch: verdict logits, sentence scores and word scores, as the network gives them."""

    logits: Tensor
    pointer: Tensor
    words: Tensor


def lessons_path(folder: Path, number: int) -> Path:
    return folder / f"pass{number}.pickle"


def read_lessons(folder: Path, number: int) -> list[Lesson]:
    """The lessons of a pass in the order of its batches; none where there is no file."""
    path = lessons_path(folder, number)
    return pickle.loads(path.read_bytes()) if path.exists() else []


def write_lessons(folder: Path, number: int, lessons: Sequence[Lesson]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    part = lessons_path(folder, number).with_suffix(".part")
    part.write_bytes(pickle.dumps(list(lessons)))
    part.replace(lessons_path(folder, number))
