"""Low-bit weights on disk, ordinary tensors in memory.

`weights.json` holds `{"tensors": [entry, …]}`; every place is `[offset, bytes]` in `weights.bin`. Two kinds of entry:

* stored as they are: `{"name", "shape", "dtype", "data": place}` with a little-endian numpy dtype;
* packed: `{"name", "shape", "bits", "group", "codes": place, "scales": place, …}`, a matrix of `shape` whose rows are
  cut into groups of `group` columns. A weight is `scale * (code - zero)`, or `scale * levels[code]` where the entry has
  `"levels"`. Scales are float16, one a group. `"zeros"` is a place with one float16 a group; without it `"zero"` is one
  number for all. Codes are a little-endian stream of `bits` (1–8) each, rows one after another.

`"into"` says what a packed tensor becomes: `"float32"`, or `"int8"` with one scale a row, given to the graph under the
names `"scale_name"` (float32) and `"zero_name"` (int8, all nothing). `"transposed": true` turns the matrix at the end,
because a product in ONNX wants inputs × outputs while groups run along the inputs of one output; its codes are at most
`PRODUCT_CODE`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import ModelError
from assay.workers import run_parallel

Array = NDArray[Any]
CHUNK = 128  # rows turned into numbers at once: what fits the cache is several times faster
# The largest code of a matrix in an integer product. Processors without VNNI add two byte products in 16 bits, which
# overflow silently above 255 · 64: with larger codes a verdict would depend on the processor.
PRODUCT_CODE = 63
BLOCK = 8  # codes handled together: eight codes of b bits fill exactly b bytes


def pack_codes(codes: Array, bits: int) -> bytes:
    """Codes below 2**bits as a little-endian bit stream, filled up with nothing to a whole number of blocks."""
    flat = np.zeros(-(-codes.size // BLOCK) * BLOCK, dtype=np.uint64)
    flat[: codes.size] = codes.reshape(-1)
    shifts = (np.arange(BLOCK) * bits).astype(np.uint64)
    words = np.bitwise_or.reduce(flat.reshape(-1, BLOCK) << shifts, axis=1)
    return bytes(words.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :bits].tobytes())


def unpack_codes(stream: bytes | memoryview, bits: int, count: int) -> NDArray[np.uint8]:
    """The first `count` codes of a bit stream.

    >>> unpack_codes(pack_codes(np.array([5, 0, 7]), 3), 3, 3).tolist()
    [5, 0, 7]
    """
    blocks = -(-count // BLOCK)
    raw = np.frombuffer(stream, dtype=np.uint8, count=blocks * bits).reshape(blocks, bits)
    bytes_by_place = np.ascontiguousarray(raw.T)  # all first bytes of the blocks, all second bytes …
    codes = np.empty((BLOCK, blocks), dtype=np.uint8)
    for place in range(BLOCK):
        byte, shift = divmod(place * bits, 8)
        np.right_shift(bytes_by_place[byte], shift, out=codes[place])
        if shift + bits > 8:  # the code goes on in the next byte
            codes[place] |= bytes_by_place[byte + 1] << np.uint8(8 - shift)
        codes[place] &= np.uint8(2**bits - 1)
    return codes.T.reshape(-1)[:count]


def unpack_weights(index: Mapping[str, Any], blob: bytes, threads: int = 1) -> dict[str, Array]:
    """Every tensor of the index by the name the graph knows it by."""
    view = memoryview(blob)

    def unpack(entry: Mapping[str, Any]) -> dict[str, Array]:
        try:
            return _unpack_packed(entry, view) if "codes" in entry else _unpack_stored(entry, view)
        except (KeyError, TypeError, ValueError, IndexError) as problem:
            name = entry.get("name", "?") if isinstance(entry, Mapping) else "?"
            raise ModelError(f"weights.json: the tensor {name!r} cannot be unpacked: {problem}") from problem

    entries: Sequence[Mapping[str, Any]] = index["tensors"]
    parts = run_parallel(unpack, entries, threads)
    return {name: tensor for part in parts for name, tensor in part.items()}


def _cut(view: memoryview, place: Sequence[int]) -> memoryview:
    offset, size = place
    if offset < 0 or size < 0 or offset + size > len(view):
        raise ValueError(f"it lies at {offset}–{offset + size} of a file of {len(view)} bytes")
    return view[offset : offset + size]


def _unpack_stored(entry: Mapping[str, Any], view: memoryview) -> dict[str, Array]:
    kind = np.dtype(entry["dtype"]).newbyteorder("<")
    tensor = np.frombuffer(_cut(view, entry["data"]), dtype=kind).reshape(entry["shape"])
    return {entry["name"]: tensor}


def _unpack_packed(entry: Mapping[str, Any], view: memoryview) -> dict[str, Array]:
    rows, columns = entry["shape"]
    into, turned = entry["into"], bool(entry.get("transposed"))
    if into not in ("float32", "int8"):
        raise ValueError(f"it shall become {into!r}, but only float32 and int8 are known")
    codes = unpack_codes(_cut(view, entry["codes"]), entry["bits"], rows * columns).reshape(rows, columns)
    scales, zeros = _by_group(entry, view, "scales"), _by_group(entry, view, "zeros")
    levels = np.asarray(entry["levels"], dtype=np.float32) if "levels" in entry else None
    tensor = np.empty((columns, rows) if turned else (rows, columns), dtype=into)
    steps = np.empty(rows, dtype=np.float32)
    for first in range(0, rows, CHUNK):
        part = slice(first, first + CHUNK)
        weights = levels[codes[part]] if levels is not None else codes[part].astype(np.float32)
        if levels is None:
            weights -= np.float32(entry["zero"]) if zeros is None else _spread(zeros[part], entry["group"], columns)
        weights *= _spread(scales[part], entry["group"], columns)
        if into == "int8":
            most = PRODUCT_CODE if turned else 127
            steps[part] = np.maximum(np.maximum(weights.max(axis=1), -weights.min(axis=1)), 1e-12) / most
            weights /= steps[part, None]
            np.rint(weights, out=weights)
        if turned:
            tensor[:, part] = weights.T.astype(into)
        else:
            tensor[part] = weights
    if into == "float32":
        return {entry["name"]: tensor}
    return {entry["name"]: tensor, entry["scale_name"]: steps, entry["zero_name"]: np.zeros(rows, dtype=np.int8)}


def _by_group(entry: Mapping[str, Any], view: memoryview, name: str) -> Any:
    """One number a group, or None where the entry has none of this name."""
    if name not in entry:
        return None
    values = np.frombuffer(_cut(view, entry[name]), dtype="<f2").astype(np.float32)
    return values.reshape(entry["shape"][0], -1)


def _spread(values: Array, group: int, columns: int) -> Array:
    """One value a group as one value a column."""
    return np.repeat(values, group, axis=1)[:, :columns]
