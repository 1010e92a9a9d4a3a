"""Low-bit tensors in one file: codes of few bits in groups that share a scale, and an index of where each lies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np


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


def pack_bits(codes: np.ndarray, bits: int) -> bytes:
    """Codes laid end to end, the lowest bit of each first.

    >>> unpack_bits(pack_bits(np.array([-4, 3, 0, 1]), 3), 3, 4).tolist()
    [-4, 3, 0, 1]
    """
    shifted = (codes.reshape(-1).astype(np.int16) + (1 << (bits - 1))).astype(np.uint8)
    spread = np.unpackbits(shifted[:, None], axis=1, bitorder="little")[:, :bits]
    return np.packbits(spread.reshape(-1), bitorder="little").tobytes()


def unpack_bits(data: bytes, bits: int, count: int) -> np.ndarray:
    """The codes that `pack_bits` laid down."""
    flat = np.unpackbits(np.frombuffer(data, dtype=np.uint8), bitorder="little")[: count * bits]
    full = np.zeros((count, 8), dtype=np.uint8)
    full[:, :bits] = flat.reshape(count, bits)
    return np.packbits(full, axis=1, bitorder="little")[:, 0].astype(np.int16) - (1 << (bits - 1))


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
            entries.append(
                {
                    "name": inside,
                    "shape": tensor.codes.shape,
                    "bits": tensor.bits,
                    "group": tensor.group,
                    "zero": 1 << (tensor.bits - 1),
                    "codes": put(pack_bits(tensor.codes, tensor.bits)),
                    "scales": put(tensor.scales.astype("<f2").tobytes()),
                    "into": "int8",
                    "scale_name": scale_name,
                    "zero_name": zero_name,
                    "transposed": name != "words.weight",
                }
            )
    index.write_text(json.dumps({"tensors": entries}))


def read_grouped(weights: Path, index: Path) -> dict[str, Grouped]:
    """All matrices as they are packed, rows as outputs, by the names the graph gives them."""
    data = weights.read_bytes()
    result = {}
    for raw in json.loads(index.read_text())["tensors"]:
        shape = tuple(raw["shape"])
        begin, size = raw["codes"]
        codes = unpack_bits(data[begin : begin + size], raw["bits"], int(np.prod(shape))).reshape(shape)
        begin, size = raw["scales"]
        scales = np.frombuffer(data, "<f2", size // 2, begin).reshape(shape[0], shape[1] // raw["group"])
        result[raw["name"]] = Grouped(codes, scales, raw["bits"], raw["group"])
    return result
