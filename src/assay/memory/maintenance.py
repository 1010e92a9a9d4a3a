"""Maintenance of a memory: near-duplicates by MinHash, the value of an entry for eviction, clusters for a map."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from assay.memory.embed import Vectors
from assay.memory.entries import EdgeKind, Entry
from assay.text.tokens import WORD

Signature = NDArray[np.uint64]

_PERMUTATIONS = 128
_SHINGLE = 3
_PRIME = (1 << 31) - 1
_YEAR = 365.25 * 24 * 3600
_LEAST_FRESHNESS = 0.1

_random = np.random.default_rng(20)
_FACTORS = _random.integers(1, _PRIME, _PERMUTATIONS, dtype=np.uint64)
_OFFSETS = _random.integers(0, _PRIME, _PERMUTATIONS, dtype=np.uint64)


@lru_cache(maxsize=2048)
def minhash(text: str) -> Signature:
    """The MinHash signature of a text's runs of three words."""
    words = [word.lower() for word in WORD.findall(text)]
    runs = {" ".join(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1))}
    hashes = np.fromiter((zlib.crc32(run.encode("utf-8", "replace")) & _PRIME for run in runs), dtype=np.uint64)
    smallest: Signature = ((hashes[:, None] * _FACTORS + _OFFSETS) % _PRIME).min(0)
    return smallest


def estimate_similarity(one: Signature, other: Signature) -> float:
    """The estimated share of three-word runs two texts have in common.

    >>> estimate_similarity(minhash("the same words here"), minhash("The same words, here"))
    1.0
    """
    return float((one == other).mean())


def retention_score(entry: Entry, now: float) -> float:
    """The value of an entry for eviction: higher if it is important, often used and recent."""
    age = max(0.0, now - entry.inserted_at) / _YEAR
    return entry.importance * (1 + math.log1p(entry.access)) * max(_LEAST_FRESHNESS, 1 - age)


def group_duplicates(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Live entries joined by near-duplicate edges, the one to keep first: the most important, then the most used."""
    live = {entry.id: entry for entry in entries if entry.live}
    parent = {identity: identity for identity in live}

    def root(identity: int) -> int:
        while parent[identity] != identity:
            parent[identity] = parent[parent[identity]]
            identity = parent[identity]
        return identity

    for entry in live.values():
        for edge in entry.edges:
            if edge.kind is EdgeKind.DUPLICATE and edge.target in live:
                parent[root(entry.id)] = root(edge.target)
    groups: dict[int, list[Entry]] = {}
    for identity, entry in live.items():
        groups.setdefault(root(identity), []).append(entry)
    return [
        sorted(group, key=lambda entry: (-entry.importance, -entry.access, entry.id))
        for group in groups.values()
        if len(group) > 1
    ]


@dataclass(frozen=True, slots=True)
class Cluster:
    """A region of the memory: its size, where it lies on a flat map, and the passages nearest its centre."""

    id: int
    size: int
    x: float
    y: float
    examples: tuple[int, ...]


def cluster(vectors: Mapping[int, Vectors], count: int | None = None) -> tuple[dict[int, int], list[Cluster]]:
    """Which cluster each passage falls into (k-means on the sphere, always the same), and the clusters."""
    ids = sorted(vectors)
    if not ids:
        return {}, []
    rows = np.stack([vectors[identity] for identity in ids]).astype(np.float32)
    wanted = min(len(ids), count or max(1, min(64, round(math.sqrt(len(ids) / 2)))))
    centres = _centres(rows, wanted)
    assigned = _assign(rows, centres)
    places = _project(centres)
    clusters = []
    for number in range(wanted):
        members = np.flatnonzero(assigned == number)
        if members.size:
            nearest = members[np.argsort(-(rows[members] @ centres[number]))[:3]]
            x, y = places[number]
            examples = tuple(ids[member] for member in nearest)
            clusters.append(Cluster(number, int(members.size), float(x), float(y), examples))
    return {identity: int(number) for identity, number in zip(ids, assigned, strict=True)}, clusters


def _centres(rows: Vectors, wanted: int, rounds: int = 12, sample: int = 20_000) -> Vectors:
    random = np.random.default_rng(7)
    if len(rows) > sample:
        rows = rows[random.choice(len(rows), sample, replace=False)]
    centres = _spread(rows, wanted, random)
    for _ in range(rounds):
        assigned = _assign(rows, centres)
        for number in range(wanted):
            members = rows[assigned == number]
            if len(members):
                mean = members.mean(0)
                centres[number] = mean / (np.linalg.norm(mean) or 1)
    return centres


def _spread(rows: Vectors, wanted: int, random: np.random.Generator) -> Vectors:
    """Starting points far from each other."""
    chosen = [int(random.integers(len(rows)))]
    far = 1 - rows @ rows[chosen[0]]
    while len(chosen) < wanted:
        chosen.append(int(far.argmax()))
        far = np.minimum(far, 1 - rows @ rows[chosen[-1]])
    return rows[chosen].copy()


def _assign(rows: Vectors, centres: Vectors) -> NDArray[np.int64]:
    parts = [(rows[start : start + 8192] @ centres.T).argmax(1) for start in range(0, len(rows), 8192)]
    return np.concatenate(parts)


def _project(centres: Vectors) -> Sequence[tuple[float, float]]:
    """The two directions in which the centres differ most."""
    moved = centres - centres.mean(0)
    _, _, directions = np.linalg.svd(moved, full_matrices=False)
    flat = moved @ directions[:2].T
    if flat.shape[1] < 2:
        flat = np.pad(flat, ((0, 0), (0, 2 - flat.shape[1])))
    return [(float(x), float(y)) for x, y in flat]
