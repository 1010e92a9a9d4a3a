"""A language model as the judge of a request: only one that the settings name."""

import json

import pytest

from assay.errors import UsageError
from assay.server.settings import Settings
from tests.llm.provider import Reply
from tests.llm.provider import serve as provide
from tests.server.conftest import SOURCE

CLAIM = "Mount Everest is 8,849 m high."
REPLY = {"level": "FULL", "inferred": False, "source": "E1", "quote": "8,849 m high", "reason": "It says so."}


def verify(client, judge):
    return client.post("/v1/verify", json={"answer": CLAIM, "sources": [SOURCE], "judge": judge})


def test_a_request_chooses_a_model_of_the_settings(serve):
    with provide(Reply(json.dumps(REPLY))) as (provider, url):
        client = serve(models={"checker": f"openai:tiny@{url}/v1"})
        report = verify(client, "model:checker").json()
    assert report["claims"][0]["verdict"] == "SUPPORTED"
    assert report["claims"][0]["method"] == "model:openai:tiny"
    assert report["model"].startswith("model:openai:tiny ")
    assert len(provider.requests) == 1


@pytest.mark.parametrize("judge", ["model:openai/tiny@http://127.0.0.1:1/v1", "cascade+model:scripted:/etc/passwd"])
def test_a_request_cannot_name_an_address_or_a_file(client, judge):
    got = verify(client, judge)
    assert got.status_code == 422
    assert "there is no model" in got.json()["detail"]


@pytest.mark.parametrize("judge", ["oracle", "oracle+model:extractive", "lexical+model:extractive", "model:"])
def test_a_judge_that_is_none_is_refused(client, judge):
    assert verify(client, judge).status_code == 422


def test_the_server_itself_may_be_set_to_any_model(serve):
    with provide(Reply(json.dumps(REPLY))) as (_, url):
        client = serve(judge=f"model:openai/tiny@{url}/v1")
        assert verify(client, None).json()["claims"][0]["verdict"] == "SUPPORTED"
    with pytest.raises(UsageError, match="no judge 'oracle'"):
        Settings(judge="oracle")


def test_a_model_that_costs_money_needs_a_budget_of_the_server(serve):
    client = serve(models={"paid": "openai:gpt-4o-mini"})
    got = verify(client, "model:paid")
    assert got.status_code == 422
    assert "max_usd is 0" in got.json()["detail"]
