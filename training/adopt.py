"""A bundle taken up again: its rounded weights as the beginning of a run, when the run's own weights are gone.

python -m training adopt --size base --starts STARTS --out begin.pt [--bundle FOLDER]    # then: fit --begin begin.pt

Tables of words and places, their norm and the relative bias are never trained: the start has them unrounded.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch

from assay.encoder.bundle import WEIGHTS, Bundle, read_bundle
from assay.encoder.packed import unpack_weights
from training.fetch import START_OF
from training.masters import FROZEN
from training.network import SharedReader, from_start


def initialisers(bundle: Bundle) -> dict[str, np.ndarray]:
    """What both graphs hold, by name; packed matrices as numbers, inputs by outputs as the graph has them."""
    held = {
        tensor.name: onnx.numpy_helper.to_array(tensor)
        for name in ("body.onnx", "heads.onnx")
        for tensor in onnx.load_from_string(bundle.contents[name]).graph.initializer
        if tensor.data_location != onnx.TensorProto.EXTERNAL
    }
    if "weights.bin" in bundle.contents:
        entries = [{**entry, "into": "float32"} for entry in bundle.read_json("weights.json")["tensors"]]
        held |= unpack_weights({"tensors": entries}, bundle.contents["weights.bin"])
    return held


def trained_weights(bundle: Bundle, model: SharedReader) -> dict[str, torch.Tensor]:
    """Every trained tensor of a bundle in full precision, under the network's own names."""
    held, weights = initialisers(bundle), {}
    for name, parameter in model.named_parameters():
        if name.startswith(FROZEN):
            continue
        value = held.get(f"{name}_quantized", held.get(name))
        if value is None:
            raise SystemExit(f"{bundle.folder}: no {name} in its graphs; is it a bundle of this version?")
        if value.dtype == np.int8:
            value = value * held[f"{name}_scale"]
        if name.endswith(".weight") and value.ndim == 2:  # products in a graph want inputs by outputs
            value = value.T
        if value.shape != tuple(parameter.shape):
            raise SystemExit(f"{bundle.folder}: {name} is {value.shape}, the network wants {tuple(parameter.shape)}")
        weights[name] = torch.from_numpy(np.array(value, dtype=np.float32))
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=tuple(START_OF), required=True)
    parser.add_argument("--starts", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--bundle", type=Path, help="its folder (default: the shipped one of this size)")
    args = parser.parse_args()
    bundle = read_bundle(args.bundle or WEIGHTS / args.size)
    torch.save({"weights": trained_weights(bundle, from_start(args.starts / START_OF[args.size]))}, args.out)
    print(args.out)


if __name__ == "__main__":
    main()
