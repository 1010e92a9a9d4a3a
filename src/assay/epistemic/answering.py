"""What a language model says without the evidence, and whether that is the same as the answer."""

from __future__ import annotations

from assay.defuse import defuse_text
from assay.epistemic.asking import HOME, Purse, cost_of, estimate, read_json
from assay.epistemic.similarity import Compare
from assay.errors import GeneratorError
from assay.llm.delimit import Block, fence
from assay.llm.prompt import load_prompt
from assay.llm.values import Generator, Schema

ANSWER_TOKENS = 256
LIKENESS_TOKENS = 32
LIKENESS: Schema = {
    "type": "object",
    "properties": {"similarity": {"type": "number", "minimum": 0, "maximum": 1}},
    "required": ["similarity"],
    "additionalProperties": False,
}


async def answer_without(generator: Generator, question: str, purse: Purse) -> str:
    """The model's answer from memory alone; raises GeneratorError where there is none."""
    messages = load_prompt("answer", home=HOME).fill(blocks=fence([Block("question", question)]))
    tokens = sum(generator.count_tokens(message.content) for message in messages)
    if not purse.allows(estimate(generator, tokens, ANSWER_TOKENS)):
        raise GeneratorError("the budget of this check is spent; raise max_cost_share or leave the generator out")
    completion = await generator.complete(messages, max_tokens=ANSWER_TOKENS)
    purse.pay(cost_of(completion))
    return completion.text


def compare_by(generator: Generator, purse: Purse) -> Compare:
    """A judge of likeness that asks the model; None where its reply cannot be used or the budget is spent."""

    async def compare(one: str, other: str) -> float | None:
        blocks = fence([Block("first", defuse_text(one)), Block("second", defuse_text(other))])
        messages = load_prompt("same", home=HOME).fill(blocks=blocks)
        tokens = sum(generator.count_tokens(message.content) for message in messages)
        if not purse.allows(estimate(generator, tokens, LIKENESS_TOKENS)):
            return None
        try:
            completion = await generator.complete(messages, max_tokens=LIKENESS_TOKENS, schema=LIKENESS)
        except GeneratorError:
            return None
        purse.pay(cost_of(completion))
        found = read_json(completion.text)
        value = found.get("similarity") if not isinstance(found, str) else None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            return None
        return float(value)

    return compare
