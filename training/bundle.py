"""A checkpoint, or the mean of several, as a folder that the run time reads.

python -m training bundle CHECKPOINT... --out FOLDER --starts STARTS --size base [--bits 4 --watch ROWS] [--facts FILE]
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch

from training.batches import Batch, plain, rectangle
from training.blocks import EncodedBlock
from training.close import CloseReader, close_claims, close_rectangle
from training.fetch import START_OF, STARTS, sha256_of
from training.fit import load
from training.graph import body_graph, heads_graph, hollow
from training.lowbit import Grouped, compress, initialiser_names, write_packed
from training.network import SharedReader, from_start
from training.rows import LABELS
from training.shape import Shape

READER = re.compile(r"layers\.\d+\.(?:q|o|up|down)")  # the key and the value read what the query reads
GROUP, TABLE_GROUP = 96, 128  # weights that share a scale; with 64 base would be 0.9 MB larger
WATCHED = 96  # blocks whose activations guide the rounding
WATCHED_CLOSELY = 20  # blocks read closely: each claim is a sequence of its own, so a block has far more tokens


def weights_of(start: Path, checkpoints: Sequence[Path]) -> dict[str, np.ndarray]:
    """The start's weights overlaid by the mean of what some checkpoints have trained."""
    state = {name: tensor.float() for name, tensor in from_start(start).state_dict().items()}
    trained = [torch.load(path, weights_only=True, mmap=True)["weights"] for path in checkpoints]
    for name in trained[0]:
        state[name] = sum(one[name].float() for one in trained) / len(trained)
    return {name: tensor.detach().numpy() for name, tensor in state.items()}


def input_moments(model: SharedReader, batches: Iterable[Batch]) -> dict[str, np.ndarray]:
    """The mean of x xᵀ over some batches, under the name of the first matrix that reads x."""
    sums: dict[str, torch.Tensor] = {}
    real: list[torch.Tensor | slice] = []

    def watch(name: str):
        def hook(module: torch.nn.Module, given: tuple[torch.Tensor, ...]) -> None:
            x = given[0].detach().float()[real[0]]
            sums[name] = sums.get(name, 0) + x.T @ x / len(x)

        return hook

    parts = [(name, part) for name, part in model.named_modules() if READER.fullmatch(name)]
    handles = [part.register_forward_pre_hook(watch(name)) for name, part in parts]
    count = 0
    with torch.inference_mode():
        for batch in batches:
            real[:] = [batch.segment >= 0 if batch.evidence else slice(None)]  # close readings come without padding
            model(batch)
            count += 1
    for handle in handles:
        handle.remove()
    return {name: (total / count).numpy() for name, total in sums.items()}


def some(blocks: Sequence[EncodedBlock], count: int) -> Sequence[EncodedBlock]:
    """About so many blocks, evenly spread."""
    return blocks[:: max(1, len(blocks) // count)]


def slim_tokenizer(start: Path, path: Path) -> None:
    """The start's tokenizer without its own ideas of padding and truncation, which belong to the run time."""
    raw = json.loads((start / "tokenizer.json").read_text(encoding="utf-8"))
    raw["truncation"] = raw["padding"] = None
    path.write_text(json.dumps(raw, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def write(
    weights: dict[str, np.ndarray],
    start: Path,
    size: str,
    out: Path,
    facts: dict,
    stored: Mapping[str, Grouped],
    finder: str | None = None,
) -> None:
    """Graphs in eight bits, tokenizer, calibration, manifest; `stored` matrices are packed beside the graph.

    `facts` go into the manifest as "trained_on".
    """
    out.mkdir(parents=True, exist_ok=True)
    shape = Shape.read(start)
    seen = weights | {name: packed.values for name, packed in stored.items()}  # as the run time will see them
    body = body_graph(shape, seen, eight_bits=True, finds=finder in (None, size))
    files = ["body.onnx", "heads.onnx", "tokenizer.json", "calibration.json"]
    if stored:
        hollow(body, [inside for name in stored for inside in initialiser_names(name)])
        write_packed(stored, out / "weights.bin", out / "weights.json")
        files += ["weights.bin", "weights.json"]
    onnx.save(body, out / "body.onnx")
    onnx.save(heads_graph(shape, weights), out / "heads.onnx")
    slim_tokenizer(start, out / "tokenizer.json")
    (out / "calibration.json").write_text(json.dumps({"temperature": 1.0}))
    manifest = {
        "name": size,
        "version": "0.2.0",
        "format": "shared-packed" if stored else "shared",
        "files": {name: {"sha256": sha256_of(out / name), "bytes": (out / name).stat().st_size} for name in files},
        "labels": list(LABELS),
        "start": {"packages": list(STARTS[start.name].packages), "sha256": STARTS[start.name].sha256},
        "licence": "Apache-2.0",
        **({"finder": finder} if finder else {}),
        **({"trained_on": facts} if facts else {}),
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoints", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--starts", type=Path, required=True)
    parser.add_argument("--size", choices=tuple(START_OF), required=True)
    parser.add_argument("--bits", type=int, choices=range(2, 9), default=8, help="of a packed weight; 8: not packed")
    parser.add_argument("--watch", type=Path, help="written rows whose activations guide the rounding to few bits")
    parser.add_argument("--finder", help="claims are read with the sentences that this model points to (`close` runs)")
    parser.add_argument("--facts", type=Path, help='JSON file that becomes "trained_on" of the manifest')
    args = parser.parse_args()
    if args.bits < 8 and args.watch is None:
        parser.error("--bits below 8 needs --watch FILE: rows whose activations guide the rounding")
    facts = json.loads(args.facts.read_text(encoding="utf-8")) if args.facts else {}
    start = args.starts / START_OF[args.size]
    weights = weights_of(start, args.checkpoints)
    stored: dict[str, Grouped] = {}
    if args.bits < 8:
        model = CloseReader(Shape.read(start)).eval()
        model.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})
        blocks = load([args.watch], start, args.out.parent / "encoded")
        pad = model.shape.pad
        batches: list[Batch] = []
        if args.finder in (None, args.size):
            batches += [rectangle([plain(block)], pad) for block in some(blocks, WATCHED)]
        if args.finder:
            batches += [close_rectangle(close_claims(plain(block)), pad) for block in some(blocks, WATCHED_CLOSELY)]
        moments = input_moments(model, batches)
        stored = compress(weights, moments, args.bits, GROUP, TABLE_GROUP)
    write(weights, start, args.size, args.out, facts, stored, args.finder)


if __name__ == "__main__":
    main()
