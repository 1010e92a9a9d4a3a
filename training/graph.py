"""The network as ONNX graphs: a body that reads passages and claims alike, and the heads on a claim's states.

The body is one graph for both, so that the weights are in memory once. A passage is read with nothing before it; its
keys and values go back in as `past` when claims are read.

With `eight_bits` the layers' matrices and the head's large one are bytes with a scale an output, everything else is
float16; onnxruntime turns what is not part of an eight-bit product into float32 when it opens the graph. Without, all
is float32. The table of words is bytes with a scale a row either way.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from assay.encoder.network import CLAIM_PLACE
from assay.encoder.packed import PRODUCT_CODE
from training.blocks import CLAIM_TOKENS
from training.shape import FAR, FARTHEST, POINTER_WIDTH, Shape

OPSET = 17
FUSED = "com.microsoft"  # onnxruntime's own nodes, in every one of its builds
PLACES = CLAIM_PLACE + CLAIM_TOKENS  # positions that are ever read; the starts have more


def distance_bias(weight: np.ndarray, positions: int, buckets: int) -> np.ndarray:
    """MPNet's bias for every distance from -(positions-1) to positions-1, one row a distance."""
    distance = np.arange(-(positions - 1), positions)
    half, exact = buckets // 2, buckets // 4
    far = np.abs(distance)
    spread = np.log(np.maximum(far, 1).astype(np.float32) / exact) / math.log(FARTHEST / exact) * (half - exact)
    coarse = np.minimum(exact + spread.astype(np.int64), half - 1)
    bucket = (distance < 0) * half + np.where(far < exact, far, coarse)
    return weight[bucket]


def byte_rows(matrix: np.ndarray, most: int = 127) -> tuple[np.ndarray, np.ndarray]:
    """Rows as signed bytes from -most to most, and the scale of each."""
    scales = np.maximum(np.abs(matrix).max(1), 1e-8).astype(np.float32) / most
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales


def hollow(graph: onnx.ModelProto, names: Collection[str]) -> None:
    """Empties the named initialisers of a graph, leaving type and shape.

    The run time gives their values when it opens the session, so the file holds the wiring and the small tensors only.
    """
    found = {tensor.name: tensor for tensor in graph.graph.initializer}
    for name in names:
        tensor = found[name]
        length = numpy_helper.to_array(tensor).nbytes
        for field in ("raw_data", "float_data", "int32_data"):
            tensor.ClearField(field)
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", "weights.bin"), ("offset", "0"), ("length", str(length))):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, value


