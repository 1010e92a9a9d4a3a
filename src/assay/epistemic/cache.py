"""Assessments that were already made: the same model, prompt, claim, question and evidence is not asked twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.epistemic.assessment import FREE, Assessment, Assessor
from assay.lru import LruCache
from assay.types import Claim, Document, Verdict, sha256_of

SIZE = 4096


class AssessmentCache:
    """The assessments made last, safe to share between threads; failed ones are not kept."""

    def __init__(self, size: int = SIZE) -> None:
        self._held = LruCache[str, Assessment](size)

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: str) -> Assessment | None:
        return self._held.get([key]).get(key)

    def put(self, key: str, assessment: Assessment) -> None:
        if assessment.verdict is not Verdict.ERROR:
            self._held.put({key: assessment})


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
