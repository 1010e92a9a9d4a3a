"""A language model as judge, by a scripted one."""

from __future__ import annotations

import asyncio
import json

import pytest

from assay.cache import Cache
from assay.engine import Engine
from assay.epistemic import EpistemicConfig, detect_hallucinations, evidence_dependence, verify_claim
from assay.epistemic.checker import Checker
from assay.errors import GeneratorError
from assay.llm import Completion, Scripted
from assay.llm.judge import ModelJudge
from assay.llm.prices import CostBudget, Price
from assay.llm.waiting import run
from assay.types import Document, Verdict

GUIDE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
TEXT = "Mount Everest is 8,849 m high."


def reply(level="FULL", quote=TEXT, reason="it says so", inferred=False) -> str:
    said = {"level": level, "inferred": inferred, "source": "E1", "quote": quote, "reason": reason}
    return json.dumps(said)


NOTHING = reply("NONE", "")


def check(*replies, **options):
    checker = Checker(judge="lexical", generator=Scripted(replies), cache=Cache(), **options)
    return run(checker.verify_claim(TEXT, GUIDE)), checker


def test_a_supported_claim_with_its_quote():
    found, checker = check(reply(), NOTHING)
    assert not found.is_flagged
    assert found.evidence_support == 0.85
    assert found.evidence_dependence == pytest.approx(0.6)
    assert found.evidence[0].quote == TEXT
    assert found.consistency_score == pytest.approx(0.9)  # Assay's own judge is the second reading
    first, second = checker.generator.calls
    assert first.options["schema"]["required"] == ["level", "inferred", "source", "quote", "reason"]
    assert TEXT in first.messages[-1].content.split("<claim")[0]
    assert TEXT not in second.messages[-1].content.split("<claim")[0]  # scrubbed


def test_a_check_and_an_epistemic_check_ask_the_same_and_say_the_same():
    model = Scripted([reply()])
    report = Engine(judge=ModelJudge(model)).check(TEXT, [Document("1", GUIDE)])
    found, checker = check(reply(), NOTHING)
    assert checker.generator.calls[0].messages == model.calls[0].messages
    assert (found.verdict, found.evidence) == (report.verdict, report.findings[0].evidence)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("I think it is supported.", "not JSON"),
        (reply("TRUE"), "the judge's level is 'TRUE'"),
        (reply("FULL", "Everest is 9,000 m high."), "does not stand in the sources"),
        (GeneratorError("no route"), "no route"),
    ],
)
def test_what_cannot_be_used_is_an_error_and_not_a_half(said, why):
    found, _ = check(said)
    assert found.verdict is Verdict.ERROR
    assert found.evidence_support is None
    assert found.is_flagged
    assert why in found.flag_reason


@pytest.mark.parametrize("level", ["NONE", "PARTIAL"])
def test_what_the_model_leaves_open_is_flagged_and_not_doubtful(level):
    found, _ = check(reply(level, ""), NOTHING)
    assert found.is_flagged
    assert not found.doubt


def test_support_that_is_not_taken_is_flagged():
    found, _ = check(reply("FULL", "It was first climbed in 1953"), NOTHING)
    assert found.verdict is Verdict.INSUFFICIENT
    assert "do not speak of the claim" in found.flag_reason
    assert not found.doubt


def test_the_same_question_is_asked_once_and_costs_nothing_again():
    model = Scripted([Completion(reply(), "m", 100, 10, 0.5), Completion(NOTHING, "m", 100, 10, 0.5)])
    kept = Cache()
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
    one = Completion(NOTHING, "m", 300, 30, 0.0001)
    model = Slow([one] * 40)
    cost = 0.005  # the check may cost a tenth: less than five calls as they are priced before they are made
    report = detect_hallucinations(text, {"1": GUIDE}, judge="lexical", generator=model, answer_cost_usd=cost)
    assert 0 < len(model.calls) < 6
    assert report.cost["usd"] <= report.cost["limit_usd"] == pytest.approx(cost / 10)
    assert report.cost["declined"] > 0
    assert [call["usd"] for call in report.cost["by_call"]] == [0.0001] * len(model.calls)


def test_each_check_has_a_budget_of_its_own():
    model = Scripted([Completion(NOTHING, "m", 100, 10, 0.5)] * 40)
    checker = Checker(judge="lexical", generator=model, cache=Cache())
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
    assert verify_claim(TEXT, GUIDE, config=config).evidence_support == 0.85
