"""A language model as judge, by a scripted one."""

from __future__ import annotations

import asyncio
import json
from math import log

import pytest

from assay.epistemic import EpistemicConfig, detect_hallucinations, evidence_dependence, verify_claim
from assay.epistemic.budget import CostBudget
from assay.epistemic.cache import AssessmentCache
from assay.epistemic.checker import Checker
from assay.epistemic.model_assessor import read_assessment, read_probability
from assay.errors import GeneratorError, UsageError
from assay.llm import Completion, Scripted, TokenLogprob
from assay.llm.prices import Price
from assay.llm.waiting import run
from assay.types import Claim, Document, Span, Verdict

GUIDE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
TEXT = "Mount Everest is 8,849 m high."
CLAIM = Claim(TEXT, (Span(0, len(TEXT)),))
DOCUMENTS = [Document("1", GUIDE)]


def reply(verdict="SUPPORTED", support=0.97, quote=TEXT, reason="it says so", **more) -> str:
    return json.dumps({"verdict": verdict, "support": support, "quote": quote, "reason": reason, **more})


NOTHING = reply("INSUFFICIENT", 0.05, "")


def check(*replies, **options):
    checker = Checker(judge="lexical", generator=Scripted(replies), cache=AssessmentCache(), **options)
    return run(checker.verify_claim(TEXT, GUIDE)), checker


def test_a_supported_claim_with_its_quote():
    found, checker = check(reply(), NOTHING)
    assert not found.is_flagged
    assert found.evidence_support == 0.97
    assert found.evidence_dependence == pytest.approx(0.92)
    assert found.evidence[0].quote == TEXT
    assert found.consistency_score > 0.9  # Assay's own judge is the second reading
    first, second = checker.generator.calls
    assert first.options["schema"]["required"] == ["verdict", "support", "quote", "reason"]
    assert TEXT in first.messages[-1].content.split("<claim")[0]
    assert TEXT not in second.messages[-1].content.split("<claim")[0]  # scrubbed


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("I think it is supported.", "not JSON"),
        ("[1, 2]", "not JSON"),
        (reply(verdict="TRUE"), "no verdict"),
        (reply(support="high"), "support is 'high'"),
        (reply(support=1.5), "support is 1.5"),
        (reply(support=True), "support is True"),
        (reply(support=0.1), "contradicts itself"),
        (reply("REFUTED", 0.9), "contradicts itself"),
    ],
)
def test_what_cannot_be_parsed_is_an_error_and_not_a_half(said, why):
    found, _ = check(said)
    assert found.verdict is Verdict.ERROR
    assert found.evidence_support is None
    assert why in found.flag_reason


def test_a_model_that_fails_is_an_error():
    found, _ = check(GeneratorError("no route"))
    assert found.verdict is Verdict.ERROR
    assert "no route" in found.flag_reason


@pytest.mark.parametrize("quote", ["", "Everest is 9,000 m high.", "It was first climbed"])
def test_support_counts_only_with_a_quote_that_speaks_of_the_claim(quote):
    found = read_assessment(Completion(reply(quote=quote), "m"), CLAIM, DOCUMENTS)
    assert found.verdict is Verdict.INSUFFICIENT
    assert found.support < 0.5


@pytest.mark.parametrize("support", [0.6, 0.97])
def test_support_that_is_not_taken_is_flagged_however_sure_the_model_is(support):
    found, _ = check(reply(support=support, quote=""), NOTHING)
    assert found.is_flagged
    assert not found.doubt


def test_a_reply_in_a_code_fence_is_read():
    assert read_assessment(Completion(f"```json\n{reply()}\n```", "m"), CLAIM, DOCUMENTS).support == 0.97


@pytest.mark.parametrize(
    "said",
    [
        f"<think>The evidence says so.</think>\nMy verdict: {reply()} Hope that helps!",
        reply(verdict="supported"),
        reply(support="0.97"),
        reply(support="97%"),
        reply(quote="Mount Everest … 8,849 m high."),
    ],
)
def test_a_reply_is_read_leniently_where_its_meaning_is_plain(said):
    found = read_assessment(Completion(said, "m"), CLAIM, DOCUMENTS)
    assert (found.verdict, found.support) == (Verdict.SUPPORTED, 0.97)
    assert found.evidence[0].quote.endswith("8,849 m high.")


