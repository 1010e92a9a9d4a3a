from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from assay.batch import check_file, read_tasks
from assay.cli.app import app
from assay.errors import SourceError, UsageError
from assay.policy import Policy

ROWS = [
    {"id": "a", "answer": "The tower is 300 m high.", "sources": ["The tower is 300 m high."], "question": "How high?"},
    {"id": 7, "response": "The tower is 200 m high.", "contexts": [{"text": "The tower is 300 m high."}]},
]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def entries(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_row_gets_a_report_in_order(answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "reports.jsonl"
    done = check_file(answers, out, judge="lexical")
    assert (done.checked, done.resumed, done.problems) == (2, 0, [])
    first, second = entries(out)
    assert (first["line"], first["id"], first["report"]["verdict"]) == (1, "a", "SUPPORTED")
    assert (second["line"], second["id"], second["report"]["verdict"]) == (2, 7, "REFUTED")
    evidence = second["report"]["claims"][0]["evidence"][0]
    assert ROWS[1]["contexts"][0]["text"][evidence["start"] : evidence["end"]] == evidence["quote"]


def test_a_stopped_run_goes_on_and_a_torn_line_is_done_again(answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "reports.jsonl"
    check_file(answers, out, judge="lexical")
    whole = out.read_bytes()
    out.write_bytes(whole[:-20])
    done = check_file(answers, out, judge="lexical")
    assert (done.checked, done.resumed) == (2, 1)
    assert sorted(entry["line"] for entry in entries(out)) == [1, 2]


def test_another_judge_or_policy_does_not_take_over_old_reports(answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "reports.jsonl"
    check_file(answers, out, judge="lexical")
    done = check_file(answers, out, judge="lexical", policy=Policy(threads=1))
    assert done.resumed == 0


def test_lines_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_text('{"answer": "A."}\nno json\n{"sources": ["B."]}\n' + json.dumps(ROWS[0]) + "\n")
    done = check_file(path, tmp_path / "out.jsonl", judge="lexical")
    assert done.checked == 1
    assert [line for line, _ in done.problems] == [1, 2, 3]
    assert "no sources" in done.problems[0][1]
    assert "no answer" in done.problems[2][1]


def test_a_file_that_is_not_ours_is_left_alone(answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "precious.jsonl"
    out.write_text('{"mine": 1}\n')
    with pytest.raises(SourceError, match=r"line 1, is no report"):
        check_file(answers, out, judge="lexical")
    assert out.read_text() == '{"mine": 1}\n'


def test_reports_as_parquet(answers: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "reports.parquet"
    check_file(answers, out, judge="lexical")
    rows = parquet.read_table(out).to_pylist()
    assert [row["verdict"] for row in rows] == ["SUPPORTED", "REFUTED"]
    assert json.loads(rows[0]["report"])["claims"][0]["text"] == "The tower is 300 m high."


@pytest.mark.parametrize(("given", "said"), [({"engine": "spark"}, "unknown engine"), ({}, "jsonl or .parquet")])
def test_what_cannot_be_done_is_said_first(answers: Path, tmp_path: Path, given: dict, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        check_file(answers, tmp_path / "out.txt", judge="lexical", **given)


def test_on_the_command_line(answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "reports.jsonl"
    command = ["check", str(answers), "--engine", "local", "--judge", "lexical", "--output", str(out)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1, done.output
    assert "2 answers checked (0 before): 1 contradicted, 1 supported" in done.output
    assert CliRunner().invoke(app, [*command, "--fail-on", "never"]).exit_code == 0
    assert CliRunner().invoke(app, [*command, "--sources", "x"]).exit_code != 0


@given(st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), max_size=5))
def test_any_text_survives_the_way_to_a_task(tmp_path_factory: pytest.TempPathFactory, rows: list) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    path.write_text("".join(json.dumps({"answer": a, "sources": [s]}) + "\n" for a, s in rows))
    tasks, problems = read_tasks(path, "x")
    assert [(task["answer"], task["sources"]) for task in tasks] == [(a, [s]) for a, s in rows]
    assert problems == []


@pytest.mark.slow
def test_a_cluster_gives_the_same_reports(answers: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    check_file(answers, here, judge="lexical")
    done = check_file(answers, there, judge="lexical", engine="ray")
    assert done.checked == 2
    told = {entry["line"]: entry["report"]["verdict"] for entry in entries(there)}
    assert told == {entry["line"]: entry["report"]["verdict"] for entry in entries(here)}
    assert check_file(answers, there, judge="lexical", engine="ray").resumed == 2
