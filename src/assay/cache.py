"""Cache of judgements: the last ones in memory, more in a store, each under the hash of everything that decided it."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from assay.codec import decode, encode
from assay.lru import LruCache
from assay.policy import Policy
from assay.types import Claim, Judgement, Passage, Span, Verdict, sha256_of

if TYPE_CHECKING:
    from assay.engine.store import EngineStore

HELD = 100  # judgements kept in memory
_STORED = 100_000  # judgements kept in a store: about 100 MB


def cache_key(
    claim: Claim, passages: Sequence[Passage], question: str | None, model: str, prompt: str, policy: Policy
) -> str:
    """The hash of everything a judgement depends on: claim, evidence, model, prompt, policy."""
    evidence = [
        [
            p.document_id,
            p.document.sha256,
            p.document.title,
            p.start,
            p.end,
            p.similarity,
            p.document.heading_at(p.start),
        ]
        for p in passages
    ]
    written = claim.alignment[:1] or len(claim.span) == len(claim.text)  # what is highlighted depends on it
    shape = [claim.text, claim.context, claim.checkable, claim.reason, written]
    return sha256_of(json.dumps([shape, evidence, question, model, prompt, policy.sha256]))


class Cache:
    """Safe between threads; with a store also between processes."""

    def __init__(self, place: str | os.PathLike[str] | EngineStore | None = None, size: int = HELD) -> None:
        self._held = LruCache[str, str](size)
        self._lock = Lock()
        self._counts: Counter[str] = Counter()
        self._store: EngineStore | None
        if isinstance(place, str | os.PathLike):
            from assay.engine.store import EngineStore

            self._store = EngineStore(place)
        else:
            self._store = place

    @property
    def counts(self) -> dict[str, int]:
        with self._lock:
            return {"hits": self._counts["hits"], "misses": self._counts["misses"]}

    def find(self, keys: Sequence[str], claims: Sequence[Claim]) -> list[Judgement | None]:
        """The judgement under each key, moved to where its claim stands now; None where there is none."""
        known = self._held.get(keys)
        missing = [key for key in keys if key not in known]
        if missing and self._store is not None:
            stored = self._store.judgements(missing)
            known |= stored
            self._held.put(stored)
        with self._lock:
            self._counts["hits"] += sum(key in known for key in keys)
            self._counts["misses"] += sum(key not in known for key in keys)
        return [_read(known[key], claim) if key in known else None for key, claim in zip(keys, claims, strict=True)]

    def keep(self, keys: Sequence[str], claims: Sequence[Claim], judgements: Sequence[Judgement]) -> None:
        """Stores judgements; what was not verified is not kept, so that it is tried again."""
        found = {
            key: _write(judgement, claim)
            for key, claim, judgement in zip(keys, claims, judgements, strict=True)
            if judgement.verdict not in (Verdict.ERROR, Verdict.NOT_CHECKABLE)
        }
        if not found:
            return
        self._held.put(found)
        if self._store is not None:
            self._store.keep_judgements(found, _STORED)

    def close(self) -> None:
        if self._store is not None:
            self._store.close()


def _write(judgement: Judgement, claim: Claim) -> str:
    """The judgement as JSON; places in the answer count from the claim's own."""
    home = claim.span
    inside = [span for span in judgement.unsupported if home.start <= span.start and span.end <= home.end]
    moved = tuple(span.shifted(-home.start) for span in inside)
    return json.dumps(encode(replace(judgement, unsupported=moved, latency_ms=0.0, cost_usd=0.0)))


def _read(text: str, claim: Claim) -> Judgement:
    judgement = decode(Judgement, json.loads(text))
    places = (span.shifted(home.start) for home in _like_first(claim) for span in judgement.unsupported)
    return replace(judgement, unsupported=tuple(places))


def _like_first(claim: Claim) -> list[Span]:
    """The places where a claim is written as in the first of them."""
    if claim.alignment:
        listed = zip(claim.spans, claim.alignment, strict=False)
        return [home for home, runs in listed if runs == claim.alignment[0]]
    return [home for home in claim.spans if len(home) == len(claim.span)]
