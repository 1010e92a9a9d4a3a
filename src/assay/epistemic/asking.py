"""A language model as referee: structured output, its quote checked against the evidence, nonsense is an error."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import exp
from typing import Any

from assay.defuse import defuse_text
from assay.epistemic.opinion import FREE, NO_EVIDENCE, Cost, Opinion, Referee
from assay.errors import GeneratorError, UsageError
from assay.llm.delimit import Block, fence
from assay.llm.prices import FREE as FREE_OF_CHARGE
from assay.llm.prices import Price, total_usd
from assay.llm.prompt import Prompt, load_prompt
from assay.llm.values import Completion, Generator, Message, Schema
from assay.text.tokens import content_words, stem
from assay.types import Claim, Document, Evidence, Stance, Support, Verdict

HOME = "assay.epistemic"
ANSWER_TOKENS = 256
ALTERNATIVES = 5
VERDICTS = (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INSUFFICIENT)
SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": [verdict.value for verdict in VERDICTS]},
        "support": {"type": "number", "minimum": 0, "maximum": 1},
        "quote": {"type": "string"},
        "reason": {"type": "string"},
    },
    "required": ["verdict", "support", "quote", "reason"],
    "additionalProperties": False,
}
STANCES = {Verdict.SUPPORTED: Stance.SUPPORTS, Verdict.REFUTED: Stance.REFUTES}
DEGREES = {Verdict.SUPPORTED: Support.FULL, Verdict.REFUTED: Support.CONTRADICTED}


SPENT = Opinion.failed("the budget of this check is spent")


class Purse:
    """What may still be spent; None means without limit."""

    def __init__(self, limit_usd: float | None = None) -> None:
        self.limit_usd = limit_usd
        self.spent = FREE
        self.declined = 0

    def allows(self, usd: float | None) -> bool:
        """Whether a call may be made; one whose price is not known may not where there is a limit to keep."""
        if self.limit_usd is None:
            return True
        after = total_usd((self.spent.usd, usd))
        return after is not None and after <= self.limit_usd

    def pay(self, cost: Cost) -> None:
        self.spent = self.spent + cost


class ModelReferee:
    """Asks a generator how far the evidence supports a claim.

    Support counts only with a quote that stands in the evidence and speaks of the claim: a source that says "answer
    SUPPORTED" can be quoted, but says nothing about the claim.
    """

    def __init__(self, generator: Generator, purse: Purse | None = None, prompt: Prompt | None = None) -> None:
        self.generator = generator
        self.purse = purse or Purse()
        self.prompt = prompt or load_prompt("judge", home=HOME)

    @property
    def name(self) -> str:
        return f"{self.generator.name}:{self.prompt.id}"

    async def weigh(self, claim: Claim, documents: Sequence[Document], question: str | None = None) -> Opinion:
        filled = [document for document in documents if document.text.strip()]
        if not filled:
            return NO_EVIDENCE
        blocks = [Block("evidence", defuse_text(d.text), d.id, d.title) for d in filled]
        said = defuse_text(f"{claim.context}\n{claim.text}".strip())
        asked = fence([Block("question", defuse_text(question))]) + "\n\n" if question else ""
        messages = self.prompt.fill(question=asked, blocks=fence([*blocks, Block("claim", said)]))
        tokens = sum(self.generator.count_tokens(message.content) for message in messages)
        if not self.purse.allows(estimate(self.generator, tokens, ANSWER_TOKENS)):
            self.purse.declined += 1
            return SPENT
        try:
            completion = await self._complete(messages)
        except GeneratorError as problem:
            return Opinion.failed(f"{self.generator.name} failed: {problem}")
        cost = cost_of(completion)
        self.purse.pay(cost)
        return read_opinion(completion, claim, filled, cost)

    async def _complete(self, messages: Sequence[Message]) -> Completion:
        """With log-probabilities where the provider gives them."""
        try:
            return await self.generator.complete(
                messages, max_tokens=ANSWER_TOKENS, schema=SCHEMA, logprobs=ALTERNATIVES
            )
        except UsageError:
            return await self.generator.complete(messages, max_tokens=ANSWER_TOKENS, schema=SCHEMA)


class ThriftyReferee:
    """Asks one referee while the money lasts, and one that costs nothing afterwards."""

    def __init__(self, paid: Referee, free: Referee) -> None:
        self.paid, self.free = paid, free

    @property
    def name(self) -> str:
        return self.paid.name

    async def weigh(self, claim: Claim, documents: Sequence[Document], question: str | None = None) -> Opinion:
        opinion = await self.paid.weigh(claim, documents, question)
        return await self.free.weigh(claim, documents, question) if opinion is SPENT else opinion


def read_opinion(completion: Completion, claim: Claim, documents: Sequence[Document], cost: Cost = FREE) -> Opinion:
    """The opinion that a completion states; whatever is not exactly that is an error."""
    found = read_json(completion.text)
    if isinstance(found, str):
        return Opinion.failed(f"the judge's reply cannot be used: {found}", cost)
    verdict, support = found.get("verdict"), found.get("support")
    if verdict not in {known.value for known in VERDICTS}:
        return Opinion.failed(f"the judge's reply cannot be used: no verdict, but {verdict!r}", cost)
    if isinstance(support, bool) or not isinstance(support, int | float) or not 0 <= support <= 1:
        return Opinion.failed(f"the judge's reply cannot be used: support is {support!r}", cost)
    said = Verdict(verdict)
    if (said is Verdict.SUPPORTED) != (support > 0.5):
        return Opinion.failed(f"the judge contradicts itself: {verdict} with a support of {support}", cost)
    likely = read_probability(completion)
    support = float(support) if likely is None else likely
    quote = found.get("quote")
    place = locate(quote, documents) if isinstance(quote, str) else None
    if said is Verdict.SUPPORTED and (place is None or not speaks_of(place.quote, claim)):
        why = "its quote does not stand in the evidence" if place is None else "its quote does not speak of the claim"
        return Opinion(
            min(support, 1 - support), Verdict.INSUFFICIENT, f"The judge said SUPPORTED, but {why}.", cost=cost
        )
    evidence = () if place is None else (cited(place, documents, STANCES.get(said, Stance.NEUTRAL)),)
    return Opinion(
        support, said, str(found.get("reason") or ""), evidence, degree=DEGREES.get(said, Support.NONE), cost=cost
    )


def read_json(text: str) -> Mapping[str, Any] | str:
    """The one object of a reply, which may stand in a code fence; otherwise what is wrong with it."""
    stripped = re.sub(r"^\s*```(?:json)?\s*|\s*```\s*$", "", text)
    try:
        found = json.loads(stripped)
    except ValueError:
        return f"no JSON: {text[:80]!r}"
    return found if isinstance(found, dict) else f"JSON, but a {type(found).__name__}"


def read_probability(completion: Completion) -> float | None:
    """P(SUPPORTED) by the log-probabilities of the verdict's first token; None where they are not given."""
    before = ""
    for token in completion.logprobs or ():
        start = token.token.strip(' "').upper()
        if '"verdict"' in before and start and any(verdict.value.startswith(start) for verdict in VERDICTS):
            chances = dict.fromkeys(VERDICTS, 0.0)
            for text, logprob in ({token.token: token.logprob} | dict(token.top)).items():
                head = text.strip(' "').upper()
                for verdict in VERDICTS:
                    if head and verdict.value.startswith(head):
                        chances[verdict] += exp(logprob)
            whole = sum(chances.values())
            return chances[Verdict.SUPPORTED] / whole if whole else None
        before += token.token
    return None


def locate(quote: str, documents: Sequence[Document]) -> Evidence | None:
    """Where the quote stands, white space and case aside."""
    words = quote.split()
    if not words:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    for document in documents:
        if match := pattern.search(document.text):
            return Evidence.cite(document, match.start(), match.end())
    return None


def cited(place: Evidence, documents: Sequence[Document], stance: Stance) -> Evidence:
    document = next(document for document in documents if document.id == place.document)
    return Evidence.cite(document, place.start, place.end, stance=stance)


def speaks_of(quote: str, claim: Claim) -> bool:
    """Whether a quote shares a word that means something with the claim."""
    ours = {stem(token.text.lower()) for token in content_words(claim.text)}
    theirs = {stem(token.text.lower()) for token in content_words(quote)}
    return bool(ours & theirs) or not ours


def cost_of(completion: Completion) -> Cost:
    return Cost(1, completion.prompt_tokens, completion.completion_tokens, completion.cost_usd)


def estimate(generator: Generator, prompt_tokens: int, most_tokens: int) -> float | None:
    """What a call costs at most, by the price table; nothing for a generator that has no prices."""
    price: Price | None = getattr(generator, "price", FREE_OF_CHARGE)
    return None if price is None else price.of(prompt_tokens, most_tokens)
