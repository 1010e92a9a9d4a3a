"""The verifier as an ONNX graph, written node by node so that it holds nothing but what the run time needs."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from training.shape import Shape

OPSET = 17
FUSED = "com.microsoft"  # onnxruntime's own nodes, in every one of its builds
FARTHEST = 128  # distance from which MPNet's relative bias no longer grows


class Sheet:
    """A graph being written: nodes in order, and the constants they use."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}

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


def distance_bias(weight: np.ndarray, positions: int, buckets: int) -> np.ndarray:
    """MPNet's bias for every distance from -(positions-1) to positions-1, one row a distance."""
    distance = np.arange(-(positions - 1), positions)
    half, exact = buckets // 2, buckets // 4
    far = np.abs(distance)
    spread = np.log(np.maximum(far, 1).astype(np.float32) / exact) / math.log(FARTHEST / exact) * (half - exact)
    coarse = np.minimum(exact + spread.astype(np.int64), half - 1)
    bucket = (distance < 0) * half + np.where(far < exact, far, coarse)
    return weight[bucket]


def byte_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows as signed bytes, and the scale of each."""
    scales = np.maximum(np.abs(matrix).max(1), 1e-8).astype(np.float32) / 127
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


def with_pooled(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph that also gives out what its head reads."""
    told = onnx.ModelProto()
    told.CopyFrom(model)
    told.graph.output.append(helper.make_tensor_value_info(pooled_name(model), TensorProto.FLOAT, ["batch", "width"]))
    return told


def tempered(model: onnx.ModelProto, weight: np.ndarray, bias: float, bounds: tuple[float, float]) -> onnx.ModelProto:
    """The same graph whose logits are divided by a temperature: a power of a line through what the head reads."""
    sheet = Sheet()
    line = sheet.constant("doubt.weight", weight.astype(np.float32)[:, None])
    heat = sheet.node("MatMul", pooled_name(model), line, name="doubt_line")
    heat = sheet.node("Add", heat, sheet.constant("doubt.bias", np.asarray(bias, np.float32)), name="doubt_heat")
    low, high = (
        sheet.constant(f"doubt.{name}", np.asarray(value, np.float32))
        for name, value in zip(("least", "most"), bounds, strict=True)
    )
    heat = sheet.node("Clip", heat, low, high, name="doubt_held")
    sheet.node("Div", "logits_raw", sheet.node("Exp", heat, name="doubt_temperature"), name="logits")
    told = onnx.ModelProto()
    told.CopyFrom(model)
    last = next(node for node in told.graph.node if "logits" in node.output)
    last.name, last.output[:] = "logits_raw", ["logits_raw"]
    told.graph.node.extend(sheet.nodes)
    told.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in sheet.constants.items())
    return told


def pooled_name(model: onnx.ModelProto) -> str:
    """What the head reads: first token and mean, joined by the last node of its kind."""
    return [node.output[0] for node in model.graph.node if node.op_type == "Concat"][-1]


def shared_marks(sheet: Sheet) -> str:
    """The marks of `training.model.shared_marks`, found by the graph itself so that no caller can get them wrong."""

    def across(name: str, kind: str) -> str:
        lines, columns = (sheet.node("Unsqueeze", name, sheet.whole(axis)) for axis in (2, 1))
        return sheet.node(kind, lines, columns)

    def moved(name: str, step: int) -> str:
        """Every place as its neighbour in both texts is; beyond the ends there is nothing."""
        front, back = (1, 0) if step < 0 else (0, 1)
        wider = sheet.node("Pad", name, sheet.whole(0, front, front, 0, back, back))
        begin, end = (0, -1) if step < 0 else (1, np.iinfo(np.int64).max)
        return sheet.node("Slice", wider, sheet.whole(begin, begin), sheet.whole(end, end), sheet.whole(1, 2))

    other = sheet.node("Not", across("token_type_ids", "Equal"))
    same = sheet.node("Cast", sheet.node("And", across("input_ids", "Equal"), other), to=TensorProto.FLOAT)
    around = sheet.node("Add", moved(same, -1), moved(same, 1))
    marks = sheet.node("Mul", same, sheet.node("Add", around, sheet.number(1.0)))
    return sheet.node("Cast", sheet.node("ReduceMax", marks, axes=[-1], keepdims=0), to=TensorProto.INT64)


