"""Smaller weights: eight bits for the small size, groups of few bits for the base size."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from training.lowbit import round_groups, round_with_feedback
from training.pack import Grouped
from training.smooth import Inputs

BODY = re.compile(r"layers\.(\d+)\.(q|k|v|o|up|down)\.weight|hidden\.weight")


def to_int8(full: Path, out: Path) -> None:
    """The graph with products in eight bits: weights by output, activations measured as they come."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        full,
        out,
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        weight_type=QuantType.QInt8,
        extra_options={"WeightSymmetric": True, "MatMulConstBOnly": True},
    )


def bits_for(name: str, settings: Mapping) -> int:
    """The bits of one matrix: those of the first pattern that fits its name, else those of all."""
    for pattern, bits in settings["exceptions"].items():
        if re.fullmatch(pattern, name):
            return bits
    return settings["bits"]


def compress(weights: Mapping[str, np.ndarray], inputs: Mapping[str, Inputs], settings: Mapping) -> dict[str, Grouped]:
    """The big matrices in groups of few bits; a matrix whose inputs were watched is rounded with feedback."""
    stored: dict[str, Grouped] = {}
    for name, value in weights.items():
        bits, group = bits_for(name, settings), settings["group"]
        if name == "words.weight":
            stored[name] = round_groups(value, bits, settings["table_group"])
        elif BODY.fullmatch(name):
            owner = re.sub(r"\.(k|v)\.weight$", ".q.weight", name).removesuffix(".weight")
            moment = inputs[owner].moment if owner in inputs else None
            stored[name] = (
                round_groups(value, bits, group) if moment is None else round_with_feedback(value, moment, bits, group)
            )
    return stored


def restored(weights: Mapping[str, np.ndarray], stored: Mapping[str, Grouped]) -> dict[str, np.ndarray]:
    """All weights as the run time will see them."""
    return {name: stored[name].values if name in stored else value for name, value in weights.items()}