class Sheet:
    """A graph being written: nodes in order, and the constants they use."""

    def __init__(self, shape: Shape, weights: Mapping[str, np.ndarray], eight_bits: bool) -> None:
        self.shape, self.weights, self.eight_bits = shape, weights, eight_bits
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}
        self.narrowed: dict[str, tuple[str, str]] = {}  # an activation, as bytes and with its tokens' sizes

    def node(self, kind: str, *inputs: str, name: str | None = None, **attributes) -> str:
        """Adds a node and returns the name of its output."""
        out = name or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], name=out, **attributes))
        return out

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants.setdefault(name, value)
        return name

    def number(self, value: float, kind=np.float32) -> str:
        return self.constant(f"number_{np.dtype(kind).name}_{value}", np.asarray(value, dtype=kind))

    def whole(self, *values: int) -> str:
        return self.constant("whole_" + "_".join(map(str, values)), np.asarray(values, dtype=np.int64))

    def real(self, name: str, value: np.ndarray) -> str:
        """Numbers as float32, stored as float16 where the graph is in eight bits."""
        if not self.eight_bits:
            return self.constant(name, value.astype(np.float32))
        return self.node("Cast", self.constant(name, value.astype(np.float16)), to=TensorProto.FLOAT)

    def take(self, name: str) -> str:
        return self.real(name, self.weights[name])

    def matrix_in_bytes(self, name: str) -> tuple[str, str]:
        """A matrix of inputs by outputs as bytes, and the scale of each output."""
        codes, scales = byte_rows(self.weights[name], PRODUCT_CODE)
        inside = self.constant(f"{name}_quantized", np.ascontiguousarray(codes.T))
        return inside, self.constant(f"{name}_scale", scales)

    def linear(self, x: str, name: str) -> str:
        """A product with a matrix and its bias; in eight bits every token has its own scale.

        A token's result depends on that token alone, so a verdict cannot change with what else is read beside it.
        """
        if not self.eight_bits:
            return self.linear_in_full(x, name)
        zero = self.constant("byte_zero", np.asarray(128, dtype=np.uint8))
        if x not in self.narrowed:
            sizes = self.node("ReduceMax", self.node("Abs", x), axes=[-1], keepdims=1)
            sizes = self.node("Max", sizes, self.number(1e-6))
            even = self.node("Div", x, sizes)
            self.narrowed[x] = self.node("QuantizeLinear", even, self.number(1 / 127), zero), sizes
        narrow, sizes = self.narrowed[x]
        inside, scales = self.matrix_in_bytes(f"{name}.weight")
        outputs = len(self.weights[f"{name}.weight"])
        zeros = self.constant(f"{name}.weight_zero_point", np.zeros(outputs, dtype=np.int8))
        product = self.node(
            "MatMulIntegerToFloat", narrow, inside, self.number(1 / 127), scales, zero, zeros, domain=FUSED
        )
        return self.node("Add", self.node("Mul", product, sizes), self.take(f"{name}.bias"))

    def linear_in_full(self, x: str, name: str, *, in_bytes: bool = False) -> str:
        """A product in float32; `in_bytes`: its matrix is stored in eight bits all the same."""
        if in_bytes and self.eight_bits:
            inside, scales = self.matrix_in_bytes(f"{name}.weight")
            matrix = self.node("Mul", self.node("Cast", inside, to=TensorProto.FLOAT), scales)
        else:
            matrix = self.real(f"{name}.weight", np.ascontiguousarray(self.weights[f"{name}.weight"].T))
        return self.node("Add", self.node("MatMul", x, matrix), self.take(f"{name}.bias"))

    def norm(self, x: str, name: str) -> str:
        return self.node(
            "LayerNormalization",
            x,
            self.take(f"{name}.weight"),
            self.take(f"{name}.bias"),
            axis=-1,
            epsilon=self.shape.epsilon,
        )

    def gelu(self, x: str) -> str:
        return self.node("Gelu", x, domain=FUSED)

    def words(self, ids: str) -> str:
        """Rows of the table of words."""
        codes, scales = byte_rows(self.weights["words.weight"])
        # Zero points are all nothing; packed weights bring them, and onnxruntime refuses a tensor that no node reads.
        zeros = self.constant("words.zeros", np.zeros(len(codes), dtype=np.int8))
        zero = self.node("Cast", self.node("Gather", zeros, ids), to=TensorProto.FLOAT)
        x = self.node("Cast", self.node("Gather", self.constant("words.codes", codes), ids), to=TensorProto.FLOAT)
        x = self.node("Sub", x, self.node("Unsqueeze", zero, self.whole(1)))
        scale = self.node("Gather", self.constant("words.scales", scales), ids)
        return self.node("Mul", x, self.node("Unsqueeze", scale, self.whole(1)))

    def finish(self, name: str, inputs, outputs) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes,
            name,
            [helper.make_tensor_value_info(*item) for item in inputs],
            [helper.make_tensor_value_info(*item) for item in outputs],
            [numpy_helper.from_array(value, key) for key, value in self.constants.items()],
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="assay")
        model.ir_version = 8
        return model


