from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.errors import UsageError
from assay.memory import Memory
from assay.types import Document

RIGHT = "Mount Everest is 8,849 m high."


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("memory")
    with Memory(folder, embedder="static") as memory:
        memory.add([Document("everest", f"{RIGHT} Yaks live there.", "Mount Everest", uri="https://example.org/e")])
    return str(folder)


def run(*arguments: str, **options: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["ask", *arguments, "--judge", "lexical"], **options)  # type: ignore[arg-type]
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


def test_an_answer_comes_with_numbered_sources(place: str) -> None:
    code, shown = run("How high is Mount Everest?", "--memory", place)
    assert code == 0
    assert f"{RIGHT} [1]" in shown
    assert "[1] Mount Everest (https://example.org/e)" in shown
    assert "verified" in shown
    assert "cite:" not in shown


def test_what_cannot_be_answered_is_an_abstention_and_exit_code_1(place: str) -> None:
    code, shown = run("Who composed the opera Carmen in Paris?", "--memory", place)
    assert code == 1
    assert shown.startswith("I cannot provide a verified answer to this question. [Reason:")


def test_an_unverified_draft_of_a_model_is_never_printed(place: str, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps(["Mount Everest is the flattest hill of Belgium."] * 20))
    code, shown = run("How high is Mount Everest?", "--memory", place, "--model", f"scripted:{script}")
    assert code == 1
    assert "I cannot provide a verified answer" in shown
    assert not shown.startswith("Mount Everest")


def test_json_holds_the_report_and_the_ledger(place: str) -> None:
    code, shown = run("-", "--memory", place, "--format", "json", input="How high is Mount Everest?")
    told = json.loads(shown)
    assert code == 0
    assert told["report"]["verdict"] == "SUPPORTED"
    assert told["ledger"]["entries"]
    assert told["abstention"] is None


def test_a_question_can_be_recorded(place: str, tmp_path: Path) -> None:
    from assay.ledger import Ledger

    options = ("--memory", place, "--ledger", str(tmp_path / "ledger"), "--user", "ann", "--session", "s1")
    run("How high is Mount Everest?", *options)
    assert run("Who composed the opera Carmen in Paris?", *options)[0] == 1
    with Ledger(tmp_path / "ledger") as ledger:
        assert [(item.user, item.session) for item in ledger.runs()] == [("ann", "s1")] * 2
        (refused,) = ledger.runs(abstained=True)
        assert refused.question == "Who composed the opera Carmen in Paris?"
        assert ledger.verify() is None


def test_without_a_ledger_a_question_is_recorded_beside_its_memory(place: str) -> None:
    from assay.ledger import Ledger

    assert run("Who wrote the symphony of Lisbon?", "--memory", place)[0] == 1
    with Ledger(place) as ledger:
        refused = ledger.runs(1, abstained=True)[0]
    assert refused.question == "Who wrote the symphony of Lisbon?"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Why?", "--memory", "/nowhere/at/all"], "there is no evidence memory"),
        (["Why?", "--memory", "PLACE", "--format", "pdf"], "unknown format 'pdf'; choose text or json"),
        (["Why?", "--memory", "PLACE", "--model", "typewriter"], "there is no generator 'typewriter'"),
        ([" ", "--memory", "PLACE"], "the question is empty"),
    ],
)
def test_wrong_use_is_said_plainly(place: str, arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(*(place if argument == "PLACE" else argument for argument in arguments))
