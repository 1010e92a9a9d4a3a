"""Assessments that were already made: the same model, prompt, claim, question and evidence is not asked twice."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from threading import Lock

from assay.epistemic.assessment import FREE, Assessment, Assessor
from assay.types import Claim, Document, Verdict, sha256_of

SIZE = 4096


class AssessmentCache:
    """The assessments made last, safe to share between threads; failed ones are not kept."""

    def __init__(self, size: int = SIZE) -> None:
        self.size = size
        self._kept: OrderedDict[str, Assessment] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: str) -> Assessment | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: str, assessment: Assessment) -> None:
        if assessment.verdict is Verdict.ERROR:
            return
        with self._lock:
            self._kept[key] = assessment
            while len(self._kept) > self.size:
                self._kept.popitem(last=False)


class CachedAssessor:
    """An assessor with a cache; what comes out of it costs nothing."""

    def __init__(self, inner: Assessor, kept: AssessmentCache) -> None:
        self.inner, self.kept = inner, kept

    @property
    def name(self) -> str:
        return self.inner.name

    async def assess(self, claim: Claim, documents: Sequence[Document], question: str | None = None) -> Assessment:
        key = assessment_key(self.name, claim, documents, question)
        if (known := self.kept.get(key)) is not None:
            return replace(known, cost=FREE)
        assessment = await self.inner.assess(claim, documents, question)
        self.kept.put(key, assessment)
        return assessment


def assessment_key(name: str, claim: Claim, documents: Sequence[Document], question: str | None) -> str:
    """A hash of everything an assessment depends on; the name carries the model, prompt and policy."""
    parts = [name, claim.context, claim.text, question or "", *(f"{d.id}\0{d.title}\0{d.sha256}" for d in documents)]
    return sha256_of("\x1f".join(parts))
