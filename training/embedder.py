"""How the shipped sentence encoders were made: all-MiniLM-L6-v2 as int8 ONNX, and a token table distilled from it.

    python -m training.embedder --start FOLDER --counts ROWS.jsonl.gz --out OUT

`minilm` is the published network with mean pooling, its matrices and embeddings in int8. `static` runs the network over
every word piece of the vocabulary on its own, keeps the directions that vary most and weighs each piece by how rare it
is: a text is then the mean of its pieces, without running any network.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from training.network import Layer, start_weights
from training.rows import read_json
from training.shape import Shape

ORIGIN = "sentence-transformers/all-MiniLM-L6-v2"
LICENCE = "Apache-2.0"
STATIC_WIDTH = 256
RARITY = 1e-3  # a of a / (a + p): the usual value for smooth inverse frequency


class SentenceLayer(Layer):
    """A layer in which every token looks at all others of its text."""

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, _, width = x.shape

        def split(y: Tensor) -> Tensor:
            return y.view(batch, -1, self.heads, width // self.heads).transpose(1, 2)

        q, k, v = split(self.q(x) * (width // self.heads) ** -0.5), split(self.k(x)), split(self.v(x))
        mixed = ((q @ k.transpose(-1, -2) + mask).softmax(-1) @ v).transpose(1, 2).reshape(batch, -1, width)
        return self.finish(x, mixed)


class SentenceEncoder(nn.Module):
    """A BERT-shaped network, the mean of its tokens, length one."""

    def __init__(self, start: Path) -> None:
        super().__init__()
        shape = Shape.read(start)
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.segments = nn.Embedding(2, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.layers = nn.ModuleList(SentenceLayer(shape) for _ in range(shape.layers))
        self.load_state_dict(start_weights(start))

    def forward(self, ids: Tensor, present: Tensor) -> Tensor:
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.places(places) + self.segments(torch.zeros_like(ids)))
        mask = (1.0 - present.to(x.dtype))[:, None, None, :] * -1e4
        for layer in self.layers:
            x = layer(x, mask)
        weight = present.to(x.dtype)[:, :, None]
        return functional.normalize((x * weight).sum(1) / weight.sum(1), dim=-1)


def export_network(encoder: SentenceEncoder, tokenizer: Path, out: Path, **told: object) -> None:
    """Writes the network in int8 with its tokenizer and manifest."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    out.mkdir(parents=True, exist_ok=True)
    plain = out / "plain.onnx"
    ids = torch.randint(1000, 2000, (2, 12))
    torch.onnx.export(
        encoder,
        (ids, torch.ones_like(ids)),
        str(plain),
        input_names=["ids", "present"],
        output_names=["vector"],
        dynamic_axes={"ids": {0: "batch", 1: "length"}, "present": {0: "batch", 1: "length"}, "vector": {0: "batch"}},
        opset_version=17,
        dynamo=False,
    )
    quantize_dynamic(plain, out / "model.onnx", weight_type=QuantType.QInt8, per_channel=True, reduce_range=False)
    plain.unlink()
    shutil.copyfile(tokenizer, out / "tokenizer.json")
    write_manifest(out, kind="network", width=384, **told)


def export_table(encoder: SentenceEncoder, tokenizer: Path, counts: Counter[int], out: Path) -> None:
    """Writes `static`: one int8 row and one scale for each word piece."""
    out.mkdir(parents=True, exist_ok=True)
    pieces = Tokenizer.from_file(str(tokenizer))
    size = pieces.get_vocab_size()
    first, last = pieces.token_to_id("[CLS]"), pieces.token_to_id("[SEP]")
    rows = []
    with torch.inference_mode():
        for start in range(0, size, 1024):
            ids = torch.tensor([[first, piece, last] for piece in range(start, min(start + 1024, size))])
            rows.append(encoder(ids, torch.ones_like(ids)).numpy())
    table = np.concatenate(rows).astype(np.float64)
    table -= table.mean(0)
    _, _, directions = np.linalg.svd(table, full_matrices=False)
    table = table @ directions[:STATIC_WIDTH].T
    total = sum(counts.values()) + size
    share = np.array([(counts[piece] + 1) / total for piece in range(size)])
    table *= (RARITY / (RARITY + share))[:, None]
    for name in ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"):
        table[pieces.token_to_id(name)] = 0
    scale = np.abs(table).max(1, keepdims=True) / 127 + 1e-12
    np.savez(out / "table.npz", rows=np.round(table / scale).astype(np.int8), scale=scale[:, 0].astype(np.float32))
    shutil.copyfile(tokenizer, out / "tokenizer.json")
    write_manifest(out, kind="table", width=STATIC_WIDTH)


def write_manifest(folder: Path, kind: str, width: int, **told: object) -> None:
    files = {
        path.name: {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "bytes": path.stat().st_size}
        for path in sorted(folder.iterdir())
        if path.name != "manifest.json"
    }
    card = {
        "name": folder.name,
        "kind": kind,
        "width": width,
        "origin": ORIGIN,
        "licence": LICENCE,
        "made_by": "python -m training.embedder",
        **told,
        "files": files,
    }
    (folder / "manifest.json").write_text(json.dumps(card, indent=2) + "\n")


def count_pieces(tokenizer: Path, texts: Iterable[str]) -> Counter[int]:
    pieces = Tokenizer.from_file(str(tokenizer))
    pieces.no_padding()
    counts: Counter[int] = Counter()
    batch = list(texts)
    for start in range(0, len(batch), 2000):
        for encoded in pieces.encode_batch(batch[start : start + 2000], add_special_tokens=False):
            counts.update(encoded.ids)
    return counts


def premises(paths: list[Path]) -> Iterable[str]:
    for path in paths:
        for row in read_json(path):
            yield row["premise"]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--start", type=Path, required=True, help="folder with the published weights")
    arguments.add_argument("--counts", type=Path, required=True, nargs="+", help="training rows for word-piece counts")
    arguments.add_argument("--out", type=Path, required=True, help="folder for `static` and `minilm`")
    chosen = arguments.parse_args()
    tokenizer = chosen.start / "tokenizer.json"
    encoder = SentenceEncoder(chosen.start).eval()
    export_table(encoder, tokenizer, count_pieces(tokenizer, premises(chosen.counts)), chosen.out / "static")
    export_network(encoder, tokenizer, chosen.out / "minilm")


if __name__ == "__main__":
    main()
