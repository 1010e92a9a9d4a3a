"""What a language model says without the evidence, and whether that is the same as the answer."""

from __future__ import annotations

from assay.defuse import defuse_text
from assay.epistemic.budget import CostBudget
from assay.epistemic.model_assessor import HOME
from assay.epistemic.similarity import Compare
from assay.errors import GeneratorError
from assay.llm.delimit import Block, fence
from assay.llm.prompt import load_prompt
from assay.llm.replies import read_object, read_share
from assay.llm.values import Generator, Schema

ANSWER_TOKENS = 256
LIKENESS_TOKENS = 32
LIKENESS: Schema = {
    "type": "object",
    "properties": {"similarity": {"type": "number", "minimum": 0, "maximum": 1}},
    "required": ["similarity"],
    "additionalProperties": False,
}


async def answer_without(generator: Generator, question: str, budget: CostBudget) -> str:
    """The model's answer from memory alone; raises GeneratorError where there is none."""
    messages = load_prompt("answer", home=HOME).fill(blocks=fence([Block("question", question)]))
    return (await budget.complete(generator, messages, "answer without evidence", max_tokens=ANSWER_TOKENS)).text


def compare_by(generator: Generator, budget: CostBudget) -> Compare:
    """A judge of likeness that asks the model; None where its reply cannot be used or the budget is spent."""

    async def compare(one: str, other: str) -> float | None:
        blocks = fence([Block("first", defuse_text(one)), Block("second", defuse_text(other))])
        messages = load_prompt("same", home=HOME).fill(blocks=blocks)
        try:
            completion = await budget.complete(
                generator, messages, "compare", max_tokens=LIKENESS_TOKENS, schema=LIKENESS
            )
            return read_share(read_object(completion.text, ("similarity",)).get("similarity"))
        except GeneratorError:
            return None

    return compare
