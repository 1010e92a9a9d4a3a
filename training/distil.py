"""The teacher's part of distillation: its scores for rows it has not scored while it was itself being trained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from training import tiles
from training.config import Config
from training.encode import Encoded, rectangle
from training.lanes import Lanes
from training.model import load_start
from training.train import Folders, encoded_stage


def first_rows(data: Encoded, count: int) -> list[int]:
    return list(range(min(count, len(data))))


def teach(
    config: Config,
    stage: str,
    folders: Folders,
    out: Path,
    count: int,
    trusted: int,
    size: str = "base",
    threads: int = 2,
) -> None:
    """Fills `out` with scores of the first `count` rows of a stage.

    What the teacher said while learning is kept from row `trusted` on; earlier rows, scored when it knew little, are
    scored again. Goes on where it was stopped.
    """
    tiles.enable()
    torch.set_num_threads(threads)
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
    model = load_start(start, 0.0)
    model.load_state_dict(torch.load(folders.run / "checkpoint.pt", weights_only=True)["weights"], strict=False)
    lanes = Lanes(model.to(tiles.working_type()).eval(), threads)
    waiting = [n for n in first_rows(data, count) if np.isnan(scores[n, 0])]
    lengths = data.lengths

    def run_batch(replica, numbers) -> None:
        with torch.inference_mode():
            batch = rectangle(data, numbers, replica.shape.pad)
            parts = (torch.from_numpy(part) for part in (batch.ids, batch.present, batch.segments))
            scores[batch.rows] = replica(*parts).numpy()

    for begin in range(0, len(waiting), 2048):
        part = sorted(waiting[begin : begin + 2048], key=lambda n: lengths[n])
        lanes.each(run_batch, [part[n : n + 16] for n in range(0, len(part), 16)])
        np.save(path.with_name(path.name + ".part.npy"), scores)
        path.with_name(path.name + ".part.npy").replace(path)
        print(f"{stage}: {begin + len(part)} of {len(waiting)}", flush=True)
    if not waiting:
        np.save(path, scores)
