"""Bundles: a folder with the graph, the tokenizer, the calibration and a manifest that names and hashes them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import onnx

from training.config import Config
from training.fetch import STARTS, sha256_of
from training.graph import verifier_graph
from training.rows import LABELS
from training.shape import Shape

MAX_TOKENS = 384
PLAIN_CALIBRATION = {"temperature": 1.0, "isotonic": {label: [[0.0, 0.0], [1.0, 1.0]] for label in LABELS}}


def checkpoint_weights(start: Path, checkpoint: Path | None) -> dict[str, np.ndarray]:
    """All weights as float32: the start's, overlaid by what a run has trained."""
    import torch

    from training.model import load_start

    torch.manual_seed(0)
    state = {name: tensor.float() for name, tensor in load_start(start, 0.0).state_dict().items()}
    if checkpoint is not None:
        state |= torch.load(checkpoint, weights_only=True)["weights"]
    return {name: tensor.detach().numpy() for name, tensor in state.items()}


def export(start: Path, checkpoint: Path | None, path: Path, lean: bool) -> None:
    """Writes the full-precision graph."""
    path.parent.mkdir(parents=True, exist_ok=True)
    model = verifier_graph(Shape.read(start), checkpoint_weights(start, checkpoint), lean)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def slim_tokenizer(start: Path, path: Path) -> None:
    """The start's tokenizer without its own ideas of padding and truncation, which belong to the run time."""
    raw = json.loads((start / "tokenizer.json").read_text(encoding="utf-8"))
    raw["truncation"] = raw["padding"] = None
    path.write_text(json.dumps(raw, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def write_bundle(
    name: str, kind: str, files: dict[str, Path], start: Path, config: Config, out: Path, facts: dict
) -> Path:
    """The finished folder; `files` maps names inside the bundle to where they lie now."""
    out.mkdir(parents=True, exist_ok=True)
    for inside, path in files.items():
        if path.resolve() != (out / inside).resolve():
            shutil.copyfile(path, out / inside)
    slim_tokenizer(start, out / "tokenizer.json")
    if not (out / "calibration.json").exists():
        (out / "calibration.json").write_text(json.dumps(PLAIN_CALIBRATION))
    listed = sorted([*files, "tokenizer.json", "calibration.json"])
    manifest = {
        "name": name,
        "version": config.raw["version"],
        "format": kind,
        "files": {
            inside: {"sha256": sha256_of(out / inside), "bytes": (out / inside).stat().st_size} for inside in listed
        },
        "max_tokens": MAX_TOKENS,
        "labels": list(LABELS),
        "start": {"packages": list(STARTS[start.name].packages), "sha256": STARTS[start.name].sha256},
        "licence": "Apache-2.0",
        "config_sha256": config.sha256,
        **facts,
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2))
    return out
