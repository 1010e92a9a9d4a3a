"""The graph that is shipped, at the smallest size there is: run where onnx is installed, which only training needs."""

import pytest

np = pytest.importorskip("numpy")
onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
verifier_graph = pytest.importorskip("training.graph").verifier_graph
to_int8 = pytest.importorskip("training.quantise").to_int8
Shape = pytest.importorskip("training.shape").Shape

WIDTH, INNER = 32, 64


@pytest.fixture
def full(tmp_path):
    """A network of one layer with chance weights, some of them far larger than the rest, written in full precision."""
    dice = np.random.default_rng(5)

    def matrix(rows, columns):
        found = dice.normal(0, 0.1, (rows, columns)).astype(np.float32)
        found[:, ::7] *= 4
        return found

    sizes = {"q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "o": (WIDTH, WIDTH)}
    sizes |= {"up": (INNER, WIDTH), "down": (WIDTH, INNER)}
    weights = {f"layers.0.{name}.weight": matrix(*size) for name, size in sizes.items()}
    weights |= {f"layers.0.{name}.bias": matrix(1, size[0])[0] for name, size in sizes.items()}
    for name in ("norm", "layers.0.norm1", "layers.0.norm2"):
        weights |= {f"{name}.weight": np.ones(WIDTH, np.float32), f"{name}.bias": np.zeros(WIDTH, np.float32)}
    weights |= {
        "words.weight": matrix(50, WIDTH),
        "places.weight": matrix(40, WIDTH),
        "segments.weight": matrix(2, WIDTH),
    }
    weights |= {"hidden.weight": matrix(WIDTH, 2 * WIDTH), "hidden.bias": matrix(1, WIDTH)[0]}
    weights |= {"out.weight": matrix(3, WIDTH), "out.bias": matrix(1, 3)[0]}
    path = tmp_path / "full.onnx"
    onnx.save(verifier_graph(Shape("bert", 50, WIDTH, 1, 4, INNER, 40, 1e-12, 0), weights), path)
    return path


def logits(path):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    ids = np.arange(1, 31)[None, :]
    segments = (ids > 20).astype(np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": segments}
    return session.run(None, feed)[0]


def codes(path):
    held = onnx.load(path).graph.initializer
    return np.concatenate([onnx.numpy_helper.to_array(t).ravel() for t in held if t.name.endswith("_quantized")])


@pytest.mark.parametrize(("spare_bit", "largest"), [(True, 64), (False, 127)])
def test_weights_become_bytes(full, tmp_path, spare_bit, largest):
    small = tmp_path / "small.onnx"
    to_int8(full, small, spare_bit=spare_bit)
    assert np.abs(codes(small).astype(int)).max() == largest
    assert small.stat().st_size < full.stat().st_size


def test_with_a_spare_bit_two_products_always_fit_and_the_scores_stay(full, tmp_path):
    small = tmp_path / "small.onnx"
    to_int8(full, small, spare_bit=True)
    assert 2 * 255 * int(np.abs(codes(small).astype(int)).max()) < 2**15
    assert np.abs(logits(small) - logits(full)).max() < 0.1
