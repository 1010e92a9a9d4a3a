"""A file of many answers is recognised; its summary as a page; two runs compared."""

import json
from pathlib import Path
from xml.etree import ElementTree

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
    assert "not as md" in str(check("--format", "md").exception)
    assert "leave one of them out" in str(check("--sarif", "a.sarif", "--output", "reports.jsonl").exception)


def test_annotations_point_to_the_lines_of_the_file(place: Path) -> None:
    with (place / "answers.jsonl").open("a") as file:
        file.write('{"no": "answer"}\n')
    result = check("--format", "github")
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert lines[0].startswith("::error file=answers.jsonl,line=2,title=b%3A Contradicted")
    assert "The tower is 300 m high." in lines[0]
    assert lines[-1].startswith("::warning file=answers.jsonl,line=3,title=Assay%3A line 3::not checked: no answer")
    assert not any(",line=1," in line for line in lines)  # nothing is wrong with the first


def test_junit_has_a_suite_for_each_answer(place: Path) -> None:
    with (place / "answers.jsonl").open("a") as file:
        file.write("no JSON\n")
    assert check("--format", "junit", "--output", "junit.xml").exit_code == 1
    suites = ElementTree.parse(place / "junit.xml").getroot().findall("testsuite")
    names = [suite.get("name") for suite in suites]
    assert names == ["answers.jsonl: a", "answers.jsonl: b", "answers.jsonl: line 3"]
    for suite in suites:
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
    assert [bool(suite.findall(".//failure")) for suite in suites] == [False, True, False]
    assert [len(suite.findall(".//error")) for suite in suites] == [0, 0, 1]


def test_sarif_of_many_is_one_run_with_each_problem_at_its_line(place: Path) -> None:
    again = {"id": "c", "answer": "The tower is 200 m high."}
    (place / "facts.md").write_text("Of towers.\nThe tower is 300 m high.")
    write(place / "answers.jsonl", [*ROWS, again, {"id": "d"}])
    assert check("--format", "github", "--sarif", "a.sarif", "--sources", "facts.md").exit_code == 1
    (run,) = json.loads((place / "a.sarif").read_text())["runs"]
    refuted = [result for result in run["results"] if result["ruleId"] == "ASSAY-REFUTED"]
    places = [result["locations"][0]["physicalLocation"] for result in refuted]
    assert [place["artifactLocation"]["uri"] for place in places] == ["answers.jsonl"] * 2
    assert [place["region"] for place in places] == [{"startLine": 2}, {"startLine": 3}]
    assert refuted[0]["message"]["text"].startswith("b: Contradicted")
    own, shared = (result["relatedLocations"][0] for result in refuted)
    assert own["physicalLocation"]["region"] == {"startLine": 2}
    assert "The tower is 300 m high." in own["message"]["text"]
    assert shared["physicalLocation"]["artifactLocation"]["uri"].endswith("facts.md")
    assert shared["physicalLocation"]["region"]["startLine"] == 2
    assert run["results"][-1]["ruleId"] == "ASSAY-NOT-CHECKED"
    assert len({result["partialFingerprints"]["assayClaim/v1"] for result in run["results"]}) == len(run["results"])
    assert all(run["tool"]["driver"]["rules"][r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])


def test_a_fingerprint_is_that_of_an_answer_not_of_its_line(place: Path) -> None:
    def prints() -> list[str]:
        found = json.loads(check("--format", "sarif").stdout)["runs"][0]["results"]
        return [result["partialFingerprints"]["assayClaim/v1"] for result in found]

    wrong = ROWS[1] | {"id": "c"}
    write(place / "answers.jsonl", [ROWS[0], wrong])
    before = prints()
    write(place / "answers.jsonl", [ROWS[1], ROWS[0], wrong])
    after = prints()
    assert set(before) < set(after)
    assert len(set(after)) == 2 * len(before)


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
