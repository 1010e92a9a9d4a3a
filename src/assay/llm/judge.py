"""A language model as a judge: the last and dearest of the cascade.

Its word is checked like anybody else's: the reply must fit a schema, and the quote it gives must stand in the source it
names. A reply that does not is an ERROR with the reason, never a guess.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

from assay.defuse import defuse_text
from assay.errors import AssayError, GeneratorError, UsageError
from assay.judges import Judge, levels
from assay.judges.asking import Deliberation, not_checkable, unspoken_of, unverified
from assay.judges.budget import Budget
from assay.judges.contract import fit
from assay.lexical.numbers import NumberStatus, prove_numbers
from assay.llm.delimit import Block, fence, fence_passages
from assay.llm.prices import FREE, BudgetSpentError, Price
from assay.llm.prompt import load_prompt
from assay.llm.replies import locate_quote, read_object
from assay.llm.specs import make_generator
from assay.llm.values import Completion, Generator, Message
from assay.llm.waiting import run
from assay.orders import find_order
from assay.policy import Policy
from assay.text.tokens import content_words, stem, tokenize
from assay.types import Claim, Evidence, Judgement, Passage, Stance, Support, Verdict

ORDERED = "INSTRUCTION_FOUND"
NO_VERDICT = "The language model gave no verdict: {}."
ALTERNATIVES = 5  # likeliest tokens beside each, from which it is told how sure the model was of its level
LEVELS = {
    "FULL": (Verdict.SUPPORTED, Support.FULL, Stance.SUPPORTS),
    "PARTIAL": (Verdict.INSUFFICIENT, Support.PARTIAL, Stance.NEUTRAL),
    "NONE": (Verdict.INSUFFICIENT, Support.NONE, Stance.NEUTRAL),
    "CONTRADICTED": (Verdict.REFUTED, Support.CONTRADICTED, Stance.REFUTES),
}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "level": {"type": "string", "enum": list(LEVELS)},
        "inferred": {"type": "boolean"},
        "source": {"type": "string"},
        "quote": {"type": "string"},
        "reason": {"type": "string"},
    },
    "required": ["level", "inferred", "source", "quote", "reason"],
    "additionalProperties": False,
}


class Reservations:
    """A budget shared by calls that run at the same time: the most that one can cost is set aside until it is done."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._open = 0
        self._changed = asyncio.Condition()

    async def take(self, most: float, refuse: Callable[[Budget, float], str | None]) -> str | None:
        """Sets an amount aside, or says why not; waits where a call that is still open may leave enough over."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._open or self.budget.affords(most))
            refusal = refuse(self.budget, most)
            if refusal is None:
                self._open += 1
                self.budget.pay(most)
            return refusal

    async def settle(self, most: float, cost: float) -> None:
        """Replaces what was set aside by what the call did cost."""
        async with self._changed:
            self._open -= 1
            self.budget.pay(cost - most)
            self._changed.notify_all()


class ModelJudge(Judge):
    """Asks a generator about each claim, several at a time, within the budget of the answer.

    `max_usd` is the money for one answer, infinite for any; without it an engine's own budget holds, and none where
    there is no engine.
    """

    reads_whole = True  # what a source says is often clear only from the sentences around

    def __init__(self, generator: Generator, policy: Policy | None = None, *, max_usd: float | None = None) -> None:
        self.generator = generator
        self.policy = policy or Policy()
        self.prompt = load_prompt("judge")
        self.name = f"model:{generator.name}"
        self.max_usd = max_usd

    @property
    def model(self) -> str:
        """What decides besides the claim and its evidence: the model and the prompt's hash."""
        return f"{self.name} {self.prompt.id}"

    @property
    def price(self) -> Price | None:
        """What the model costs; None if its price is not listed."""
        price: Price | None = getattr(self.generator, "price", FREE)
        return price

    def estimate_usd(self, claim: Claim, passages: Sequence[Passage], question: str | None = None) -> float:
        """The most that one judgement can cost; infinite where the price is not listed."""
        if self.price is None:
            return math.inf
        if self.price == FREE:
            return 0.0
        sent = sum(
            self.generator.count_tokens(message.content) for message in self._messages(claim, passages, question)
        )
        return self.price.of(sent, self.policy.writer_max_tokens)

    def judge(
        self, claims: Sequence[Claim], passages: Sequence[Sequence[Passage]], question: str | None = None
    ) -> list[Judgement]:
        """One judgement for each claim; claims without evidence are not sent anywhere."""
        return run(self._judge_all(claims, passages, question, self._own_budget()))

    def deliberate(
        self,
        claims: Sequence[Claim],
        passages: Sequence[Sequence[Passage]],
        question: str | None = None,
        budget: Budget | None = None,
    ) -> Deliberation:
        """The same for a whole answer, within its budget; passages beyond the limits of one judgement are cut."""
        shown, asked, warnings = fit(passages, question, self.policy, self.policy.evidence_tokens)
        limits = budget if self.max_usd is None else self._own_budget()
        judgements = run(self._judge_all(claims, shown, asked, limits))
        return Deliberation(tuple(judgements), warnings=warnings)

    def _own_budget(self) -> Budget | None:
        if self.max_usd is None or math.isinf(self.max_usd):
            return None
        budget = Budget(self.policy)
        budget.max_usd = self.max_usd
        return budget

    async def _judge_all(
        self,
        claims: Sequence[Claim],
        passages: Sequence[Sequence[Passage]],
        question: str | None,
        budget: Budget | None,
    ) -> list[Judgement]:
        slots = asyncio.Semaphore(self.policy.judge_parallel)
        reserved = None if budget is None else Reservations(budget)

        async def one(claim: Claim, found: Sequence[Passage]) -> Judgement:
            if not claim.checkable:
                return not_checkable(claim)
            if not found:
                return unspoken_of()
            async with slots:
                if reserved is None:
                    return (await self._judge_one(claim, found, question))[0]
                most = self.estimate_usd(claim, found, question)
                if refusal := await reserved.take(most, self._beyond):
                    return unverified(NO_VERDICT.format(refusal))
                judgement, cost = await self._judge_one(claim, found, question)
                await reserved.settle(most, judgement.cost_usd)
                return self._error(self._unlisted()) if cost is None else judgement

        return list(await asyncio.gather(*(one(c, p) for c, p in zip(claims, passages, strict=True))))

    def _beyond(self, budget: Budget, most: float) -> str | None:
        """Why a call may not be made."""
        if budget.out_of_time:
            return f"the time budget of {budget.max_ms:g} ms is used up"
        if math.isinf(most):
            return self._unlisted()
        spent = budget.spent_usd > 0 and budget.spent_usd >= budget.max_usd
        if spent or not budget.affords(most):
            return f"the money budget of this answer (max_usd {budget.max_usd:g}) is spent"
        return None

    def _unlisted(self) -> str:
        return f"the price of {self.generator.name} is not listed, and a money budget is set"

    def _messages(self, claim: Claim, passages: Sequence[Passage], question: str | None) -> list[Message]:
        said = defuse_text(f"{claim.context} {claim.text}".strip())
        return self.prompt.fill(
            question=fence([Block("question", defuse_text(question))]) + "\n\n" if question else "",
            sources=fence_passages(passages, self.policy.evidence_tokens),
            claim=fence([Block("claim", said)]),
        )

    async def _judge_one(
        self, claim: Claim, passages: Sequence[Passage], question: str | None
    ) -> tuple[Judgement, float | None]:
        """A judgement, and what it cost; a cost that is not known is left out of the judgement."""
        started = perf_counter()
        messages = self._messages(claim, passages, question)
        completion: Completion | None = None
        try:
            completion = await self._complete(messages)
            judgement = self._temper(self._read(completion, passages), claim, passages)
        except BudgetSpentError as problem:
            judgement = unverified(NO_VERDICT.format(problem))
        except AssayError as problem:
            judgement = self._error(str(problem))
        spent = completion.cost_usd if completion else 0.0
        return replace(judgement, latency_ms=(perf_counter() - started) * 1000, cost_usd=spent or 0.0), spent

    async def _complete(self, messages: Sequence[Message]) -> Completion:
        """With log-probabilities where the provider gives them, without where it refuses."""
        ask = partial(self.generator.complete, messages, max_tokens=self.policy.writer_max_tokens, schema=SCHEMA)
        try:
            return await ask(logprobs=ALTERNATIVES)
        except UsageError:
            return await ask()
        except GeneratorError as problem:
            if "logprob" not in str(problem).lower():
                raise
            return await ask()

    def _read(self, completion: Completion, passages: Sequence[Passage]) -> Judgement:
        reply, chances = read_reply(completion.text), read_chances(completion)
        verdict, support, stance = LEVELS[reply["level"]]
        evidence = _find_quote(reply["source"], reply["quote"], passages, stance)
        if evidence is None and verdict is not Verdict.INSUFFICIENT:
            # Without words to show there is no receipt, and without a receipt no verdict.
            raise GeneratorError("the judge's quote does not stand in the sources, so its verdict cannot be shown")
        # How sure a level is stands in the table of the ledger: what a model says of its own sureness means nothing.
        # That it was torn between two levels when it named this one does.
        close = [] if evidence is None or evidence.similarity is None else [evidence.similarity]
        sure = levels.level_confidence(support, close, inferred=reply["inferred"])
        return Judgement(
            verdict,
            levels.UNSETTLED if support is Support.NONE else min(sure, chances.get(reply["level"], 1.0)),
            self.name,
            support,
            " ".join(reply["reason"].split())[:600],
            (evidence,) if evidence else (),
            support_probability=chances.get("FULL"),
        )

    def _temper(self, judgement: Judgement, claim: Claim, passages: Sequence[Passage]) -> Judgement:
        """Support is taken back where the model may have been talked into it, or where a name or number is missing."""
        if judgement.verdict is not Verdict.SUPPORTED:
            return judgement
        objection = find_objection(claim, passages, judgement.evidence[0].quote)
        if objection is None:
            return judgement
        code, reason = objection
        unsure = levels.UNSETTLED
        return replace(
            judgement,
            verdict=Verdict.INSUFFICIENT,
            support=Support.PARTIAL,
            confidence=min(judgement.confidence, unsure),
            explanation=f"The language model's support is not taken: {reason}.",
            evidence=tuple(replace(item, stance=Stance.NEUTRAL) for item in judgement.evidence),
            violations=(*judgement.violations, code),
            support_probability=None,
        )

    def _error(self, reason: str) -> Judgement:
        return Judgement(Verdict.ERROR, 0.0, self.name, explanation=NO_VERDICT.format(reason))


