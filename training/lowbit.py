"""Matrices in few bits: codes in groups that share a scale, chosen so that little is lost, and the file they lie in.

`assay.encoder.packed` describes the file and reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.encoder.packed import pack_codes

BODY = re.compile(r"layers\.\d+\.(q|k|v|o|up|down)\.weight")
SHRINKS = np.linspace(0.65, 1.0, 8)  # clipping a group's extremes often costs less than a coarse step for all of it


@dataclass(frozen=True)
class Grouped:
    """A matrix as whole codes from -2^(bits-1) up, with one scale for every `group` numbers of a row."""

    codes: np.ndarray
    scales: np.ndarray
    bits: int
    group: int

    @property
    def values(self) -> np.ndarray:
        rows, columns = self.codes.shape
        parts = self.codes.reshape(rows, columns // self.group, self.group).astype(np.float32)
        return (parts * self.scales.astype(np.float32)[:, :, None]).reshape(rows, columns)


def best_scales(block: np.ndarray, bits: int) -> np.ndarray:
    """Per row of the block, the scale with the smallest squared error."""
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    # The side with one code more takes the larger extreme: a negative scale turns the row around.
    sign = np.where(block.max(1) > -block.min(1), -1.0, 1.0)
    full = np.maximum(np.abs(block).max(1), 1e-8) / -low * sign
    best = np.full(len(block), np.inf)
    chosen = full.copy()
    for shrink in SHRINKS:
        scale = (full * shrink).astype(np.float16).astype(np.float32)
        scale = np.where(scale == 0, 1e-6, scale)
        error = ((np.clip(np.rint(block / scale[:, None]), low, high) * scale[:, None] - block) ** 2).sum(1)
        better = error < best
        best[better], chosen[better] = error[better], scale[better]
    return chosen


def round_groups(matrix: np.ndarray, bits: int, group: int) -> Grouped:
    """Every group rounded by itself."""
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    rows, columns = matrix.shape
    blocks = matrix.reshape(-1, group).astype(np.float32)
    scales = best_scales(blocks, bits)
    codes = np.clip(np.rint(blocks / scales[:, None]), low, high).astype(np.int8)
    return Grouped(codes.reshape(rows, columns), scales.reshape(rows, columns // group), bits, group)


def round_with_feedback(matrix: np.ndarray, moment: np.ndarray, bits: int, group: int, damp: float = 0.01) -> Grouped:
    """Columns rounded one after another, each error made up for by the columns that follow (GPTQ).

    `moment` is the mean of x xᵀ over inputs x the layer has seen: it says which errors show in the output.
    """
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    work = matrix.astype(np.float32).copy()
    rows, columns = work.shape
    hessian = moment.astype(np.float64).copy()
    hessian[np.diag_indices(columns)] += damp * np.mean(np.diag(hessian)) + 1e-8
    inverse = np.linalg.inv(hessian)
    factor = np.linalg.cholesky((inverse + inverse.T) / 2).T.astype(np.float32)
    codes = np.empty((rows, columns), dtype=np.int8)
    scales = np.empty((rows, columns // group), dtype=np.float32)
    for begin in range(0, columns, group):
        end = begin + group
        scale = best_scales(work[:, begin:end], bits)
        scales[:, begin // group] = scale
        errors = np.empty((rows, group), dtype=np.float32)
        for column in range(begin, end):
            code = np.clip(np.rint(work[:, column] / scale), low, high)
            codes[:, column] = code
            error = (work[:, column] - code * scale) / factor[column, column]
            errors[:, column - begin] = error
            if column + 1 < end:
                work[:, column + 1 : end] -= error[:, None] * factor[column, column + 1 : end]
        if end < columns:
            work[:, end:] -= errors @ factor[begin:end, end:]
    return Grouped(codes, scales, bits, group)


def compress(
    weights: Mapping[str, np.ndarray], moments: Mapping[str, np.ndarray], bits: int, group: int, table_group: int
) -> dict[str, Grouped]:
    """The word table and the layers' matrices; a matrix whose inputs were watched is rounded with feedback."""
    stored = {"words.weight": round_groups(weights["words.weight"], bits, table_group)}
    for name in filter(BODY.fullmatch, weights):
        moment = moments.get(re.sub(r"\.(k|v)\.weight$", ".q.weight", name).removesuffix(".weight"))
        stored[name] = (
            round_groups(weights[name], bits, group)
            if moment is None
            else round_with_feedback(weights[name], moment, bits, group)
        )
    return stored


def initialiser_names(name: str) -> tuple[str, str, str]:
    """What the graph calls a matrix, its scales and its zero points."""
    if name == "words.weight":
        return "words.codes", "words.scales", "words.zeros"
    return f"{name}_quantized", f"{name}_scale", f"{name}_zero_point"


def write_packed(tensors: Mapping[str, Grouped], weights: Path, index: Path) -> None:
    """Writes the matrices one after another, and the index by which the run time turns them into eight-bit tensors.

    Rows are outputs here; products want them as columns, so all but the word table are marked as transposed.
    """
    entries = []
    with weights.open("wb") as file:

        def put(data: bytes) -> tuple[int, int]:
            place = file.tell()
            file.write(data)
            return place, len(data)

        for name, tensor in tensors.items():
            inside, scale_name, zero_name = initialiser_names(name)
            zero = 1 << (tensor.bits - 1)
            entries.append(
                {
                    "name": inside,
                    "shape": tensor.codes.shape,
                    "bits": tensor.bits,
                    "group": tensor.group,
                    "zero": zero,
                    "codes": put(pack_codes(tensor.codes.astype(np.int16) + zero, tensor.bits)),
                    "scales": put(tensor.scales.astype("<f2").tobytes()),
                    "into": "int8",
                    "scale_name": scale_name,
                    "zero_name": zero_name,
                    "transposed": name != "words.weight",
                }
            )
    index.write_text(json.dumps({"tensors": entries}))
