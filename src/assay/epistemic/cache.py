"""Opinions that were already formed: the same model, prompt, claim, question and evidence need not be asked twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.epistemic.opinion import FREE, Opinion, Referee
from assay.lru import LruCache
from assay.types import Claim, Document, Verdict, sha256_of

SIZE = 4096


class Opinions:
    """The opinions formed last, safe to share between threads; failed ones are not kept."""

    def __init__(self, size: int = SIZE) -> None:
        self._held = LruCache[str, Opinion](size)

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: str) -> Opinion | None:
        return self._held.get([key]).get(key)

    def put(self, key: str, opinion: Opinion) -> None:
        if opinion.verdict is not Verdict.ERROR:
            self._held.put({key: opinion})


class CachedReferee:
    """A referee that remembers; a remembered opinion costs nothing."""

    def __init__(self, inner: Referee, kept: Opinions) -> None:
        self.inner, self.kept = inner, kept

    @property
    def name(self) -> str:
        return self.inner.name

    async def weigh(self, claim: Claim, documents: Sequence[Document], question: str | None = None) -> Opinion:
        key = opinion_key(self.name, claim, documents, question)
        if (known := self.kept.get(key)) is not None:
            return replace(known, cost=FREE)
        opinion = await self.inner.weigh(claim, documents, question)
        self.kept.put(key, opinion)
        return opinion


def opinion_key(name: str, claim: Claim, documents: Sequence[Document], question: str | None) -> str:
    """A hash of everything an opinion depends on; the referee's name carries its model, its prompt and its policy."""
    parts = [name, claim.context, claim.text, question or "", *(f"{d.id}\0{d.title}\0{d.sha256}" for d in documents)]
    return sha256_of("\x1f".join(parts))
