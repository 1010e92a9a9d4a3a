"""The shared reader as ONNX graphs: a body that reads passages and claims alike, and the heads on a claim's states.

The body is one graph for both, so that the weights are in memory once. A passage is read with nothing before it; its
keys and values go back in as `past` when claims are read.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from training.graph import FUSED, OPSET, Sheet, byte_rows, distance_bias
from training.shape import FAR, POINTER_WIDTH, Shape

MATRICES = ("q", "k", "v", "o", "up", "down")


class ReaderSheet(Sheet):
    """Nodes of a network whose products may be in eight bits."""

    def __init__(self, shape: Shape, weights: Mapping[str, np.ndarray], eight_bits: bool) -> None:
        super().__init__()
        self.shape, self.weights, self.eight_bits = shape, weights, eight_bits
        self.narrowed: dict[str, tuple[str, str]] = {}  # an activation, as bytes and with its tokens' sizes

    def take(self, name: str, *, turned: bool = False) -> str:
        value = self.weights[name].astype(np.float32)
        return self.constant(name, np.ascontiguousarray(value.T if turned else value))

    def linear(self, x: str, name: str) -> str:
        """A product with a matrix and its bias; in eight bits every token has its own scale.

        A token's result depends on that token alone, so a verdict cannot change with what else is read beside it.
        """
        bias = self.take(f"{name}.bias")
        if not self.eight_bits:
            return self.linear_in_full(x, name)
        if x not in self.narrowed:
            sizes = self.node("ReduceMax", self.node("Abs", x), axes=[-1], keepdims=1)
            sizes = self.node("Max", sizes, self.number(1e-6))
            even = self.node("Div", x, sizes)
            zero = self.constant("byte_zero", np.asarray(128, dtype=np.uint8))
            self.narrowed[x] = self.node("QuantizeLinear", even, self.number(1 / 127), zero), sizes
        narrow, sizes = self.narrowed[x]
        inside, scale_name, zero_name = (
            f"{name}.weight_quantized",
            f"{name}.weight_scale",
            f"{name}.weight_zero_point",
        )
        codes, scales = byte_rows(self.weights[f"{name}.weight"])
        self.constant(inside, np.ascontiguousarray(codes.T))
        self.constant(scale_name, scales)
        self.constant(zero_name, np.zeros(len(scales), dtype=np.int8))
        zero = "byte_zero"
        product = self.node(
            "MatMulIntegerToFloat", narrow, inside, self.number(1 / 127), scale_name, zero, zero_name, domain=FUSED
        )
        return self.node("Add", self.node("Mul", product, sizes), bias)

    def linear_in_full(self, x: str, name: str) -> str:
        product = self.node("MatMul", x, self.take(f"{name}.weight", turned=True))
        return self.node("Add", product, self.take(f"{name}.bias"))

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
        """The table of words as bytes with a scale a row."""
        codes, scales = byte_rows(self.weights["words.weight"])
        self.constant("words.zeros", np.zeros(len(codes), dtype=np.int8))
        x = self.node("Cast", self.node("Gather", self.constant("words.codes", codes), ids), to=TensorProto.FLOAT)
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


def body_graph(shape: Shape, weights: Mapping[str, np.ndarray], *, eight_bits: bool) -> onnx.ModelProto:
    """Token ids, places, roles, marks and what each token sees; out come states and each layer's keys and values."""
    sheet = ReaderSheet(shape, weights, eight_bits)
    offset = 2 if shape.kind == "mpnet" else 0
    table = sheet.constant("places.weight", weights["places.weight"].astype(np.float16))
    place = sheet.node("Gather", table, sheet.node("Add", "places", sheet.number(offset, np.int64)))
    x = sheet.node("Add", sheet.words("ids"), sheet.node("Cast", place, to=TensorProto.FLOAT))
    x = sheet.node("Add", x, sheet.node("Gather", sheet.take("role"), "roles"))
    x = sheet.node("Add", x, sheet.node("Gather", sheet.take("shared"), "marks"))
    x = sheet.node("Unsqueeze", sheet.norm(x, "norm"), sheet.whole(0))  # one sequence

    wall = sheet.number(-1e4)
    if shape.relative_buckets:
        near = sheet.constant(
            "bias.by_distance", distance_bias(weights["bias.weight"], shape.positions, shape.relative_buckets)
        )
        across = sheet.node(
            "Sub", sheet.node("Unsqueeze", "places", sheet.whole(1)), sheet.node("Unsqueeze", "places", sheet.whole(0))
        )
        rows = sheet.node("Add", across, sheet.number(shape.positions - 1, np.int64))
        own = sheet.node("Transpose", sheet.node("Gather", near, rows), perm=[2, 0, 1])  # heads, tokens, tokens
        # Evidence is far from every claim: one number a head, as wide as the past.
        far = sheet.constant("bias.far", weights["bias.weight"][FAR].astype(np.float32)[:, None, None])
        tokens = sheet.node("Shape", "ids")
        past = sheet.node("Gather", sheet.node("Shape", "past_k_0"), sheet.whole(1))
        wide = sheet.node("Concat", sheet.whole(shape.heads), tokens, past, axis=0)
        bias = sheet.node("Concat", sheet.node("Expand", far, wide), own, axis=2)
    else:
        bias = sheet.constant("bias.none", np.zeros((1, 1, 1), dtype=np.float32))
    bias = sheet.node("Unsqueeze", sheet.node("Where", "sees", bias, wall), sheet.whole(0))

    outputs = []
    for number in range(shape.layers):
        own = f"layers.{number}"
        q = sheet.linear(x, f"{own}.q")
        k, v = (sheet.linear(x, f"{own}.{part}") for part in "kv")
        keys, values = sheet.node("Identity", k, name=f"k_{number}"), sheet.node("Identity", v, name=f"v_{number}")
        outputs += [keys, values]
        k = sheet.node("Concat", f"past_k_{number}", k, axis=1)
        v = sheet.node("Concat", f"past_v_{number}", v, axis=1)
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
        inputs += [(f"past_{kind}_{number}", real, [1, "past", shape.width]) for kind in "kv"]
    found = [("states", real, ["tokens", shape.width]), ("words", real, ["tokens"])]
    found += [(name, real, ["tokens", POINTER_WIDTH]) for name in ("asked", "offered")]
    found += [(name, real, [1, "tokens", shape.width]) for name in outputs]
    return sheet.finish("body", inputs, found)


def heads_graph(shape: Shape, weights: Mapping[str, np.ndarray]) -> onnx.ModelProto:
    """From a claim's first state, the mean of its states and what it points to, to the logits of its verdict."""
    sheet = ReaderSheet(shape, weights, eight_bits=False)
    bent = sheet.gelu(sheet.linear("read", "hidden"))
    product = sheet.node("MatMul", bent, sheet.take("out.weight", turned=True))
    sheet.node("Add", product, sheet.take("out.bias"), name="logits")
    real = TensorProto.FLOAT
    return sheet.finish("heads", [("read", real, ["claims", 3 * shape.width])], [("logits", real, ["claims", 3])])
