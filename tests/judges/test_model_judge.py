"""A language model named as a judge, `model:SPEC`, alone or behind the cascade, by a real HTTP server on loopback."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.engine import Engine
from assay.errors import UsageError
from assay.judges import make_judge, split_judge_name
from assay.judges.cascade import Cascade
from assay.llm.judge import ModelJudge, make_model_judge
from assay.policy import Policy
from assay.types import Document, Verdict
from tests.llm.provider import Reply, serve

TEXT = "Mount Everest is 8,849 m high. It was first climbed in 1953 by Edmund Hillary."
ANSWER = "Mount Everest is 8,849 m high. Edmund Hillary climbed it in 1953. It is high."


def reply(level: str = "FULL", **changes: Any) -> Reply:
    given = {"level": level, "inferred": False, "source": "E1", "quote": "8,849 m high", "reason": "It says so."}
    return Reply(json.dumps(given | changes))


def priced(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, usd: float) -> None:
    """Makes a call to the model 'tiny' cost so much: the loopback server reports 100 completion tokens for each."""
    table = tmp_path / "prices.toml"
    table.write_text(f'[openai]\n"tiny" = {{ prompt = 0, completion = {usd * 1_000_000 / 100} }}\n')
    monkeypatch.setenv("ASSAY_PRICES", str(table))


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("lexical", ("lexical", None)),
        ("model:openai/gpt-4o-mini", ("", "openai/gpt-4o-mini")),
        ("cascade+model:local:/models/x+y.gguf", ("cascade", "local:/models/x+y.gguf")),
        ("small+model:openai:tiny@http://127.0.0.1:1/v1", ("small", "openai:tiny@http://127.0.0.1:1/v1")),
    ],
)
def test_a_name_says_which_judges_are_meant(name: str, parts: tuple[str, str | None]) -> None:
    assert split_judge_name(name) == parts


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("oracle", "no judge 'oracle'"),
        ("oracle+model:openai/x", "asks no language model last"),
        ("lexical+model:openai/x", "asks no language model last"),
        ("cascademodel:openai/x", "no judge"),
        ("model:", "names no language model"),
        ("model:nobody/x", "there is no generator"),
        ("model:extractive", "only quotes"),
        ("model:openai/", "names no model"),
    ],
)
def test_a_name_that_means_no_judge_is_refused_with_the_reason(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make_judge(name)


@pytest.mark.parametrize("spec", ["openai/tiny", "openai:tiny"])
def test_a_model_judges_alone(spec: str) -> None:
    with serve(reply(), reply("CONTRADICTED")) as (provider, url):
        engine = Engine(Policy(judge_parallel=1), f"model:{spec}@{url}/v1")
        report = engine.check("Mount Everest is 8,849 m high. Mount Everest is low.", [Document("everest", TEXT)])
    assert [finding.verdict for finding in report.findings] == [Verdict.SUPPORTED, Verdict.REFUTED]
    assert report.findings[0].evidence[0].quote == "8,849 m high"
    assert report.model.startswith("model:openai:tiny judge.v")
    assert "127.0.0.1" not in report.model  # where a server keeps its models is not told to its clients
    assert len(provider.requests) == 2


class Unsure(Cascade):
    """A cascade whose models are unsure of everything."""

    def __init__(self, policy: Policy, last: ModelJudge) -> None:
        super().__init__(policy, (), name="cascade", last=last)


def test_behind_the_cascade_it_is_asked_about_what_is_unsure_within_the_budget(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    priced(monkeypatch, tmp_path, 0.01)
    with serve(reply()) as (provider, url):
        policy = Policy(max_usd=0.01 * Policy().writer_max_tokens / 100 + 0.005)
        last = make_model_judge(f"openai/tiny@{url}/v1", policy)
        report = Engine(policy, Unsure(policy, last)).check(ANSWER, [Document("everest", TEXT)])
    assert len(provider.requests) == 1
    assert report.cost_usd == pytest.approx(0.01)
    assert any("budget was used up" in warning for warning in report.warnings)


def test_the_name_of_a_cascade_says_who_is_asked_last() -> None:
    judge = make_judge("cascade+model:openai/tiny@http://127.0.0.1:1/v1")
    assert isinstance(judge, Cascade)
    assert judge.name == "cascade+model:openai:tiny"
    assert [tier.name for tier in judge.tiers] == ["small", "base"]
    assert isinstance(judge.last, ModelJudge)


def test_alone_it_stops_at_the_money_budget_even_in_parallel(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    priced(monkeypatch, tmp_path, 0.01)
    most = 0.01 * Policy().writer_max_tokens / 100  # what one call may cost and is set aside for it
    with serve(reply(quote="Mount Everest")) as (provider, url):
        policy = Policy(max_usd=most + 0.015, judge_parallel=4)
        report = Engine(policy, f"model:openai/tiny@{url}/v1").check(ANSWER, [Document("everest", TEXT)])
    assert len(provider.requests) == 2  # the first leaves enough over for a second, and the two not for a third
    assert report.cost_usd == pytest.approx(0.02)
    (refused,) = [finding for finding in report.findings if finding.verdict is Verdict.ERROR]
    assert "the money budget" in refused.explanation


def test_a_model_that_costs_money_needs_a_budget_before_anything_is_sent() -> None:
    with pytest.raises(UsageError, match="max_usd is 0"):
        make_judge("model:openai/gpt-4o-mini")
    with pytest.raises(UsageError, match="max_usd is 0"):
        make_judge("cascade+model:openai/gpt-4o-mini")
    assert make_judge("model:openai/gpt-4o-mini", Policy(max_usd=0.05)).name == "model:openai:gpt-4o-mini"


def test_a_model_whose_price_nobody_knows_is_refused() -> None:
    with pytest.raises(UsageError, match="is not listed"):
        make_judge("model:openai/never-heard-of", Policy(max_usd=1.0))


def test_a_provider_that_fails_is_an_error_with_its_reason() -> None:
    with serve(Reply(status=400, body=b'{"error": {"message": "no such model"}}')) as (_, url):
        report = Engine(judge=f"model:openai/tiny@{url}/v1").check("Mount Everest is 8,849 m high.", TEXT)
    assert report.findings[0].verdict is Verdict.ERROR
    assert "no such model" in report.findings[0].explanation