def test_a_changed_digit_is_not_supported_whatever_the_model_says():
    wrong = Claim("Mount Everest is 8,489 m high.", (Span(0, 30),))
    found = read_assessment(Completion(reply(), "m"), wrong, DOCUMENTS)
    assert found.verdict is Verdict.INSUFFICIENT
    assert "8,489" in found.explanation


def test_log_probabilities_are_used_where_they_are_given():
    top = {"SUPP": log(0.6), " REF": log(0.2), "INS": log(0.2), "SU": log(0.1)}
    tokens = [TokenLogprob('{"verdict": "', 0.0), TokenLogprob("SUPP", log(0.6), top), TokenLogprob("ORTED", 0.0)]
    completion = Completion(reply(), "m", logprobs=tuple(tokens))
    assert read_probability(completion) == pytest.approx(0.7 / 1.1)
    assert read_assessment(completion, CLAIM, DOCUMENTS).support == pytest.approx(0.7 / 1.1)
    assert read_probability(Completion(reply(), "m")) is None


def test_a_provider_without_log_probabilities_is_asked_without_them():
    class Plain(Scripted):
        async def complete(self, messages, **options):
            if options.get("logprobs"):
                raise UsageError("no log-probabilities here")
            return await super().complete(messages, **options)

    checker = Checker(judge="lexical", generator=Plain([reply(), NOTHING]), cache=AssessmentCache())
    assert not run(checker.verify_claim(TEXT, GUIDE)).is_flagged


def test_a_provider_that_refuses_log_probabilities_is_asked_without_them():
    class Refusing(Scripted):
        async def complete(self, messages, **options):
            if options.get("logprobs"):
                raise GeneratorError("status 400: logprobs is not supported")
            return await super().complete(messages, **options)

    checker = Checker(judge="lexical", generator=Refusing([reply(), NOTHING]), cache=AssessmentCache())
    assert not run(checker.verify_claim(TEXT, GUIDE)).is_flagged


def test_the_same_question_is_asked_once_and_costs_nothing_again():
    model = Scripted([Completion(reply(), "m", 100, 10, 0.5), Completion(NOTHING, "m", 100, 10, 0.5)])
    kept = AssessmentCache()
    first = run(Checker(judge="lexical", generator=model, cache=kept).verify_claim(TEXT, GUIDE))
    again = run(Checker(judge="lexical", generator=model, cache=kept).verify_claim(TEXT, GUIDE))
    assert len(model.calls) == 2
    assert (first.cost_usd, again.cost_usd) == (1.0, 0.0)
    assert again.evidence_support == first.evidence_support
    other = Scripted([reply(), NOTHING], name="another")
    run(Checker(judge="lexical", generator=other, cache=kept).verify_claim(TEXT, GUIDE))
    assert len(other.calls) == 2  # another model's opinion is not taken for its own


RESPONSE = f"{TEXT} Mount Everest was first climbed in 1953, as everybody who has read about mountains surely knows."


class Paid(Scripted):
    """A script that has a price, or one that is not known."""

    price = Price(0.15, 0.6)


class Unlisted(Scripted):
    price = None


@pytest.mark.parametrize("kind", [Paid, Unlisted])
def test_costs_are_counted_and_the_budget_is_never_overrun(kind):
    model = kind([Completion(reply(), "m", 100, 10, 0.001)] * 20)
    report = detect_hallucinations(RESPONSE, {"1": GUIDE}, judge="lexical", generator=model, answer_cost_usd=0.000001)
    assert model.calls == []
    assert report.errors == 0  # Assay's own judge, which costs nothing, takes its place
    assert report.claims[0].verdict is Verdict.SUPPORTED
    assert report.cost["usd"] == 0.0
    assert report.cost["declined"] > 0
    assert report.cost["limit_usd"] == pytest.approx(0.0000001)


def test_a_cost_that_is_not_known_is_shown_as_unknown():
    model = Unlisted([Completion(reply(), "m", 100, 10, None)] * 20)
    report = detect_hallucinations(RESPONSE, {"1": GUIDE}, judge="lexical", generator=model)
    assert model.calls
    assert report.cost["usd"] is None
    assert report.cost["calls"] > 0


