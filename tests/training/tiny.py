"""Tiny starts: folders like those that `python -m training fetch` makes, with random weights."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
from safetensors.torch import save_file  # noqa: E402

from tests.encoder.tiny import TOKENIZER, random_weights, tiny_shape  # noqa: E402
from training.network import from_start, published_names  # noqa: E402

START_OF = {"bert": "minilm", "mpnet": "mpnet"}
SIZE_OF = {"bert": "small", "mpnet": "base"}
EVIDENCE = "# Mill\nThe mill opened in 1900. It closed in 1950.\n\n# Bridge\nThe bridge was built in 1889."


def make_start(folder: Path, kind: str) -> Path:
    """`folder` with a start of this kind under its own name."""
    start = folder / START_OF[kind]
    start.mkdir(parents=True)
    shape = tiny_shape(kind)
    config = {
        "model_type": kind,
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.inner,
        "max_position_embeddings": shape.positions,
        "layer_norm_eps": shape.epsilon,
    }
    (start / "config.json").write_text(json.dumps(config))
    (start / "tokenizer.json").write_text(TOKENIZER.to_str())
    weights = random_weights(shape, seed=4)
    weights["segments.weight"] = weights["role"]
    tensors = {theirs: torch.from_numpy(weights[ours]) for ours, theirs in published_names(shape).items()}
    save_file(tensors, start / "model.safetensors")
    return start


def make_checkpoint(path: Path, start: Path, kind: str) -> dict[str, torch.Tensor]:
    """A checkpoint of everything that is trained, with random weights, and these."""
    frozen = ("words.", "places.", "bias.", "norm.")
    weights = random_weights(tiny_shape(kind), seed=5)
    trained = {
        name: torch.from_numpy(weights[name])
        for name, _ in from_start(start).named_parameters()
        if not name.startswith(frozen)
    }
    torch.save({"weights": trained}, path)
    return trained


def write_rows(path: Path) -> Path:
    claims = [("The mill opened in 1900.", "SUPPORTED"), ("The mill closed in 1953.", "REFUTED")]
    rows = [{"premise": EVIDENCE, "hypothesis": text, "label": label, "source": "test"} for text, label in claims]
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path
