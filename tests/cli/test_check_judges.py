import json

import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.engine.store import FILE, EngineStore
from assay.memory import Memory
from assay.types import Document
from tests.llm.provider import Reply, serve

EVEREST = "Mount Everest is 8,849 m high. It stands on the border between Nepal and China."
runner = CliRunner()


@pytest.mark.parametrize("judge", ["lexical", "small", "base", "cascade"])
def test_a_judge_can_be_chosen_and_is_named_in_the_report(tmp_path, judge):
    (tmp_path / "source.md").write_text(EVEREST)
    arguments = [
        "check",
        "Mount Everest is 8,489 m high.",
        "-s",
        str(tmp_path / "source.md"),
        "-j",
        judge,
        "-f",
        "json",
    ]
    result = runner.invoke(app, arguments)
    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert report["claims"][0]["verdict"] == "REFUTED"
    assert report["model"].split()[0] == judge


def test_an_unknown_judge_is_an_error_that_lists_the_known_ones(tmp_path):
    from assay.errors import UsageError

    result = runner.invoke(app, ["check", "Everest is high.", "--source-text", EVEREST, "--judge", "oracle"])
    assert isinstance(result.exception, UsageError)
    assert "cascade" in str(result.exception)


def test_with_a_memory_the_engine_remembers_its_outputs_and_its_judgements(tmp_path):
    place = tmp_path / "memory"
    with Memory(place, embedder="static") as memory:
        memory.add([Document("everest", EVEREST)])
    arguments = ["check", "Mount Everest is 8,489 m high.", "--memory", str(place), "-j", "lexical", "-f", "json"]
    first, again = (json.loads(runner.invoke(app, arguments).stdout) for _ in range(2))
    assert first["claims"][0]["verdict"] == again["claims"][0]["verdict"] == "REFUTED"
    assert (place / FILE).exists()
    with EngineStore(place) as store:
        assert [output["refuted"] for output in store.outputs(100)] == [1]  # the same answer counts once


def test_a_language_model_is_a_judge_by_name(tmp_path):
    reply = {"level": "FULL", "inferred": False, "source": "E1", "quote": "8,849 m high", "reason": "It says so."}
    arguments = ["check", "Mount Everest is 8,849 m high.", "--source-text", EVEREST, "-f", "json"]
    with serve(Reply(json.dumps(reply))) as (provider, url):
        result = runner.invoke(app, [*arguments, "--judge", f"model:openai/tiny@{url}/v1"])
    report = json.loads(result.stdout)
    assert (result.exit_code, report["claims"][0]["method"]) == (0, "model:openai:tiny")
    assert len(provider.requests) == 1


def test_a_paid_judge_without_a_budget_is_refused_before_it_is_asked():
    from assay.errors import UsageError

    arguments = ["check", "Everest is high.", "--source-text", EVEREST, "--judge", "model:openai/gpt-4o-mini"]
    result = runner.invoke(app, arguments)
    assert isinstance(result.exception, UsageError)
    assert "max_usd is 0" in str(result.exception)
