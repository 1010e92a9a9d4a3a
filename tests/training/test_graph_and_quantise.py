"""The graph that is shipped, at the smallest size there is: run where onnx is installed, which only training needs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

np = pytest.importorskip("numpy")
onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
training_graph = pytest.importorskip("training.graph")
Sheet, shared_marks, verifier_graph = training_graph.Sheet, training_graph.shared_marks, training_graph.verifier_graph
to_int8 = pytest.importorskip("training.quantise").to_int8
Shape = pytest.importorskip("training.shape").Shape

WIDTH, INNER = 32, 64
INT64, OPSET = onnx.TensorProto.INT64, training_graph.OPSET


def chance_weights():
    """A network of one layer with chance weights, some of them far larger than the rest."""
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
    return weights | {
        "out.weight": matrix(3, WIDTH),
        "out.bias": matrix(1, 3)[0],
        "bias.weight": matrix(8, 4),
        "shared": matrix(4, WIDTH),
    }


@pytest.fixture
def full(tmp_path):
    path = tmp_path / "full.onnx"
    onnx.save(verifier_graph(Shape("bert", 50, WIDTH, 1, 4, INNER, 40, 1e-12, 0), chance_weights()), path)
    return path


def logits(path):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    ids = np.arange(1, 31)[None, :]
    segments = (ids > 20).astype(np.int64)
    return session.run(None, {"input_ids": ids, "token_type_ids": segments})[0]


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


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
@pytest.mark.parametrize("lean", [False, True])
def test_the_graph_says_what_the_trained_network_says(tmp_path, kind, lean):
    torch = pytest.importorskip("torch")
    from training.model import Verifier

    shape = Shape(kind, 50, WIDTH, 2, 4, INNER, 40, 1e-5, 0, relative_buckets=8 if kind == "mpnet" else 0)
    torch.manual_seed(7)
    network = Verifier(shape, 0.0, lean).eval()
    path = tmp_path / "full.onnx"
    weights = {name: value.detach().numpy() for name, value in network.state_dict().items()}
    onnx.save(verifier_graph(shape, weights, lean), path)
    ids = torch.arange(1, 31)[None, :]
    with torch.inference_mode():
        said = network(ids, torch.ones_like(ids, dtype=torch.bool), (ids > 20).long()).numpy()
    assert np.abs(said - logits(path)).max() < 0.02  # words are bytes in the graph


@pytest.mark.parametrize("part", ["q", "up", "down"])
def test_one_token_far_larger_than_the_rest_does_not_blur_them(tmp_path, part):
    dice = np.random.default_rng(3)
    tokens = np.abs(dice.normal(0, 1, (1, 9, WIDTH))).astype(np.float32)
    tokens[0, 0] *= 300
    sheet = Sheet()
    weight = sheet.constant(f"layers.0.{part}.weight", dice.normal(0, 0.1, (WIDTH, INNER)).astype(np.float32))
    sheet.node("MatMul", "tokens", weight, name="product")
    size = ["batch", "length"]
    graph = onnx.helper.make_graph(
        sheet.nodes,
        "product",
        [onnx.helper.make_tensor_value_info("tokens", onnx.TensorProto.FLOAT, [*size, WIDTH])],
        [onnx.helper.make_tensor_value_info("product", onnx.TensorProto.FLOAT, [*size, INNER])],
        [onnx.numpy_helper.from_array(value, name) for name, value in sheet.constants.items()],
    )
    plain, bytewise = tmp_path / "plain.onnx", tmp_path / "bytes.onnx"
    opsets = [onnx.helper.make_opsetid("", OPSET)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8), plain)

    def rest(path):
        return onnxruntime.InferenceSession(str(path)).run(None, {"tokens": tokens})[0][0, 1:]

    errors = {}
    for by_token in (True, False):
        to_int8(plain, bytewise, by_token=by_token)
        errors[by_token] = np.abs(rest(bytewise) - rest(plain)).max()
    assert errors[True] < errors[False] / 10


def marks_by_hand(evidence, claim):
    """The marks of each token, as a reader would say them."""

    def around(tokens, place):
        return [tokens[n] if 0 <= n < len(tokens) else None for n in (place - 1, place + 1)]

    def mark(own, place, other):
        here = around(own, place)
        twins = [n for n, token in enumerate(other) if token == own[place]]
        alike = [sum(a is not None and a == b for a, b in zip(here, around(other, n), strict=True)) for n in twins]
        return max((1 + count for count in alike), default=0)

    texts = (evidence, claim), (claim, evidence)
    return [mark(own, place, other) for own, other in texts for place in range(len(own))]


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.lists(st.integers(1, 6), min_size=1, max_size=8))
def test_the_graph_marks_what_both_texts_say(evidence, claim):
    sheet = Sheet()
    sheet.node("Identity", shared_marks(sheet), name="marks")
    shape = ["batch", "length"]
    graph = onnx.helper.make_graph(
        sheet.nodes,
        "marks",
        [onnx.helper.make_tensor_value_info(name, INT64, shape) for name in ("input_ids", "token_type_ids")],
        [onnx.helper.make_tensor_value_info("marks", INT64, shape)],
        [onnx.numpy_helper.from_array(value, name) for name, value in sheet.constants.items()],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", OPSET)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    ids = np.array([evidence + claim])
    segments = np.array([[0] * len(evidence) + [1] * len(claim)])
    (found,) = session.run(None, {"input_ids": ids, "token_type_ids": segments})
    assert found[0].tolist() == marks_by_hand(evidence, claim)


def test_marks_tell_a_network_without_segments_where_the_claim_begins(tmp_path):
    shape = Shape("mpnet", 50, WIDTH, 1, 4, INNER, 40, 1e-12, 1, relative_buckets=8)
    weights = chance_weights()
    plain = verifier_graph(shape, {name: value for name, value in weights.items() if name != "shared"})
    assert [given.name for given in plain.graph.input] == ["input_ids"]
    path = tmp_path / "marked.onnx"
    onnx.save(verifier_graph(shape, weights), path)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    ids = np.array([[5, 6, 7, 6, 7]])
    apart, together = (
        session.run(None, {"input_ids": ids, "token_type_ids": segments})[0]
        for segments in (np.array([[0, 0, 0, 1, 1]]), np.zeros_like(ids))
    )
    assert np.abs(apart - together).max() > 1e-3


def test_a_tempered_graph_divides_each_pairs_logits_by_what_its_head_reads(full, tmp_path):
    model = onnx.load(full)
    telling = tmp_path / "telling.onnx"
    onnx.save(training_graph.with_pooled(model), telling)
    ids = np.arange(1, 31)[None, :]
    feed = {"input_ids": ids, "token_type_ids": (ids > 20).astype(np.int64)}
    session = onnxruntime.InferenceSession(str(telling), providers=["CPUExecutionProvider"])
    raw, pooled = session.run(None, feed)
    assert pooled.shape == (1, 2 * WIDTH)
    weight = np.random.default_rng(6).normal(0, 0.2, 2 * WIDTH)
    for bounds in ((-9.0, 9.0), (0.5, 0.6)):
        path = tmp_path / "tempered.onnx"
        onnx.save(training_graph.tempered(model, weight, 0.3, bounds), path)
        heat = np.clip(pooled @ weight + 0.3, *bounds)
        np.testing.assert_allclose(logits(path), raw / np.exp(heat)[:, None], rtol=1e-4)
