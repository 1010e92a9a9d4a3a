"""What a check may spend on language models, and what each call of it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.epistemic.assessment import FREE, Cost, total
from assay.errors import GeneratorError
from assay.llm.prices import FREE as FREE_OF_CHARGE
from assay.llm.prices import Price, total_usd
from assay.llm.values import Completion, Generator, Message


class BudgetSpentError(GeneratorError):
    """A call was not made because it might have cost more than is left."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a model: what for, and what it took."""

    purpose: str
    model: str
    cost: Cost

    def to_dict(self) -> dict[str, Any]:
        return {"purpose": self.purpose, "model": self.model} | self.cost.to_dict()


class CostBudget:
    """The calls of one check; `limit_usd` None means without limit.

    The most a call may cost is set aside before it is made, so that calls made at the same time keep the limit too.
    """

    def __init__(self, limit_usd: float | None = None) -> None:
        self.limit_usd = limit_usd
        self.calls: list[ModelCall] = []
        self.declined = 0
        self._reserved = 0.0

    @property
    def spent(self) -> Cost:
        return total(call.cost for call in self.calls)

    def allows(self, usd: float | None) -> bool:
        """Whether a call may be made; one whose price is not known may not where there is a limit to keep."""
        if self.limit_usd is None:
            return True
        after = total_usd((self.spent.usd, self._reserved, usd))
        return after is not None and after <= self.limit_usd

    async def complete(
        self, generator: Generator, messages: Sequence[Message], purpose: str, *, max_tokens: int, **options: Any
    ) -> Completion:
        """A completion that was paid for; BudgetSpentError if it might cost more than is left."""
        most = _most(generator, messages, max_tokens)
        if not self.allows(most):
            self.declined += 1
            raise BudgetSpentError("the budget of this check is spent; raise max_cost_share, or leave the model out")
        self._reserved += most or 0.0
        try:
            completion = await generator.complete(messages, max_tokens=max_tokens, **options)
        finally:
            self._reserved -= most or 0.0
        self.calls.append(ModelCall(purpose, generator.name, cost_of(completion)))
        return completion

    def to_dict(self) -> dict[str, Any]:
        return self.spent.to_dict() | {
            "limit_usd": self.limit_usd,
            "declined": self.declined,
            "by_call": [call.to_dict() for call in self.calls],
        }


def cost_of(completion: Completion | None) -> Cost:
    if completion is None:
        return FREE
    return Cost(1, completion.prompt_tokens, completion.completion_tokens, completion.cost_usd)


def _most(generator: Generator, messages: Sequence[Message], max_tokens: int) -> float | None:
    """What a call costs at most, by the price table; nothing for a generator that has no prices."""
    price: Price | None = getattr(generator, "price", FREE_OF_CHARGE)
    tokens = sum(generator.count_tokens(message.content) for message in messages)
    return None if price is None else price.of(tokens, max_tokens)