def verifier_graph(shape: Shape, weights: Mapping[str, np.ndarray], lean: bool = False) -> onnx.ModelProto:
    """The whole network with its weights as initialisers; matrices stand transposed, as products want them.

    The run time reads one pair at a time, so there is no padding and every token looks at every other: a mask would
    only keep onnxruntime from its faster attention. `lean`: as in `training.model.Verifier`.
    """
    sheet = Sheet()

    def take(name: str) -> str:
        value = weights[name]
        matrix = (
            value.ndim == 2
            and name.endswith(".weight")
            and not name.startswith(("words", "places", "segments", "bias", "shared"))
        )
        return sheet.constant(name, np.ascontiguousarray(value.T if matrix else value))

    def linear(x: str, name: str) -> str:
        return sheet.node("Add", sheet.node("MatMul", x, take(f"{name}.weight")), take(f"{name}.bias"))

    def norm(x: str, name: str) -> str:
        return sheet.node(
            "LayerNormalization", x, take(f"{name}.weight"), take(f"{name}.bias"), axis=-1, epsilon=shape.epsilon
        )

    def gelu(x: str) -> str:
        inner = sheet.node("Erf", sheet.node("Div", x, sheet.number(math.sqrt(2))))
        return sheet.node("Mul", sheet.node("Mul", x, sheet.node("Add", inner, sheet.number(1.0))), sheet.number(0.5))

    length = sheet.node("Gather", sheet.node("Shape", "input_ids"), sheet.number(1, np.int64))
    places = sheet.node("Range", sheet.number(0, np.int64), length, sheet.number(1, np.int64))
    offset = 2 if shape.kind == "mpnet" else 0
    # Words as bytes with a scale a row: a fourth of the size, and rare words keep their own range.
    codes, scales = byte_rows(weights["words.weight"])
    zeros = sheet.constant("words.zeros", np.zeros(len(codes), dtype=np.int8))
    zero = sheet.node("Cast", sheet.node("Gather", zeros, "input_ids"), to=TensorProto.FLOAT)
    x = sheet.node(
        "Cast", sheet.node("Gather", sheet.constant("words.codes", codes), "input_ids"), to=TensorProto.FLOAT
    )
    x = sheet.node("Sub", x, sheet.node("Unsqueeze", zero, sheet.whole(2)))
    scale = sheet.node("Gather", sheet.constant("words.scales", scales), "input_ids")
    x = sheet.node("Mul", x, sheet.node("Unsqueeze", scale, sheet.whole(2)))
    table = sheet.constant("places.weight", weights["places.weight"].astype(np.float16))
    place = sheet.node("Gather", table, sheet.node("Add", places, sheet.number(offset, np.int64)))
    x = sheet.node("Add", x, sheet.node("Cast", place, to=TensorProto.FLOAT))
    if shape.kind == "bert":
        x = sheet.node("Add", x, sheet.node("Gather", take("segments.weight"), "token_type_ids"))
    if "shared" in weights:
        x = sheet.node("Add", x, sheet.node("Gather", take("shared"), shared_marks(sheet)))
    x = norm(x, "norm")

    bias = ()  # MPNet's: what a word is to another by their distance
    if shape.relative_buckets:
        table = sheet.constant(
            "bias.by_distance", distance_bias(weights["bias.weight"], shape.positions, shape.relative_buckets)
        )
        across = sheet.node(
            "Sub", sheet.node("Unsqueeze", places, sheet.whole(1)), sheet.node("Unsqueeze", places, sheet.whole(0))
        )
        rows = sheet.node("Add", across, sheet.number(shape.positions - 1, np.int64))
        heads = sheet.node("Transpose", sheet.node("Gather", table, rows), perm=[2, 0, 1])
        bias = (sheet.node("Unsqueeze", heads, sheet.whole(0)),)

    def first_of(x: str, axis: int) -> str:
        return sheet.node("Slice", x, sheet.whole(0), sheet.whole(1), sheet.whole(axis))

    def layer(x: str, own: str, first_only: bool = False) -> str:
        asked, near = x, bias
        if first_only:
            asked, near = first_of(x, 1), tuple(first_of(each, 2) for each in bias)
        q, k, v = linear(asked, f"{own}.q"), linear(x, f"{own}.k"), linear(x, f"{own}.v")
        masks = ("", "", *near) if near else ()
        mixed = sheet.node("MultiHeadAttention", q, k, v, *masks, domain=FUSED, num_heads=shape.heads)
        mixed = norm(sheet.node("Add", asked, linear(mixed, f"{own}.o")), f"{own}.norm1")
        bent = gelu(linear(mixed, f"{own}.up"))
        return norm(sheet.node("Add", mixed, linear(bent, f"{own}.down")), f"{own}.norm2")

    last = shape.layers - 1
    for number in range(last if lean else shape.layers):
        x = layer(x, f"layers.{number}")
    first = layer(x, f"layers.{last}", first_only=True) if lean else x
    first = sheet.node("Gather", first, sheet.number(0, np.int64), axis=1)
    mean = sheet.node("ReduceMean", x, axes=[1], keepdims=0)
    both = sheet.node("Concat", first, mean, axis=-1)
    out = sheet.node("MatMul", gelu(linear(both, "hidden")), take("out.weight"))
    sheet.node("Add", out, take("out.bias"), name="logits")

    told = shape.kind == "bert" or "shared" in weights  # MPNet itself has no segments
    names = ["input_ids"] + (["token_type_ids"] if told else [])
    graph = helper.make_graph(
        sheet.nodes,
        "verifier",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])],
        [numpy_helper.from_array(value, name) for name, value in sheet.constants.items()],
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
    model = helper.make_model(graph, opset_imports=opsets, producer_name="assay")
    model.ir_version = 8
    return model
