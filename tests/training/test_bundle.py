"""A checkpoint as a bundle: the run time says what the network says, in few bytes, and adopt gets the weights back."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
from assay.encoder.bundle import read_bundle  # noqa: E402
from assay.encoder.network import ClaimInput, Network  # noqa: E402
from assay.encoder.packed import PRODUCT_CODE  # noqa: E402
from assay.errors import ModelError  # noqa: E402
from tests.encoder.tiny import TOKENIZER, make_folder, random_weights, tiny_shape  # noqa: E402
from tests.training.tiny import EVIDENCE, SIZE_OF, make_checkpoint, make_start, write_rows  # noqa: E402
from training import __main__ as commands  # noqa: E402
from training import bundle  # noqa: E402
from training.adopt import trained_weights  # noqa: E402
from training.batches import plain, rectangle  # noqa: E402
from training.blocks import Block, Claim, encode_block  # noqa: E402
from training.graph import heads_graph  # noqa: E402
from training.network import SharedReader, from_start  # noqa: E402

BLOCK = Block("mill", "test", EVIDENCE, (Claim("The mill opened.", "SUPPORTED"), Claim("It is red.", "INSUFFICIENT")))


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["python -m training", *map(str, arguments)])
    commands.main()


def said(folder: Path) -> np.ndarray:
    network, block = Network(read_bundle(folder), 1), encode_block(BLOCK, TOKENIZER)
    passages = network.read(block.passages)
    asked = [ClaimInput(claim.ids, range(len(passages))) for claim in block.claims]
    return np.stack([output.logits for output in network.judge(asked, passages)])


def loaded(model: SharedReader, weights: dict[str, torch.Tensor]) -> SharedReader:
    model.load_state_dict(weights, strict=False)
    return model.eval()


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
@pytest.mark.parametrize("bits", [8, 4])
def test_a_bundle_is_written_read_and_adopted(
    kind: str, bits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "GROUP", 16)
    monkeypatch.setattr(bundle, "TABLE_GROUP", 16)
    start, out, begin = make_start(tmp_path / "starts", kind), tmp_path / "made", tmp_path / "begin.pt"
    trained = make_checkpoint(tmp_path / "checkpoint.pt", start, kind)
    facts, size = tmp_path / "facts.json", SIZE_OF[kind]
    facts.write_text(json.dumps({"written/first": 12}))
    given = ["--out", out, "--starts", tmp_path / "starts", "--size", size, "--bits", bits, "--facts", facts]
    watch = ["--watch", write_rows(tmp_path / "rows.jsonl.gz")]
    run(monkeypatch, "bundle", tmp_path / "checkpoint.pt", *given, *watch)
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["trained_on"] == {"written/first": 12}
    assert manifest["format"] == ("shared" if bits == 8 else "shared-packed")

    run(monkeypatch, "adopt", "--size", size, "--starts", tmp_path / "starts", "--out", begin, "--bundle", out)
    adopted = torch.load(begin, weights_only=True)["weights"]
    assert adopted.keys() == trained.keys()
    for name, weight in trained.items():
        matrix = name.startswith("layers") and weight.dim() == 2
        lost = (adopted[name] - weight).abs().max()
        # Feedback may move a weight by several steps.
        assert lost <= (1.0 if matrix and bits == 4 else 0.01) * weight.abs().max(), name
    with torch.no_grad():
        model = loaded(from_start(start), adopted)
        wanted = model(rectangle([plain(encode_block(BLOCK, TOKENIZER))], model.shape.pad))[0].numpy()
    np.testing.assert_allclose(said(out), wanted, atol=0.5 if bits == 4 else 0.1)  # the word table is in bits too


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_adopted_weights_are_the_bundles_within_half_a_step(kind: str, tmp_path: Path) -> None:
    shape = tiny_shape(kind)
    weights = random_weights(shape)
    adopted = trained_weights(read_bundle(make_folder(tmp_path / "tiny", kind)), SharedReader(shape))
    for name, weight in adopted.items():
        steps = np.abs(weights[name]).max(-1, keepdims=True) / PRODUCT_CODE
        assert (np.abs(weight.numpy() - weights[name]) <= 0.501 * steps + 1e-6).all(), name


def test_packed_weights_are_adopted_as_they_were_rounded(tmp_path: Path) -> None:
    from tests.encoder.tiny import make_packed_folder

    name = "layers.1.up.weight"
    make_packed_folder(tmp_path / "packed", tmp_path / "plain", name)
    model = SharedReader(tiny_shape("bert"))
    packed, plain_form = (trained_weights(read_bundle(tmp_path / form), model) for form in ("packed", "plain"))
    step = float(packed[name].abs().max()) / PRODUCT_CODE
    assert float((packed[name] - plain_form[name]).abs().max()) <= 0.51 * step
    assert torch.equal(packed["layers.0.up.weight"], plain_form["layers.0.up.weight"])


def test_a_bundle_of_another_network_is_refused(tmp_path: Path) -> None:
    other = make_folder(tmp_path / "tiny", "bert")
    wider = SharedReader(type(tiny_shape("bert"))("bert", 90, 32, 2, 2, 32, 514, 1e-5, 0))
    with pytest.raises(SystemExit, match="the network wants"):
        trained_weights(read_bundle(other), wider)
    (other / "manifest.json").unlink()
    with pytest.raises(ModelError, match=r"manifest\.json is missing"):
        read_bundle(other)


def test_heads_in_few_bytes_say_the_same() -> None:
    import onnxruntime

    shape = tiny_shape("bert")
    weights = random_weights(shape)
    weights["hidden.weight"] *= 0.3
    weights["out.weight"] *= 0.3
    graphs = [heads_graph(shape, weights, eight_bits=narrow).SerializeToString() for narrow in (True, False)]
    held = {tensor.name: tensor.data_type for tensor in onnx.load_from_string(graphs[0]).graph.initializer}
    assert held["hidden.weight_quantized"] == onnx.TensorProto.INT8
    assert held["out.weight"] == held["hidden.bias"] == onnx.TensorProto.FLOAT16
    read = np.random.default_rng(0).normal(0, 1, (50, 3 * shape.width)).astype(np.float32)
    narrow, full = (onnxruntime.InferenceSession(graph).run(None, {"read": read})[0] for graph in graphs)
    assert 0 < np.abs(narrow - full).max() < 0.01


def test_an_unknown_command_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="no command 'train'"):
        run(monkeypatch, "train")
    assert "calibrate" in capsys.readouterr().err
