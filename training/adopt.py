"""A shipped bundle taken up again: its rounded weights as the beginning of a new run, when the run's own are gone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import torch

from training.grid import FILES, Grid
from training.masters import FROZEN
from training.model import Verifier, load_start


def restored_weights(graph: Path, model: Verifier, grid: Grid | None = None, seed: int = 0) -> dict[str, torch.Tensor]:
    """Every trained tensor of a quantised graph in full precision, under the network's own names.

    What the graph leaves to packed weights comes from their grid, with the digits it lost drawn by lot.
    """
    inside = onnx.load(graph, load_external_data=False).graph.initializer
    held = {
        tensor.name: onnx.numpy_helper.to_array(tensor)
        for tensor in inside
        if tensor.data_location != onnx.TensorProto.EXTERNAL
    }
    dice = np.random.default_rng(seed)
    weights = {}
    for name, parameter in model.named_parameters():
        if name.startswith(FROZEN):
            continue  # never trained, so the start has them unrounded
        if name == "shared":  # weights from before there were marks begin with none
            value = held.get(name, np.zeros(parameter.shape))
        elif grid is not None and name in grid.stored:
            value = grid.scattered(name, dice)
        elif f"{name}_quantized" in held:
            codes = held[f"{name}_quantized"].astype(np.float32)
            value = ((codes - held[f"{name}_zero_point"]) * held[f"{name}_scale"]).T
        else:
            value = held[name].T if parameter.dim() == 2 else held[name]
        if value.shape != tuple(parameter.shape):
            raise SystemExit(f"{graph}: {name} has shape {value.shape}, the network wants {tuple(parameter.shape)}")
        weights[name] = torch.from_numpy(np.array(value, dtype=np.float32))
    return weights


def adopt(graph: Path, start: Path, checkpoint: Path, seed: int) -> None:
    """Writes a checkpoint from which a run with a plan of its own begins; what the optimiser knew is lost.

    `before.json` beside it keeps which rows the weights have learnt from, for the manifest of what comes of them.
    """
    if checkpoint.exists():
        raise SystemExit(f"{checkpoint} exists: a run that has begun is not begun anew; name another with --run")
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    told = json.loads(graph.with_name("manifest.json").read_text())
    (checkpoint.parent / "before.json").write_text(json.dumps(told["trained_on"]))
    if told["format"] == "packed":
        for name, kept in zip(("weights.bin", "weights.json"), FILES, strict=True):
            shutil.copyfile(graph.with_name(name), checkpoint.parent / kept)
    weights = restored_weights(graph, load_start(start, 0.0), Grid.of_run(checkpoint.parent), seed)
    torch.save({"weights": weights, "place": {}}, checkpoint)
