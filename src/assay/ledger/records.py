"""Records of the ledger: a chain in which each carries the hash of the one before it, over canonical JSON."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

FLOAT_DIGITS = 9  # finer differences are noise of the last bit between processors, not a changed verdict
GENESIS = "0" * 64  # what the first record of a chain points back to

# The stages of a run in the order in which they happen; a stage that did not happen is recorded as null.
STAGES = (
    "question",
    "retrieval",
    "evidence_map",
    "prompt",
    "raw_answer",
    "claims",
    "verification",
    "rendering",
    "label",
)


@dataclass(frozen=True)
class Record:
    """One entry of the chain: what happened, when, for whom, and the hash that ties it to the one before."""

    sequence: int
    kind: str
    time: str
    workspace: str
    payload: Mapping[str, Any]
    previous: str
    hash: str

    @classmethod
    def after(
        cls, last: Record | Tombstone | None, *, kind: str, time: str, workspace: str, payload: Mapping[str, Any]
    ) -> Record:
        """The record that follows `last`. A clock that jumped back is recorded as it was: order is by sequence."""
        sequence = last.sequence + 1 if last else 1
        previous = last.hash if last else GENESIS
        fresh = cls(sequence, kind, time, workspace, payload, previous, "")
        return replace(fresh, hash=_hash(fresh))

    @property
    def payload_sha256(self) -> str:
        return digest(dict(self.payload))

    def intact(self) -> bool:
        """Whether the record's own hash still fits its contents."""
        try:
            return _hash(self) == self.hash
        except (ValueError, TypeError, RecursionError):  # a value that no record can hold: NaN, or bytes
            return False


@dataclass(frozen=True)
class Tombstone:
    """What a purge leaves of a record: everything the chain needs, nothing a reader could learn."""

    sequence: int
    kind: str
    time: str
    workspace: str
    payload_sha256: str
    previous: str
    hash: str

    def intact(self) -> bool:
        return _hash(self) == self.hash


@dataclass(frozen=True)
class Break:
    """The first place where a chain does not hold, and why."""

    sequence: int
    reason: str

    def __str__(self) -> str:
        return f"record {self.sequence}: {self.reason}"


def first_break(
    chain: Iterable[Record | Tombstone],
    *,
    expected_head: str | None = None,
    also: Callable[[Record | Tombstone], str] = lambda _: "",
) -> Break | None:
    """The first record that was changed, removed or moved; None when the whole chain holds.

    `expected_head` is the hash the chain should end with: without it a chain cut off at its end looks whole. `also` may
    find something else wrong with a record, and says what.
    """
    previous, expected = GENESIS, 1
    for record in chain:
        if record.sequence < expected:
            return Break(record.sequence, "stands where no record belongs")
        if record.sequence != expected:
            return Break(expected, f"missing or out of order: record {record.sequence} stands in its place")
        if record.previous != previous:
            return Break(record.sequence, "does not follow from the record before it")
        if not record.intact():
            return Break(record.sequence, "its contents were changed after it was written")
        if reason := also(record):
            return Break(record.sequence, reason)
        previous, expected = record.hash, expected + 1
    if expected_head is not None and previous != expected_head:
        return Break(expected, "the chain ends too early: later records were removed")
    return None


def run_root(stages: Mapping[str, Any], *, policy_sha256: str, model: str, documents: Iterable[tuple[str, str]]) -> str:
    """One hash over the ordered stages of a run and over everything that decided it."""
    unknown = set(stages) - set(STAGES)
    if unknown:
        raise ValueError(f"a run has no stage called {sorted(unknown)[0]!r}; there are {', '.join(STAGES)}")
    return digest(
        {
            "stages": [[stage, digest(stages.get(stage))] for stage in STAGES],
            "policy": policy_sha256,
            "model": model,
            "documents": sorted([name, sha256] for name, sha256 in documents),
        }
    )


def _hash(entry: Record | Tombstone) -> str:
    named = {name: getattr(entry, name) for name in ("sequence", "kind", "time", "workspace", "previous")}
    return digest(named | {"payload": entry.payload_sha256})


def canonical(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys, no spaces and rounded floats; values JSON cannot carry are refused.

    >>> canonical({"b": 1.0, "a": [True, None, "é"]})
    b'{"a":[true,null,"\\\\u00e9"],"b":1.0}'
    """
    return json.dumps(_canonical_value(value), sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def digest(value: Any) -> str:
    """The sha256 of a value's canonical form."""
    return hashlib.sha256(canonical(value)).hexdigest()


def _canonical_value(value: Any) -> Any:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"a record cannot hold {value}: it is not a number JSON knows")
        return round(value, FLOAT_DIGITS)
    if isinstance(value, dict):
        return {str(key): _canonical_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical_value(item) for item in value]
    if value is None or isinstance(value, str | int | bool):
        return value
    raise TypeError(f"a record cannot hold a {type(value).__name__}")
