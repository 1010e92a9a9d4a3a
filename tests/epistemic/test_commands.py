"""`assay trace`, `assay repl` and `assay hallucinations`, as a person would use them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.cli.repl import Session, rewrite
from assay.errors import UsageError
from assay.memory import Memory
from assay.types import Document

runner = CliRunner()


@pytest.fixture
def call(tmp_path):
    def run(*words: str, code: int = 0) -> str:
        result = runner.invoke(app, ["trace", *words, "--store", str(tmp_path / "t")])
        assert result.exit_code == code, (result.output, result.exception)
        return result.stdout.strip()

    return run


@pytest.fixture
def goal(call):
    goal = call("add", "goal", "How high is Everest?")
    decision = call("add", "decision", "Look it up", "--to", goal)
    seen = call("add", "observation", "Mount Everest is 8,849 m high.", "--to", decision)
    call("add", "claim", "Mount Everest is 8,849 m high.", "--to", decision, "--cites", seen, "--confidence", "0.9")
    call("add", "claim", "Mount Everest is 8,489 m high.", "--to", decision, "--cites", seen)
    return goal


def test_a_trace_is_added_listed_and_drawn(call, goal):
    assert "5 steps    2 claims  How high is Everest?" in call("show")
    drawn = call("show", goal)
    assert "observation Mount Everest is 8,849 m high." in drawn
    assert drawn.count("[not verified]") == 2


def test_gaps_are_listed_and_end_with_one(call, goal):
    said = call("gaps", goal, "--judge", "lexical", code=1)
    assert "contradicted" in said
    assert "correct it to what the evidence states" in said
    assert "[GAP" in call("show", goal)
    assert (
        json.loads(call("gaps", goal, "--judge", "lexical", "--format", "json", code=1))[0]["gap_type"]
        == "contradicted"
    )


def test_the_report_tells_what_to_do(call, goal):
    said = call("report", goal, "--judge", "lexical", code=1)
    assert "2 claims: 1 hold, 1 flagged, 0 doubtful, 0 in error" in said
    assert "What to do" in said


def test_a_trace_without_gaps_ends_with_zero(call):
    goal = call("add", "goal", "How high?")
    call("add", "observation", "Mount Everest is 8,849 m high.", "--to", goal)
    call("add", "claim", "Mount Everest is 8,849 m high.", "--to", goal)
    assert call("gaps", goal, "--judge", "lexical") == "no gaps"


@pytest.mark.parametrize("form", ["json", "spans"])
def test_what_is_shown_as_data_can_be_added_elsewhere(call, goal, form, tmp_path):
    file = tmp_path / f"trace.{form}"
    file.write_text(call("show", goal, "--format", form), encoding="utf-8")
    result = runner.invoke(app, ["trace", "add", str(file), "--store", str(tmp_path / "other")])
    assert result.stdout.strip() == goal


def test_mistakes_are_said_plainly(call, goal, tmp_path):
    for words, said in (
        (("add", "nofile.json"), "neither a trace file"),
        (("add", "claim", "It is so."), "--to ID"),
        (("add", "goal", "x", "--cites", "a"), "only a claim"),
        (("show", goal, "--format", "xml"), "choose text, json or spans"),
    ):
        result = runner.invoke(app, ["trace", *words, "--store", str(tmp_path / "t")])
        assert isinstance(result.exception, UsageError)
        assert said in str(result.exception)


# The shell


def test_the_slash_commands_become_python():
    assert rewrite(["/verify\n"]) == ["show()\n"]
    assert rewrite(["/verify It's so\n"]) == ['show("It\'s so")\n']
    assert rewrite(["/simple\n", "/simple How high?\n"]) == ["simple()\n", "simple('How high?')\n"]
    assert rewrite(["1 / verify\n", "/verifying\n"]) == ["1 / verify\n", "/verifying\n"]


@pytest.fixture
def memory(tmp_path):
    with Memory(tmp_path / "m", embedder="static") as held:
        held.add([Document("guide", "Mount Everest is 8,849 m high. It lies in Nepal.")])
        yield held


def test_a_session_checks_and_remembers_the_last_answer(memory):
    session = Session(memory, judge="lexical")
    with pytest.raises(UsageError, match="no answer yet"):
        session.verify()
    assert session.check("Mount Everest is 8,849 m high.").grounded
    assert session.verify().answer == "Mount Everest is 8,849 m high."
    assert session.check("Mount Everest is 8,489 m high.", verify=False) is None
    assert not session.verify().grounded
    with pytest.raises(UsageError, match="no memory"):
        Session(None).ask("How high?")


def test_verify_prints_a_readable_report_on_the_last_answer(memory, capsys):
    session = Session(memory, judge="lexical")
    session.check("Mount Everest is 8,489 m high.", verify=False)
    session.show()
    said = capsys.readouterr().out
    assert "1 contradicted" in said
    assert "8,849" in said
    assert not said.lstrip().startswith(("Report(", "{"))


def test_simple_skips_the_check_once_or_until_told_otherwise(memory):
    session = Session(memory, judge="lexical")
    assert "8,849" in session.simple("How high is Mount Everest?")
    assert session.checking
    assert "not checked" in session.simple()
    assert not session.checking
    assert "8,849" in session.ask("How high is Mount Everest?")
    assert session.simple() == "answers are checked from now on"


def test_llm_asks_the_model_and_reports_on_what_it_says(memory, tmp_path, capsys):
    script = tmp_path / "script.json"
    script.write_text(json.dumps(["Mount Everest is 8,489 m high."]), encoding="utf-8")
    session = Session(memory, f"scripted:{script}", "lexical")
    assert session.llm("How high is Everest?", verify=False) == "Mount Everest is 8,489 m high."
    assert capsys.readouterr().out == ""
    session.llm("How high is Everest?")
    assert "1 contradicted" in capsys.readouterr().out
    with pytest.raises(UsageError, match="only quotes"):
        Session(memory).llm("How high?")


ANSWER = "Mount Everest is 8,489 m high. Mount Everest was first climbed in 1953 by Hillary and Tenzing, as is known."
SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953 by Hillary and Tenzing."


def detect(*words, code):
    result = runner.invoke(app, ["hallucinations", ANSWER, "--source-text", SOURCE, "--judge", "lexical", *words])
    assert result.exit_code == code, (result.output, result.exception)
    return result.stdout


def test_hallucinations_are_flagged_in_the_text_and_every_setting_can_be_given(tmp_path, monkeypatch):
    assert "8,489 m high. [contradicted: " in detect(code=1)
    asked = json.loads(detect("--set", "on_failure=ask", "--format", "json", code=1))
    assert "8,489" in asked["question"]
    assert asked["gaps"][0]["claim_text"] == "Mount Everest is 8,489 m high."
    script = tmp_path / "script.json"
    script.write_text(json.dumps([ANSWER.replace("8,489", "8,849")]), encoding="utf-8")
    again = detect("--set", "on_failure=retry", "--model", f"scripted:{script}", code=0)
    assert "8,849 m high. Mount" in again
    file = tmp_path / "assay.toml"
    file.write_text("[epistemic]\nenabled = false\n", encoding="utf-8")
    assert "not checked: epistemic checks are disabled" in detect("--policy", str(file), code=1)
    monkeypatch.setenv("ASSAY_EPISTEMIC_ENABLED", "true")
    assert "contradicted" in detect("--policy", str(file), code=1)
    wrong = runner.invoke(app, ["hallucinations", ANSWER, "--source-text", SOURCE, "--set", "mode"])
    assert isinstance(wrong.exception, UsageError)


def test_a_trace_is_verified_by_the_model_that_is_named(call, goal, tmp_path):
    said = {
        "level": "CONTRADICTED",
        "inferred": False,
        "source": "E1",
        "quote": "Mount Everest is 8,849 m high.",
        "reason": "",
    }
    script = tmp_path / "script.json"
    script.write_text(json.dumps([json.dumps(said)] * 4), encoding="utf-8")
    words = ("report", goal, "--verification-model", f"scripted:{script}", "--judge", "lexical", "--format", "json")
    report = json.loads(call(*words, code=1))
    assert {claim["verdict"] for claim in report["claims"]} == {"REFUTED"}
    assert report["model"].startswith("model:scripted")


@pytest.mark.slow
def test_the_shell_starts_with_everything_at_hand(memory, tmp_path):
    memory.close()
    typed = "check('Mount Everest is 8,489 m high.').verdict.value\n/verify\nprint(verify_claim.__name__)\n"
    for plain in ("--plain", "--no-plain"):
        words = [sys.executable, "-c", "from assay.cli.repl import repl; import typer; typer.run(repl)"]
        done = subprocess.run(
            [
                *words,
                "--memory",
                str(tmp_path / "m"),
                "--judge",
                "lexical",
                *(["--plain"] if plain == "--plain" else []),
            ],
            input=typed,
            capture_output=True,
            text=True,
            check=True,
        )
        assert "REFUTED" in done.stdout
        assert "verify_claim" in done.stdout
