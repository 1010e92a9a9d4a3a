"""How far some documents support a claim, and what finding that out cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.codec import Json, encode_fields
from assay.llm.prices import total_usd
from assay.types import Claim, Document, Evidence, Judgement, Support, Verdict


@dataclass(frozen=True, slots=True)
class Cost:
    """What the calls of a check took; `usd` is None if the price of one of them is not known."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            total_usd((self.usd, other.usd)),
        )

    def to_dict(self) -> Json:
        return encode_fields(self)


FREE = Cost()


def total(costs: Iterable[Cost]) -> Cost:
    return sum(costs, FREE)


@dataclass(frozen=True, slots=True)
class Assessment:
    """How likely the documents support a claim; `support` is None where that could not be settled (ERROR).

    `chance` is the same by the judge's own word, where it leaves the claim open and says how likely support is.
    """

    support: float | None
    verdict: Verdict
    explanation: str = ""
    evidence: tuple[Evidence, ...] = ()
    violations: tuple[str, ...] = ()
    degree: Support = Support.NONE
    cost: Cost = FREE
    chance: float | None = None

    @classmethod
    def failed(cls, reason: str, cost: Cost = FREE) -> Assessment:
        return cls(None, Verdict.ERROR, reason, cost=cost)


NO_EVIDENCE = Assessment(0.0, Verdict.INSUFFICIENT, "There is no evidence.")


class Assessor(Protocol):
    """Anything that can say how far some documents support a claim; `name` tells it apart in a cache."""

    @property
    def name(self) -> str: ...

    async def assess(self, claim: Claim, documents: Sequence[Document], question: str | None = None) -> Assessment: ...


def probability(judgement: Judgement) -> float:
    """How likely a judge takes a claim to be supported; what another verdict leaves over is shared by the other two.

    >>> probability(Judgement(Verdict.REFUTED, 0.9, "number"))
    0.05
    """
    if judgement.verdict is Verdict.SUPPORTED:
        return judgement.confidence
    return round((1.0 - judgement.confidence) / 2, 12)
