"""What a language model says without the evidence, and whether that is the same as the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from assay.defuse import defuse_text
from assay.errors import GeneratorError
from assay.llm.delimit import Block, fence
from assay.llm.prices import CostBudget, Metered
from assay.llm.prompt import load_prompt
from assay.llm.replies import read_object, read_share
from assay.llm.values import Generator, Schema
from assay.memory.embed import DEFAULT_EMBEDDER, load_embedder

HOME = "assay.epistemic"  # where the prompts are
ANSWER_TOKENS = 256
LIKENESS_TOKENS = 32
LIKENESS: Schema = {
    "type": "object",
    "properties": {"similarity": {"type": "number", "minimum": 0, "maximum": 1}},
    "required": ["similarity"],
    "additionalProperties": False,
}
SIMILARITY_LOW = 0.4  # below this two texts are taken as different without asking a judge
SIMILARITY_HIGH = 0.7  # above this they are taken as the same
Compare = Callable[[str, str], Awaitable[float | None]]
"""A judge of likeness, from 0 to 1; None where it cannot tell."""


async def answer_without(generator: Generator, question: str, budget: CostBudget) -> str:
    """The model's answer from memory alone; raises GeneratorError where there is none."""
    messages = load_prompt("answer", home=HOME).fill(blocks=fence([Block("question", question)]))
    model = Metered(generator, budget, "answer without evidence")
    return (await model.complete(messages, max_tokens=ANSWER_TOKENS)).text


def compare_by(generator: Generator, budget: CostBudget) -> Compare:
    """A judge of likeness that asks the model; None where its reply cannot be used or the budget is spent."""
    model = Metered(generator, budget, "compare")

    async def compare(one: str, other: str) -> float | None:
        blocks = fence([Block("first", defuse_text(one)), Block("second", defuse_text(other))])
        messages = load_prompt("same", home=HOME).fill(blocks=blocks)
        try:
            completion = await model.complete(messages, max_tokens=LIKENESS_TOKENS, schema=LIKENESS)
            return read_share(read_object(completion.text, ("similarity",)).get("similarity"))
        except GeneratorError:
            return None

    return compare


async def similarity(one: str, other: str, *, compare: Compare | None = None) -> float:
    """The cosine, or inside the unsure band what the judge says; without a judge, or if it fails, the cosine stands."""
    value = await asyncio.to_thread(cosine, one, other)
    if compare is None or not SIMILARITY_LOW <= value <= SIMILARITY_HIGH:
        return value
    said = await compare(one, other)
    return value if said is None else said


def cosine(one: str, other: str) -> float:
    """The cosine of two texts, from 0 to 1 (below zero means nothing more than unlike)."""
    if not one.strip() or not other.strip():
        return 0.0
    rows = load_embedder(DEFAULT_EMBEDDER).embed([one, other])
    return min(1.0, max(0.0, float(rows[0] @ rows[1])))
