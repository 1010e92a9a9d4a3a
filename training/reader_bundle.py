"""A checkpoint of the shared reader as a folder that the run time reads.

python -m training.reader_bundle CHECKPOINT OUT --starts STARTS --size base
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch

from training.export import MAX_TOKENS, PLAIN_CALIBRATION, slim_tokenizer
from training.fetch import STARTS, sha256_of
from training.network import from_start
from training.reader_graph import body_graph, heads_graph
from training.rows import LABELS
from training.shape import Shape

START_OF = {"base": "mpnet", "small": "minilm"}


def weights_of(start: Path, checkpoints: Sequence[Path]) -> dict[str, np.ndarray]:
    """The start's weights overlaid by the mean of what some checkpoints have trained."""
    state = {name: tensor.float() for name, tensor in from_start(start).state_dict().items()}
    trained = [torch.load(path, weights_only=True, mmap=True)["weights"] for path in checkpoints]
    for name in trained[0]:
        state[name] = sum(one[name].float() for one in trained) / len(trained)
    return {name: tensor.detach().numpy() for name, tensor in state.items()}


def write(weights: dict[str, np.ndarray], start: Path, size: str, out: Path, facts: dict) -> None:
    """Graphs in eight bits, tokenizer, calibration, manifest."""
    out.mkdir(parents=True, exist_ok=True)
    shape = Shape.read(start)
    onnx.save(body_graph(shape, weights, eight_bits=True), out / "body.onnx")
    onnx.save(heads_graph(shape, weights), out / "heads.onnx")
    slim_tokenizer(start, out / "tokenizer.json")
    (out / "calibration.json").write_text(json.dumps(PLAIN_CALIBRATION))
    files = ("body.onnx", "heads.onnx", "tokenizer.json", "calibration.json")
    manifest = {
        "name": size,
        "version": "0.2.0",
        "format": "shared",
        "files": {name: {"sha256": sha256_of(out / name), "bytes": (out / name).stat().st_size} for name in files},
        "max_tokens": MAX_TOKENS,
        "labels": list(LABELS),
        "start": {"packages": list(STARTS[start.name].packages), "sha256": STARTS[start.name].sha256},
        "licence": "Apache-2.0",
        **facts,
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoints", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--starts", type=Path, required=True)
    parser.add_argument("--size", choices=tuple(START_OF), required=True)
    args = parser.parse_args()
    start = args.starts / START_OF[args.size]
    write(weights_of(start, args.checkpoints), start, args.size, args.out, {})


if __name__ == "__main__":
    main()