def body_graph(
    shape: Shape, weights: Mapping[str, np.ndarray], *, eight_bits: bool, finds: bool = True
) -> onnx.ModelProto:
    """Token ids, places, roles, marks and what each token sees; out come states and each layer's keys and values.

    A model whose sentences another one finds reads no passages by themselves: nobody needs its keys and values.
    """
    sheet = Sheet(shape, weights, eight_bits)
    offset = 2 if shape.kind == "mpnet" else 0
    place = sheet.node(
        "Gather", sheet.real("places.weight", weights["places.weight"][offset : offset + PLACES]), "places"
    )
    x = sheet.node("Add", sheet.words("ids"), place)
    x = sheet.node("Add", x, sheet.node("Gather", sheet.take("role"), "roles"))
    x = sheet.node("Add", x, sheet.node("Gather", sheet.take("shared"), "marks"))
    x = sheet.node("Unsqueeze", sheet.norm(x, "norm"), sheet.whole(0))  # one sequence

    wall = sheet.number(-1e4)
    if shape.relative_buckets:
        near = distance_bias(weights["bias.weight"], PLACES, shape.relative_buckets)
        near = sheet.real("bias.by_distance", near)
        across = sheet.node(
            "Sub", sheet.node("Unsqueeze", "places", sheet.whole(1)), sheet.node("Unsqueeze", "places", sheet.whole(0))
        )
        rows = sheet.node("Add", across, sheet.number(PLACES - 1, np.int64))
        own = sheet.node("Transpose", sheet.node("Gather", near, rows), perm=[2, 0, 1])  # heads, tokens, tokens
        # Evidence is far from every claim: one number a head, as wide as the past.
        far = sheet.real("bias.far", weights["bias.weight"][FAR][:, None, None])
        tokens = sheet.node("Shape", "ids")
        past = sheet.node("Gather", sheet.node("Shape", "past_k_0"), sheet.whole(1))
        wide = sheet.node("Concat", sheet.whole(shape.heads), tokens, past, axis=0)
        bias = sheet.node("Concat", sheet.node("Expand", far, wide), own, axis=2)
    else:
        bias = sheet.constant("bias.none", np.zeros((1, 1, 1), dtype=np.float32))
    bias = sheet.node("Unsqueeze", sheet.node("Where", "sees", bias, wall), sheet.whole(0))

    half, outputs = TensorProto.FLOAT16, []
    for number in range(shape.layers):
        own = f"layers.{number}"
        q = sheet.linear(x, f"{own}.q")
        k, v = (sheet.linear(x, f"{own}.{part}") for part in "kv")
        # Kept in half the bytes: numpy is several times slower than the graph at turning one kind into the other.
        if finds:
            outputs += [
                sheet.node("Cast", part, name=f"{kind}_{number}", to=half) for kind, part in (("k", k), ("v", v))
            ]
        k, v = (
            sheet.node("Concat", sheet.node("Cast", f"past_{kind}_{number}", to=TensorProto.FLOAT), part, axis=1)
            for kind, part in (("k", k), ("v", v))
        )
        mixed = sheet.node("MultiHeadAttention", q, k, v, "", "", bias, domain=FUSED, num_heads=shape.heads)
        x = sheet.norm(sheet.node("Add", x, sheet.linear(mixed, f"{own}.o")), f"{own}.norm1")
        bent = sheet.gelu(sheet.linear(x, f"{own}.up"))
        x = sheet.norm(sheet.node("Add", x, sheet.linear(bent, f"{own}.down")), f"{own}.norm2")
    states = sheet.node("Squeeze", x, sheet.whole(0), name="states")
    for name, made in (("ask", "asked"), ("offer", "offered")):
        vectors = sheet.linear_in_full(states, name)
        length = sheet.node("ReduceL2", vectors, axes=[-1], keepdims=1)
        vectors = sheet.node("Div", vectors, sheet.node("Max", length, sheet.number(1e-12)))
        sharp = sheet.take("sharpness") if name == "ask" else sheet.number(1.0)
        sheet.node("Mul", vectors, sharp, name=made)
    sheet.node("Squeeze", sheet.linear_in_full(states, "wording"), sheet.whole(1), name="words")

    whole, real = TensorProto.INT64, TensorProto.FLOAT
    inputs = [(name, whole, ["tokens"]) for name in ("ids", "places", "roles", "marks")]
    inputs.append(("sees", TensorProto.BOOL, ["tokens", "all"]))
    for number in range(shape.layers):
        inputs += [(f"past_{kind}_{number}", half, [1, "past", shape.width]) for kind in "kv"]
    found = [("states", real, ["tokens", shape.width]), ("words", real, ["tokens"])]
    found += [(name, real, ["tokens", POINTER_WIDTH]) for name in ("asked", "offered")]
    found += [(name, half, [1, "tokens", shape.width]) for name in outputs]
    return sheet.finish("body", inputs, found)


def heads_graph(shape: Shape, weights: Mapping[str, np.ndarray], *, eight_bits: bool = True) -> onnx.ModelProto:
    """From a claim's first state, the mean of its states and what it points to, to the logits of its verdict."""
    sheet = Sheet(shape, weights, eight_bits)
    bent = sheet.gelu(sheet.linear_in_full("read", "hidden", in_bytes=True))
    sheet.node("Identity", sheet.linear_in_full(bent, "out"), name="logits")
    real = TensorProto.FLOAT
    return sheet.finish("heads", [("read", real, ["claims", 3 * shape.width])], [("logits", real, ["claims", 3])])
