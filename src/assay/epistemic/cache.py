"""Opinions that were already formed: the same model, prompt, claim, question and evidence need not be asked twice."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from threading import Lock

from assay.epistemic.opinion import FREE, Opinion, Referee
from assay.types import Claim, Document, Verdict, sha256_of

SIZE = 4096


class Opinions:
    """The opinions formed last, safe to share between threads; failed ones are not kept."""

    def __init__(self, size: int = SIZE) -> None:
        self.size = size
        self._kept: OrderedDict[str, Opinion] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: str) -> Opinion | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: str, opinion: Opinion) -> None:
        if opinion.verdict is Verdict.ERROR:
            return
        with self._lock:
            self._kept[key] = opinion
            while len(self._kept) > self.size:
                self._kept.popitem(last=False)


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
