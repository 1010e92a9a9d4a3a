"""Tiny verifiers with random weights, as folders that are loaded like the shipped ones."""

from __future__ import annotations

import hashlib
import json
import string
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORDS = """
    the a of in is was it to and on at not mill opened closed basic pro plan per month priced monthly visitors cannot
    take pictures inside photography forbidden paris capital france fact question sentence stands here
"""
LETTERS = string.ascii_lowercase + string.digits
PUNCTUATION = ".,:;!?$%-|()'"
VOCABULARY = (*SPECIALS, *WORDS.split(), *LETTERS, *(f"##{letter}" for letter in LETTERS), *PUNCTUATION)


def make_tokenizer() -> Tokenizer:
    """Words of a few pieces, lower-cased, as the shipped ones: a word that is not in the list is spelled."""
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(VOCABULARY))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.add_special_tokens(list(SPECIALS))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


TOKENIZER = make_tokenizer()


def write_manifest(folder: Path, form: str = "shared", **changes: object) -> None:
    files = {
        file.name: {"sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "bytes": file.stat().st_size}
        for file in sorted(folder.iterdir())
        if file.name != "manifest.json"
    }
    manifest = {
        "name": "tiny",
        "version": "1",
        "format": form,
        "files": files,
        "labels": ["SUPPORTED", "REFUTED", "INSUFFICIENT"],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest | changes))


def tiny_shape(kind: str):
    pytest.importorskip("onnx")
    from training.shape import Shape

    return Shape(kind, TOKENIZER.get_vocab_size(), 16, 2, 2, 32, 514, 1e-5, 0, 32 if kind == "mpnet" else 0)


def random_weights(shape, seed: int = 0) -> dict[str, np.ndarray]:
    from training.shape import POINTER_WIDTH

    dice = np.random.default_rng(seed)
    width = shape.width
    sizes = {
        "words.weight": (shape.vocabulary, width),
        "places.weight": (shape.positions, width),
        "role": (2, width),
        "shared": (4, width),
        "ask.weight": (POINTER_WIDTH, width),
        "offer.weight": (POINTER_WIDTH, width),
        "hidden.weight": (width, 3 * width),
        "out.weight": (3, width),
        "wording.weight": (1, width),
    }
    if shape.relative_buckets:
        sizes["bias.weight"] = (shape.relative_buckets, shape.heads)
    for number in range(shape.layers):
        for name, (rows, columns) in {
            "q": (width, width),
            "k": (width, width),
            "v": (width, width),
            "o": (width, width),
            "up": (shape.inner, width),
            "down": (width, shape.inner),
        }.items():
            sizes[f"layers.{number}.{name}.weight"] = (rows, columns)
    weights: dict[str, np.ndarray] = {
        name: dice.normal(0, 0.3, size).astype(np.float32) for name, size in sizes.items()
    }
    for name in [
        name for name in weights if name.endswith(".weight") and name.split(".")[0] not in ("words", "places", "bias")
    ]:
        weights[name.replace(".weight", ".bias")] = dice.normal(0, 0.1, weights[name].shape[0]).astype(np.float32)
    weights["sharpness"] = np.array([20.0], dtype=np.float32)
    for name in ["norm", *(f"layers.{n}.norm{k}" for n in range(shape.layers) for k in (1, 2))]:
        weights[f"{name}.weight"], weights[f"{name}.bias"] = np.ones(width, np.float32), np.zeros(width, np.float32)
    return weights


def make_folder(
    folder: Path,
    kind: str = "bert",
    *,
    weights: dict[str, np.ndarray] | None = None,
    eight_bits: bool = True,
    calibration: dict[str, object] | None = None,
    **changes: object,
) -> Path:
    """A bundle of the form "shared"; `changes` are of its manifest."""
    shape = tiny_shape(kind)
    from training.graph import body_graph, heads_graph

    weights = random_weights(shape) if weights is None else weights
    folder.mkdir()
    (folder / "body.onnx").write_bytes(body_graph(shape, weights, eight_bits=eight_bits).SerializeToString())
    (folder / "heads.onnx").write_bytes(heads_graph(shape, weights, eight_bits=eight_bits).SerializeToString())
    (folder / "tokenizer.json").write_text(TOKENIZER.to_str())
    (folder / "calibration.json").write_text(json.dumps(calibration or {"temperature": 1.0, "isotonic": {}}))
    write_manifest(folder, **changes)
    return folder


def make_broken_folder(folder: Path) -> Path:
    """A bundle whose numbers are impossible."""
    shape = tiny_shape("bert")
    weights = random_weights(shape)
    weights["norm.weight"][:] = np.nan
    return make_folder(folder, weights=weights, eight_bits=False)


def make_packed_folder(folder: Path, plain: Path, *names: str) -> None:
    """The same random network twice: with the named matrices packed in four bits, and plain with what that left."""
    shape = tiny_shape("bert")
    import onnx

    from training.graph import hollow
    from training.lowbit import Grouped, initialiser_names, write_packed

    dice = np.random.default_rng(3)
    weights = random_weights(shape)
    stored = {}
    for name in names:
        rows, columns = weights[name].shape
        codes = dice.integers(-8, 8, (rows, columns)).astype(np.int8)
        stored[name] = Grouped(codes, dice.uniform(0.02, 0.1, (rows, columns // 8)).astype(np.float16), 4, 8)
        weights[name] = stored[name].values
    make_folder(plain, weights=weights)
    make_folder(folder, weights=weights)
    body = onnx.load(folder / "body.onnx")
    hollow(body, [inside for name in stored for inside in initialiser_names(name)])
    (folder / "body.onnx").write_bytes(body.SerializeToString())
    write_packed(stored, folder / "weights.bin", folder / "weights.json")
    write_manifest(folder, "shared-packed")