def make_model_judge(spec: str, policy: Policy) -> ModelJudge:
    """The judge `model:SPEC`: `openai/gpt-4o-mini`, or a generator's full spec such as `openai:NAME@http://HOST/v1`.

    A model that costs money needs a budget in the policy, and one whose price is not known cannot keep it.
    """
    provider, mark, rest = min((spec.partition(sign) for sign in "/:"), key=lambda parts: len(parts[0]))
    if provider == "extractive":
        raise UsageError("the extractive writer only quotes; a judge is openai/NAME, anthropic/NAME or local:PATH.gguf")
    judge = ModelJudge(
        make_generator(f"{provider}:{rest}" if mark and provider.isidentifier() else spec, policy=policy), policy
    )
    if judge.price is None:
        raise UsageError(
            f"the price of {judge.generator.name} is not listed, so max_usd cannot hold; "
            "add it to a price table (ASSAY_PRICES)"
        )
    if judge.price != FREE and not policy.max_usd:
        raise UsageError(
            f"{judge.generator.name} costs money and max_usd is 0: set it in the policy, or as ASSAY_MAX_USD=0.05 "
            "(US dollars for one answer)"
        )
    return judge


def read_reply(text: str) -> dict[str, Any]:
    """The judge's reply as checked values; anything else is a GeneratorError that says what is wrong with it."""
    reply = read_object(text, ("level",))
    level = reply.get("level")
    named = level.strip().upper() if isinstance(level, str) else level
    if named not in LEVELS:
        raise GeneratorError(f"the judge's level is {level!r}, not one of {', '.join(LEVELS)}")
    inferred = {"true": True, "false": False}.get(str(reply.get("inferred")).strip().lower())
    if inferred is None:
        raise GeneratorError(f'the judge\'s "inferred" is {reply.get("inferred")!r}, not true or false')
    for name in ("source", "quote", "reason"):
        if not isinstance(reply.get(name), str):
            raise GeneratorError(f"the judge's reply has no text for {name!r}")
    return reply | {"level": named, "inferred": inferred}


