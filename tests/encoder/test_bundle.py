from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from assay.encoder import Verifier
from assay.encoder.packed import pack_codes
from assay.errors import ModelError, UsageError
from tests.encoder.conftest import DATA, Maker, write_manifest


def flip_a_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json", "calibration.json"])
def test_one_flipped_byte_is_refused_and_named(make_bundle: Maker, file: str) -> None:
    folder = make_bundle()
    flip_a_byte(folder / file)
    with pytest.raises(ModelError, match=rf"{file} is damaged: its sha256 .* install Assay again"):
        Verifier.load(folder)


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json", "calibration.json", "manifest.json"])
def test_a_missing_file_is_named(make_bundle: Maker, file: str) -> None:
    folder = make_bundle()
    (folder / file).unlink()
    with pytest.raises(ModelError, match=f"{file} is missing"):
        Verifier.load(folder)


def test_a_cut_file_is_named_with_both_sizes(make_bundle: Maker) -> None:
    folder = make_bundle()
    content = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(content[:-10])
    with pytest.raises(ModelError, match=f"model.onnx has {len(content) - 10} bytes, the manifest says {len(content)}"):
        Verifier.load(folder)


def test_a_truncated_manifest_is_named(make_bundle: Maker) -> None:
    path = make_bundle() / "manifest.json"
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ModelError, match=r"manifest\.json is no valid JSON"):
        Verifier.load(path.parent)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "onnx-int4"}, "garbles 'onnx-int4'"),
        ({"labels": ["SUPPORTED", "REFUTED", "MAYBE"]}, "lists the labels"),
        ({"max_tokens": 8}, "max_tokens is 8"),
        ({"files": {}}, "garbles 'tokenizer.json'"),
    ],
)
def test_an_impossible_manifest_says_what_is_wrong(
    make_bundle: Maker, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        Verifier.load(make_bundle(**changes))


def test_a_file_that_is_no_model_is_refused_although_its_hash_fits(make_bundle: Maker) -> None:
    folder = make_bundle()
    (folder / "model.onnx").write_bytes(b"no model at all")
    write_manifest(folder)
    with pytest.raises(ModelError, match="onnxruntime refuses"):
        Verifier.load(folder)


def test_a_tokenizer_that_is_none_is_refused(make_bundle: Maker) -> None:
    folder = make_bundle()
    (folder / "tokenizer.json").write_text("{}")
    write_manifest(folder)
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read"):
        Verifier.load(folder)


def test_a_failed_load_is_tried_again_once_the_file_is_whole(make_bundle: Maker) -> None:
    folder = make_bundle()
    whole = (folder / "model.onnx").read_bytes()
    flip_a_byte(folder / "model.onnx")
    with pytest.raises(ModelError):
        Verifier.load(folder)
    (folder / "model.onnx").write_bytes(whole)
    assert Verifier.load(folder).name == "tiny"


def test_nan_logits_are_an_error_and_never_a_score(make_bundle: Maker) -> None:
    verifier = Verifier.load(make_bundle("nan"))
    with pytest.raises(ModelError, match="NaN or infinite"):
        verifier.score([("the cat sat", "the cat sat")])


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(UsageError, match="no verifier model 'huge'"):
        Verifier.load("huge")


def test_a_model_is_loaded_once_in_a_process(make_bundle: Maker) -> None:
    folder = make_bundle()
    assert Verifier.load(folder) is Verifier.load(str(folder))


def test_labels_in_another_order_are_put_right(make_bundle: Maker) -> None:
    folder = make_bundle(labels=["INSUFFICIENT", "REFUTED", "SUPPORTED"])
    scores = Verifier.load(folder).score([("the cat sat", "the cat sat")])[0]
    assert scores.insufficient > 0.9  # the model's first column, which is SUPPORTED in the other tests


def write_packed(folder: Path, words: np.ndarray, out: np.ndarray) -> None:
    """A packed bundle: embeddings in 4 bits, one product in 8 bits that becomes int8."""
    folder.mkdir()
    shutil.copy(DATA / "tokenizer.json", folder)
    shutil.copy(DATA / "packed.onnx", folder / "graph.onnx")
    (folder / "calibration.json").write_text(json.dumps({"temperature": 1.0, "isotonic": {}}))
    blob = b""
    tensors = []
    for name, codes, bits, extra in (
        ("words", words, 4, {"into": "float32"}),
        ("out", out, 8, {"into": "int8", "transposed": True, "scale_name": "out_scale", "zero_name": "out_zero"}),
    ):
        packed = pack_codes(codes, bits)
        scales = np.full((len(codes), 2), 0.25, dtype="<f2").tobytes()
        places = {"codes": [len(blob), len(packed)], "scales": [len(blob) + len(packed), len(scales)]}
        blob += packed + scales
        tensors.append(
            {"name": name, "shape": list(codes.shape), "bits": bits, "group": 4, "zero": 3, **places, **extra}
        )
    (folder / "weights.bin").write_bytes(blob)
    (folder / "weights.json").write_text(json.dumps({"tensors": tensors}))
    write_manifest(folder, form="packed")


def test_packed_weights_give_the_product_of_what_was_packed(tmp_path: Path) -> None:
    dice = np.random.default_rng(5)
    vocabulary = len(json.loads((DATA / "tokenizer.json").read_text())["model"]["vocab"])
    words, out = dice.integers(0, 16, (vocabulary, 8)), dice.integers(0, 7, (3, 8))
    write_packed(tmp_path / "packed", words, out)
    verifier = Verifier.load(tmp_path / "packed")
    found = verifier.score([("the cat", "a dog")])[0]
    pair = verifier.pairing.join(verifier.pairing.tokens("the cat").ids, verifier.pairing.tokens("a dog").ids)
    logits = ((words - 3) * 0.25)[pair.ids].mean(axis=0) @ ((out - 3) * 0.25).T
    expected = np.exp(logits) / np.exp(logits).sum()
    assert np.allclose([found.supported, found.refuted, found.insufficient], expected, atol=0.01)


def test_a_packed_tensor_beyond_the_file_is_named(tmp_path: Path) -> None:
    vocabulary = len(json.loads((DATA / "tokenizer.json").read_text())["model"]["vocab"])
    write_packed(tmp_path / "packed", np.zeros((vocabulary, 8), dtype=int), np.zeros((3, 8), dtype=int))
    path = tmp_path / "packed" / "weights.json"
    index = json.loads(path.read_text())
    index["tensors"][0]["codes"][1] = 10**9
    path.write_text(json.dumps(index))
    write_manifest(tmp_path / "packed", form="packed")
    with pytest.raises(ModelError, match="the tensor 'words' cannot be unpacked: it lies at"):
        Verifier.load(tmp_path / "packed")
