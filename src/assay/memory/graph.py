"""The HNSW graph over passage vectors, and its file: written whole, checked when read.

The file begins with a line of JSON that names the store, the generation and the hash of what follows. A file that is
missing, torn, of another store or ahead of its database is never used.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.memory.embed import Vectors
from assay.policy import Policy

CONNECTIONS = 16  # links of a point in the upper layers of the graph
BUILD_EFFORT = 200  # candidates looked at while inserting
SEARCH_EFFORT = 52  # candidates looked at while searching (decision 0009)
_MAGIC = b"assay graph 1\n"
_LONGEST_HEADER = 10_000
_LEFT_BEHIND_SECONDS = 3600


class GraphFileError(Exception):
    """The graph file cannot be used; the message says why."""


class Graph:
    """Nearest passages by cosine, f16."""

    def __init__(self, width: int, policy: Policy, generation: int = 0) -> None:
        self.width, self.generation = width, generation
        self._policy = policy
        self._index: Any = _make(width)

    def __len__(self) -> int:
        return len(self._index)

    def keys(self) -> set[int]:
        return {int(key) for key in np.asarray(self._index.keys)} if len(self._index) else set()

    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        """Adds or replaces points."""
        keys = np.asarray(ids, dtype=np.uint64)
        known = [key for key in keys if key in self._index]
        if known:
            self._index.remove(np.asarray(known, dtype=np.uint64))
        self._index.add(keys, np.ascontiguousarray(vectors, dtype=np.float32), threads=self._policy.threads)

    def remove(self, ids: Sequence[int]) -> None:
        known = [key for key in ids if key in self._index]
        if known:
            self._index.remove(np.asarray(known, dtype=np.uint64))

    def search(self, vectors: Vectors, k: int) -> list[list[tuple[int, float]]]:
        """For each row its nearest points and their cosine, best first."""
        if not len(self._index):
            return [[] for _ in vectors]
        found: list[list[tuple[int, float]]] = []
        count = min(k, len(self._index))
        for vector in vectors:
            matches = self._index.search(vector, count, threads=1)
            # Plain numbers: for twenty of them numpy's own rounding costs more than it saves.
            pairs = zip(matches.keys.tolist(), matches.distances.tolist(), strict=True)
            found.append([(key, _cosine(distance)) for key, distance in pairs])
        return found

    def vectors(self, ids: Sequence[int]) -> dict[int, NDArray[np.float16]]:
        held = self._index.get(np.asarray(ids, dtype=np.uint64)) if len(ids) else ()
        return {key: vector for key, vector in zip(ids, held, strict=True) if vector is not None}

    @property
    def bytes(self) -> int:
        return int(self._index.memory_usage)

    def save(self, path: Path, store: str) -> None:
        """Writes the file beside the old one, then puts it in its place."""
        payload = bytes(self._index.save())
        header = {
            "store": store,
            "generation": self.generation,
            "width": self.width,
            "count": len(self),
            "sha256": hashlib.sha256(payload).hexdigest(),
        }
        _sweep(path)
        temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
        try:
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(_MAGIC + json.dumps(header).encode() + b"\n")
                file.write(payload)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    @classmethod
    def load(cls, path: Path, store: str, width: int, policy: Policy) -> Graph:
        """The graph of this store; GraphFileError if the file is missing, torn or another one's."""
        try:
            data = path.read_bytes()
        except OSError as problem:
            raise GraphFileError(
                "it is missing" if isinstance(problem, FileNotFoundError) else str(problem)
            ) from problem
        header, payload = _split(data)
        if header.get("store") != store or header.get("width") != width:
            raise GraphFileError("it belongs to another memory")
        if hashlib.sha256(payload).hexdigest() != header.get("sha256"):
            raise GraphFileError("it is torn")
        graph = cls(width, policy, int(header["generation"]))
        graph._index.load(bytes(payload))
        graph._index.expansion_add = BUILD_EFFORT
        graph._index.expansion_search = SEARCH_EFFORT
        return graph


def _cosine(distance: float) -> float:
    """The cosine of a distance that rounding may have put out of range; a text without meaning is like nothing."""
    return 0.0 if isnan(distance) else max(-1.0, min(1.0, 1.0 - distance))


def peek_generation(path: Path) -> int:
    """The generation a graph file claims to be of; -1 if there is no readable file."""
    try:
        with path.open("rb") as file:
            return int(_split(file.read(_LONGEST_HEADER))[0]["generation"])
    except (OSError, GraphFileError, KeyError, ValueError, TypeError):
        return -1


def _sweep(path: Path) -> None:
    """Removes what processes killed in the middle of writing left behind."""
    for leftover in path.parent.glob(f"{path.name}.*.part"):
        with suppress(OSError):
            if time.time() - leftover.stat().st_mtime > _LEFT_BEHIND_SECONDS:
                leftover.unlink()


def _split(data: bytes) -> tuple[dict[str, Any], memoryview]:
    end = data.find(b"\n", len(_MAGIC), _LONGEST_HEADER)
    if not data.startswith(_MAGIC) or end < 0:
        raise GraphFileError("it is torn")
    try:
        header = json.loads(data[len(_MAGIC) : end])
    except ValueError as problem:
        raise GraphFileError("it is torn") from problem
    if not isinstance(header, dict):
        raise GraphFileError("it is torn")
    return header, memoryview(data)[end + 1 :]


def _make(width: int) -> Any:
    # usearch makes a library of its own global for the process; onnxruntime crashes if it is loaded after that.
    import onnxruntime  # noqa: F401
    from usearch.index import Index

    # The lowest layer gets twice the connections of the upper ones, 32.
    return Index(
        ndim=width,
        metric="cos",
        dtype="f16",
        connectivity=CONNECTIONS,
        expansion_add=BUILD_EFFORT,
        expansion_search=SEARCH_EFFORT,
    )