def read_chances(completion: Completion) -> dict[str, float]:
    """How likely the model took each level to be, by the log-probabilities of the first token of the one it named."""
    before = ""
    for token in completion.logprobs or ():
        if '"level"' in before and _meant(token.token):
            chances = dict.fromkeys(LEVELS, 0.0)
            for text, logprob in ({token.token: token.logprob} | dict(token.top)).items():
                for level in _meant(text):
                    chances[level] += math.exp(logprob)
            return {level: chance / sum(chances.values()) for level, chance in chances.items()}
        before += token.token
    return {}


def _meant(token: str) -> list[str]:
    """The levels that begin with a token."""
    start = token.strip(' "').upper()
    return [level for level in LEVELS if start and level.startswith(start)]


def find_objection(claim: Claim, passages: Sequence[Passage], quote: str) -> tuple[str, str] | None:
    """Why a model's support for a claim cannot be taken: a code, and the reason in plain words."""
    for text in (claim.text, *(passage.text for passage in passages)):
        if told := find_order(text):
            return ORDERED, f"the text it was shown tells it what to say (“{told[:80]}”)"
    shown = " ".join(f"{passage.document.title} {passage.text}" for passage in passages)
    held = {stem(token.text.lower()) for token in tokenize(f"{shown} {claim.context}")}
    words = [token.text for token in tokenize(claim.text)]
    named = [word for number, word in enumerate(words) if number and word[0].isupper() and len(word) > 1]
    missing = [word for word in named if stem(word.lower()) not in held]
    if missing:
        return "NAME_NOT_FOUND", f"no source has the name “{missing[0]}”"
    ours, theirs = ({stem(t.text.lower()) for t in content_words(text)} for text in (claim.text, quote))
    if ours and not ours & theirs:
        return "QUOTE_OFF_TOPIC", "the words that it quotes do not speak of the claim"
    proof = prove_numbers(claim.text, shown)
    if any(check.status in (NumberStatus.DIFFERENT, NumberStatus.ABSENT) for check in proof.checks):
        return "NUMBER_NOT_FOUND", proof.explanation.rstrip(".")
    return None


def _find_quote(source: str, quote: str, passages: Sequence[Passage], stance: Stance) -> Evidence | None:
    """The receipt for the quoted words: in the named source first, then in any other; spaces may differ."""
    if not quote.strip():
        return None
    named = [p for number, p in enumerate(passages, 1) if f"E{number}" == source.strip()]
    for passage in [*named, *(p for p in passages if p not in named)]:
        if place := locate_quote(quote, passage.text):
            start = passage.start + place[0]
            end = passage.start + place[1]
            return Evidence.cite(passage.document, start, end, stance=stance, similarity=passage.similarity)
    return None