def test_calls_made_at_the_same_time_keep_the_limit_together():
    class Slow(Paid):
        async def complete(self, messages, **options):
            await asyncio.sleep(0.01)
            return await super().complete(messages, **options)

    text = " ".join(f"Town number {n} has {n * 1000} inhabitants and lies by a river." for n in range(2, 8))
    one = Completion(reply("INSUFFICIENT", 0.1, ""), "m", 300, 30, 0.0001)
    model = Slow([one] * 40)
    cost = 0.005  # the check may cost a tenth: less than five calls as they are priced before they are made
    report = detect_hallucinations(text, {"1": GUIDE}, judge="lexical", generator=model, answer_cost_usd=cost)
    assert 0 < len(model.calls) < 6
    assert report.cost["usd"] <= report.cost["limit_usd"] == pytest.approx(cost / 10)
    assert report.cost["declined"] > 0
    assert [call["usd"] for call in report.cost["by_call"]] == [0.0001] * len(model.calls)


def test_each_check_has_a_budget_of_its_own():
    model = Scripted([Completion(reply("INSUFFICIENT", 0.1, ""), "m", 100, 10, 0.5)] * 40)
    checker = Checker(judge="lexical", generator=model, cache=AssessmentCache())
    costs = []
    for name in ("a", "b"):
        found = run(checker.detect_hallucinations(RESPONSE.replace("Mount", f"Mount {name}"), {"1": GUIDE}))
        costs.append(found.cost["usd"])
    assert costs[0] == costs[1] > 0


def test_the_model_judges_the_weightiest_claims_and_the_free_judge_all_others():
    text = " ".join(f"Town number {n} has {n * 1000} inhabitants and lies by a river." for n in range(2, 14))
    source = text.replace("13000 inhabitants", "31000 inhabitants")
    model = Scripted(lambda messages: "no JSON")
    model._replies *= 100
    config = EpistemicConfig(max_claims_per_response=2)
    report = detect_hallucinations(text, {"1": source}, judge="lexical", generator=model, config=config)
    assert report.left_out == 0
    assert report.errors == 2  # those the model was asked about
    assert any("13000" in gap.claim_text for gap in report.gaps)
    assert not report.all_clear


def test_a_budget_says_when_it_is_spent():
    assert CostBudget().allows(1e9)
    assert not CostBudget(0.1).allows(0.2)
    assert CostBudget().allows(None)
    assert not CostBudget(0.1).allows(None)


def test_dependence_by_answering_again_without_the_evidence():
    model = Scripted(["Bananas are yellow and grow in bunches."])
    alone = evidence_dependence("How high is Everest?", TEXT, GUIDE, judge="lexical", generator=model)
    assert alone > 0.6
    assert GUIDE not in model.calls[0].messages[-1].content
    same = evidence_dependence("How high is Everest?", TEXT, GUIDE, judge="lexical", generator=Scripted([TEXT]))
    assert same < 0.1


def test_claims_can_be_mapped_by_the_model():
    rest = RESPONSE.removeprefix(TEXT).strip()
    listed = json.dumps({"claims": [{"text": TEXT, "evidence": ["b", "nowhere"]}, {"text": rest, "evidence": ["b"]}]})
    model = Scripted([f"<think>Let me see.</think> Here they are:\n{listed}", *[reply()] * 20])
    sources = {"a": "Bread is made of flour.", "b": GUIDE}
    config = EpistemicConfig(decomposition="model")
    report = detect_hallucinations(RESPONSE, sources, judge="lexical", generator=model, config=config)
    assert {claim.evidence_ids for claim in report.claims} == {("b",)}
    assert "decompose" in [call["purpose"] for call in report.cost["by_call"]]


def test_a_model_that_leaves_claims_out_is_not_believed():
    listed = json.dumps({"claims": [{"text": TEXT, "evidence": ["1"]}]})
    config = EpistemicConfig(decomposition="model")
    model = Scripted([listed, *[reply()] * 20])
    report = detect_hallucinations(RESPONSE, {"1": GUIDE}, judge="lexical", generator=model, config=config)
    by_rule = detect_hallucinations(RESPONSE, {"1": GUIDE}, judge="lexical")
    assert report.total_claims == by_rule.total_claims > 1


def test_a_model_that_invents_claims_is_not_believed():
    listed = json.dumps({"claims": [{"text": "Everest is made of cheese.", "evidence": []}]})
    model = Scripted([listed, *[reply()] * 12])
    config = EpistemicConfig(decomposition="model")
    report = detect_hallucinations(RESPONSE, {"1": GUIDE}, judge="lexical", generator=model, config=config)
    assert "cheese" not in str(report.to_dict())


def test_the_model_of_the_config_is_used(tmp_path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps([reply(), NOTHING]), encoding="utf-8")
    config = EpistemicConfig(verification_model=f"scripted:{script}")
    assert verify_claim(TEXT, GUIDE, config=config).evidence_support == 0.97
