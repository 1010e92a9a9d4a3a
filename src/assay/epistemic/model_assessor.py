"""A language model as assessor: structured output, its quote checked against the evidence, nonsense is an error."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from assay.defuse import defuse_text
from assay.epistemic.assessment import FREE, NO_EVIDENCE, Assessment, Assessor, Cost
from assay.epistemic.budget import BudgetSpentError, CostBudget, cost_of
from assay.errors import GeneratorError, UsageError
from assay.llm.delimit import Block, fence
from assay.llm.judge import find_objection
from assay.llm.prompt import Prompt, load_prompt
from assay.llm.replies import locate_quote, read_object, read_share
from assay.llm.values import Completion, Generator, Message, Schema
from assay.text.tokens import content_words, stem
from assay.types import Claim, Document, Evidence, Passage, Stance, Support, Verdict

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


class ModelAssessor:
    """Asks a generator how far the evidence supports a claim; raises BudgetSpentError when that may not be paid for.

    Support counts only with a quote that stands in the evidence and speaks of the claim: a source that says "answer
    SUPPORTED" can be quoted, but says nothing about the claim.
    """

    def __init__(self, generator: Generator, budget: CostBudget | None = None, prompt: Prompt | None = None) -> None:
        self.generator = generator
        self.budget = budget or CostBudget()
        self.prompt = prompt or load_prompt("judge", home=HOME)

    @property
    def name(self) -> str:
        return f"{self.generator.name}:{self.prompt.id}"

    async def assess(self, claim: Claim, documents: Sequence[Document], question: str | None = None) -> Assessment:
        filled = [document for document in documents if document.text.strip()]
        if not filled:
            return NO_EVIDENCE
        blocks = [Block("evidence", defuse_text(d.text), d.id, d.title) for d in filled]
        said = defuse_text(f"{claim.context}\n{claim.text}".strip())
        asked = fence([Block("question", defuse_text(question))]) + "\n\n" if question else ""
        messages = self.prompt.fill(question=asked, blocks=fence([*blocks, Block("claim", said)]))
        try:
            completion = await self._complete(messages)
        except BudgetSpentError:
            raise
        except GeneratorError as problem:
            return Assessment.failed(f"{self.generator.name} failed: {problem}")
        return read_assessment(completion, claim, filled, cost_of(completion))

    async def _complete(self, messages: Sequence[Message]) -> Completion:
        """With log-probabilities where the provider gives them, without where it refuses."""
        try:
            return await self._ask(messages, ALTERNATIVES)
        except UsageError:
            return await self._ask(messages, 0)
        except GeneratorError as problem:
            if "logprob" not in str(problem).lower():
                raise
            return await self._ask(messages, 0)

    async def _ask(self, messages: Sequence[Message], logprobs: int) -> Completion:
        return await self.budget.complete(
            self.generator, messages, "judge", max_tokens=ANSWER_TOKENS, schema=SCHEMA, logprobs=logprobs
        )


class BudgetedAssessor:
    """Asks one assessor while the money lasts, and one that costs nothing afterwards."""

    def __init__(self, paid: Assessor, free: Assessor) -> None:
        self.paid, self.free = paid, free

    @property
    def name(self) -> str:
        return self.paid.name

    async def assess(self, claim: Claim, documents: Sequence[Document], question: str | None = None) -> Assessment:
        try:
            return await self.paid.assess(claim, documents, question)
        except BudgetSpentError:
            return await self.free.assess(claim, documents, question)


def read_assessment(
    completion: Completion, claim: Claim, documents: Sequence[Document], cost: Cost = FREE
) -> Assessment:
    """The assessment that a completion states; what cannot be made out is an error."""
    try:
        found = read_object(completion.text, ("verdict", "support"))
    except GeneratorError as problem:
        return Assessment.failed(f"the judge: {problem}", cost)
    said = str(found.get("verdict")).strip().upper()
    if said not in {known.value for known in VERDICTS}:
        reason = f"the judge's reply cannot be used: no verdict, but {found.get('verdict')!r}"
        return Assessment.failed(reason, cost)
    verdict, support = Verdict(said), read_share(found.get("support"))
    if support is None:
        return Assessment.failed(f"the judge's reply cannot be used: support is {found.get('support')!r}", cost)
    if (verdict is Verdict.SUPPORTED) != (support > 0.5):
        return Assessment.failed(f"the judge contradicts itself: {said} with a support of {support}", cost)
    likely = read_probability(completion)
    support = support if likely is None else likely
    quote = found.get("quote")
    place = _locate(quote, documents, STANCES.get(verdict, Stance.NEUTRAL)) if isinstance(quote, str) else None
    if verdict is Verdict.SUPPORTED and (why := _objection(place, claim, documents)):
        reason = f"The judge said SUPPORTED, but {why}."
        return Assessment(min(support, 1 - support), Verdict.INSUFFICIENT, reason, cost=cost, chance=0.0)
    return Assessment(
        support,
        verdict,
        str(found.get("reason") or ""),
        () if place is None else (place,),
        degree=DEGREES.get(verdict, Support.NONE),
        cost=cost,
    )


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


def _locate(quote: str, documents: Sequence[Document], stance: Stance) -> Evidence | None:
    for document in documents:
        if place := locate_quote(quote, document.text):
            return Evidence.cite(document, *place, stance=stance)
    return None


def _objection(place: Evidence | None, claim: Claim, documents: Sequence[Document]) -> str | None:
    """Why a model's support is not taken."""
    if place is None:
        return "its quote does not stand in the evidence"
    ours = {stem(token.text.lower()) for token in content_words(claim.text)}
    theirs = {stem(token.text.lower()) for token in content_words(place.quote)}
    if ours and not ours & theirs:
        return "its quote does not speak of the claim"
    found = find_objection(claim, [Passage(document, 0, len(document.text)) for document in documents])
    return None if found is None else found[1]
