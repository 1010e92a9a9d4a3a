"""The teacher's part of distillation: its scores for rows it has not scored while it was itself being trained."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from training.config import Config
from training.evaluate import predict_onnx
from training.shape import Shape
from training.train import Folders, encoded_stage

GRAPHS = {"base": "whole.onnx", "small": "model.onnx"}  # what `quantise` leaves in a run's folder
AT_ONCE = 2048  # rows between two savings


def teacher_size(run: Path) -> str:
    """Which size a quantised run has."""
    for size, graph in GRAPHS.items():
        if (run / graph).exists():
            return size
    raise SystemExit(f"{run}: a teacher speaks through its quantised graph, and there is none: run `quantise` on it")


def waiting_rows(scores: np.ndarray, count: int) -> list[int]:
    """Which of the first rows have no score yet.

    >>> waiting_rows(np.array([[0.1], [np.nan], [np.nan]]), 2)
    [1]
    """
    return np.flatnonzero(np.isnan(scores[:count, 0])).tolist()


def teach(config: Config, stage: str, folders: Folders, out: Path, count: int, trusted: int, threads: int = 2) -> None:
    """Fills `out` with a quantised run's scores of the first `count` rows of a stage.

    What the teacher said while learning is kept from row `trusted` on; earlier rows, scored when it knew little, are
    scored again. Goes on where it was stopped.
    """
    size = teacher_size(folders.run)
    start = folders.starts / config.recipe(size).start
    data = encoded_stage(stage, config, start, folders.streams)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{stage}.logits.npy"
    if path.exists():
        scores = np.load(path)
    else:
        scores = np.full((len(data), 3), np.nan, dtype=np.float16)
        spoken = folders.run / f"{stage}.logits.npy"
        if spoken.exists():
            scores[trusted:] = np.load(spoken)[trusted:]
    waiting = waiting_rows(scores, count)
    part = path.with_name(path.name + ".part.npy")
    for begin in range(0, len(waiting), AT_ONCE):
        rows = waiting[begin : begin + AT_ONCE]
        scores[rows] = predict_onnx(folders.run / GRAPHS[size], data, Shape.read(start).pad, threads, rows)
        np.save(part, scores)
        part.replace(path)
        print(f"{stage}: {begin + len(rows)} of {len(waiting)}", flush=True)
    if not waiting:
        np.save(path, scores)
