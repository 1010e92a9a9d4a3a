"""Smaller weights: eight bits for the small size, groups of few bits for the base size."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx

from training.lowbit import round_groups, round_with_feedback
from training.pack import Grouped

UNEVEN = re.compile(r"layers\.\d+\.(q|k|v|up|down)\.")  # matrices whose input has a few tokens far larger than the rest
LEAST_SIZES = {"least_size": 1e-6, "least_bent": 0.17}  # nothing comes out of the bend (GELU) below -0.17
BODY = re.compile(r"layers\.(\d+)\.(q|k|v|o|up|down)\.weight|hidden\.weight")


def to_int8(full: Path, out: Path, *, spare_bit: bool = False, by_token: bool = True) -> None:
    """The graph with products in eight bits: weights by output, activations measured as they come.

    A processor that lacks VNNI adds two products of bytes in sixteen bits and cuts off what does not fit. With a spare
    bit, weights go from -64 to 64 and two products always fit: the scores are the same on every processor.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        full,
        out,
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        weight_type=QuantType.QInt8,
        reduce_range=spare_bit,
        extra_options={"WeightSymmetric": True, "MatMulConstBOnly": True, "DefaultTensorType": onnx.TensorProto.FLOAT},
    )
    if by_token:
        graph = onnx.load(out)
        scale_tokens(graph.graph)
        onnx.save(graph, out)


def scale_tokens(graph: onnx.GraphProto) -> None:
    """Brings every token to the same size before a product in eight bits, and its result back after.

    The run time takes one range for all tokens of a text, and a few tokens (the first, full stops) are ten times
    larger than the rest, whose numbers would then fall into a handful of the 256 steps. What attention has mixed is
    even enough already, and the head reads a single row.
    """
    nodes: list[onnx.NodeProto] = []
    size_of: dict[str, str] = {}  # what was made from a scaled input, and the name of its tokens' sizes
    reader_of = {node.input[0]: node.input[1] for node in graph.node if node.op_type == "MatMulInteger"}
    for name, least in LEAST_SIZES.items():
        graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(least, dtype=np.float32), name))

    def add(kind: str, inputs: list[str], output: str, **attributes) -> str:
        nodes.append(onnx.helper.make_node(kind, inputs, [output], **attributes))
        return output

    for node in graph.node:
        found = UNEVEN.match(reader_of.get(node.output[0], "")) if node.op_type == "DynamicQuantizeLinear" else None
        if found:
            given = node.input[0]
            # After the bend of the feed-forward part hardly anything is below zero, so the largest is the size.
            bent = found[1] == "down"
            sizes = given if bent else add("Abs", [given], f"{given}_sizes")
            largest = add("ReduceMax", [sizes], f"{given}_largest", axes=[-1], keepdims=1)
            size = add("Max", [largest, "least_bent" if bent else "least_size"], f"{given}_size")
            share = add("Reciprocal", [size], f"{given}_share")
            node.input[0] = add("Mul", [given, share], f"{given}_even")
            size_of[node.output[0]] = size
        nodes.append(node)
        if node.op_type in ("MatMulInteger", "Cast") and node.input[0] in size_of:
            size_of[node.output[0]] = size_of[node.input[0]]
        elif node.op_type == "Mul" and node.input[0] in size_of:
            product = node.output[0]
            node.output[0] = f"{product}_even"
            add("Mul", [node.output[0], size_of[node.input[0]]], product)
    del graph.node[:]
    graph.node.extend(nodes)


def bits_for(name: str, settings: Mapping) -> int:
    """The bits of one matrix: those of the first pattern that fits its name, else those of all."""
    for pattern, bits in settings["exceptions"].items():
        if re.fullmatch(pattern, name):
            return bits
    return settings["bits"]


def compress(
    weights: Mapping[str, np.ndarray], moments: Mapping[str, np.ndarray], settings: Mapping
) -> dict[str, Grouped]:
    """The big matrices in groups of few bits; a matrix whose inputs were watched is rounded with feedback."""
    stored: dict[str, Grouped] = {}
    for name, value in weights.items():
        bits, group = bits_for(name, settings), settings["group"]
        if name == "words.weight":
            stored[name] = round_groups(value, bits, settings["table_group"])
        elif BODY.fullmatch(name):
            owner = re.sub(r"\.(k|v)\.weight$", ".q.weight", name).removesuffix(".weight")
            moment = moments.get(owner)
            stored[name] = (
                round_groups(value, bits, group) if moment is None else round_with_feedback(value, moment, bits, group)
            )
    return stored


def restored(weights: Mapping[str, np.ndarray], stored: Mapping[str, Grouped]) -> dict[str, np.ndarray]:
    """All weights as the run time will see them."""
    return {name: stored[name].values if name in stored else value for name, value in weights.items()}
