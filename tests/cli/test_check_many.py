"""A file of many answers is recognised; its summary as a page; two runs compared."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.errors import UsageError

runner = CliRunner()
ROWS = [
    {"id": "a", "answer": "The tower is 300 m high.", "sources": ["The tower is 300 m high."]},
    {
        "id": "b",
        "answer": "The tower is 200 m high. <script>alert(1)</script>",
        "sources": ["The tower is 300 m high."],
    },
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "answers.jsonl", ROWS)
    return tmp_path


def write(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def check(*arguments: str):
    return runner.invoke(app, ["check", "answers.jsonl", "--judge", "lexical", *arguments])


def test_the_answers_are_told_one_by_one_and_counted(place: Path) -> None:
    result = check()
    assert result.exit_code == 1
    assert result.output.splitlines()[0] == "a: supported"
    assert "b: contradicted  The tower is 200 m high." in result.output
    assert "2 answers checked (0 before): 1 contradicted, 1 supported" in result.output


def test_the_reports_may_go_to_standard_output(place: Path) -> None:
    entries = [json.loads(line) for line in check("--format", "json").stdout.splitlines()]
    assert [(entry["id"], entry["report"]["verdict"]) for entry in entries] == [("a", "SUPPORTED"), ("b", "REFUTED")]


def test_rows_without_sources_use_those_of_the_command(place: Path) -> None:
    write(place / "answers.jsonl", [{"answer": "The tower is 300 m high."}, ROWS[0]])
    assert "no sources" in check().output
    (place / "facts.md").write_text("The tower is 300 m high.")
    entries = [json.loads(line) for line in check("--sources", "facts.md", "--format", "json").stdout.splitlines()]
    assert [e["report"]["claims"][0]["evidence"][0]["document"] for e in entries] == ["facts.md", "1"]


def test_what_is_for_one_answer_is_refused(place: Path) -> None:
    assert isinstance(check("--question", "How high?").exception, UsageError)
    assert isinstance(check("--format", "sarif").exception, UsageError)


def test_the_page_shows_every_answer_and_what_is_wrong(place: Path) -> None:
    result = check("--format", "html", "--output", "page.html")
    assert result.exit_code == 1
    page = (place / "page.html").read_text()
    assert "1 of 2 answers are supported by their sources" in page
    assert "The tower is 200 m high." in page
    assert page.index("contradicted</td>") < page.index("✓ supported</td>")  # the worst first
    assert "<blockquote" in page
    assert "<script>" not in page  # nothing of an answer becomes a tag


def test_two_runs_are_compared(place: Path) -> None:
    check("--output", "old.jsonl")
    rows = [ROWS[0] | {"answer": "The tower is 400 m high."}, ROWS[1] | {"answer": "The tower is 300 m high."}]
    write(place / "answers.jsonl", rows)
    check("--output", "new.jsonl")
    result = runner.invoke(app, ["compare", "old.jsonl", "new.jsonl"])
    assert result.exit_code == 1
    assert "new problem: a: not there → contradicted: The tower is 400 m high." in result.output
    assert "solved: b: contradicted → not there: The tower is 200 m high." in result.output
    assert runner.invoke(app, ["compare", "new.jsonl", "new.jsonl"]).exit_code == 0
    back = json.loads(runner.invoke(app, ["compare", "new.jsonl", "old.jsonl", "--format", "json"]).output)
    assert {(change["answer"], change["kind"]) for change in back} == {("a", "solved"), ("b", "new problem")}
    runner.invoke(app, ["compare", "old.jsonl", "new.jsonl", "--format", "html", "--output", "page.html"])
    assert "1 new problem, 2 solved, 0 changed" in (place / "page.html").read_text()


def test_single_reports_are_compared_too(place: Path) -> None:
    for name, answer in (("old.json", "The tower is 300 m high."), ("new.json", "The tower is 200 m high.")):
        arguments = ["--source-text", "The tower is 300 m high.", "--judge", "lexical", "--format", "json"]
        runner.invoke(app, ["check", answer, *arguments, "--output", name])
    assert runner.invoke(app, ["compare", "old.json", "new.json"]).exit_code == 1
    (place / "other.json").write_text("{}")
    assert "no report of" in str(runner.invoke(app, ["compare", "other.json", "new.json"]).exception)
