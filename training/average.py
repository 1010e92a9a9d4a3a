"""The mean of two sets of weights: a run and what it began from, which forgets less than the run alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import torch

from training.adopt import restored_weights
from training.grid import FILES, Grid
from training.model import load_start


def average(graph: Path, start: Path, second: Path, share: float, out: Path, seed: int) -> None:
    """Writes a run whose weights are those of a shipped graph and, by `share`, those of the run that grew out of it."""
    grid, packed = second / FILES[0], graph.with_name("weights.bin")
    if grid.exists() and grid.read_bytes() != packed.read_bytes():  # the matrices would be those of another bundle
        raise SystemExit(f"{second} did not grow out of {graph}: name the bundle that it began from with --graph")
    old = restored_weights(graph, load_start(start, 0.0), Grid.of_run(second), seed)
    new = torch.load(second / "checkpoint.pt", weights_only=True)
    missing = old.keys() ^ new["weights"].keys()
    if missing:
        raise SystemExit(f"{graph} and {second} are not the same network: {sorted(missing)[0]} is in one of them only")
    mixed = {name: (1 - share) * old[name] + share * new["weights"][name].float() for name in old}
    out.mkdir(parents=True, exist_ok=True)
    for kept in ("plan.json", "before.json", *FILES):
        if (second / kept).exists():
            shutil.copyfile(second / kept, out / kept)
    torch.save({"weights": mixed, "place": new["place"]}, out / "checkpoint.pt")
