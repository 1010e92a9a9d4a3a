import json
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from assay.cli.app import app

EVEREST = "Mount Everest is 8,849 m high. It stands on the border between Nepal and China.\n"
runner = CliRunner()


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "source.md").write_text(EVEREST)
    (tmp_path / "good.md").write_text("Mount Everest is 8,849 m high.")
    (tmp_path / "bad.md").write_text("Mount Everest is 8,489 m high.")
    return tmp_path


def run(*arguments, stdin=None):
    """The real program, as a person would start it."""
    command = [sys.executable, "-m", "assay", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=120, check=False)


def test_exit_codes_tell_grounded_from_not(place):
    assert runner.invoke(app, ["check", "good.md", "--sources", "source.md"]).exit_code == 0
    assert runner.invoke(app, ["check", "bad.md", "--sources", "source.md"]).exit_code == 1


def test_json_is_the_report_and_nothing_else(place):
    result = run("check", "bad.md", "--sources", "source.md", "--format", "json", "--question", "How high?")
    report = json.loads(result.stdout)
    assert report["question"] == "How high?"
    assert report["verdict"] == "REFUTED"
    claim = report["claims"][0]
    assert EVEREST[claim["evidence"][0]["start"] : claim["evidence"][0]["end"]] == claim["evidence"][0]["quote"]


def test_the_answer_may_come_from_standard_input_or_the_argument(place):
    assert run("check", "-", "--sources", "source.md", stdin="Mount Everest is 8,849 m high.").returncode == 0
    assert run("check", "Mount Everest is 8,849 m high.", "--sources", "source.md").returncode == 0


def test_several_sources_may_follow_one_flag(place):
    (place / "other.md").write_text("K2 is 8,611 m high.")
    answer = "K2 is 8,611 m high. Mount Everest is 8,849 m high."
    assert run("check", answer, "--sources", "source.md", "other.md").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "missing.md", "--sources", "source.md"], "missing.md"),
        (["check", "good.md", "--sources", "missing-source.md"], "missing-source.md"),
        (["check", "good.md", "--sources", "source.md", "--sources", "nowhere/*.md"], "no source 'nowhere/*.md'"),
        (["check", "good.md", "--sources", "Everest is high."], "--source-text"),
        (["check", "good.md", "--sources", ""], "no source ''"),
        (["check", "good.md", "--sources", "https://example.org/everest.html"], "is a URL"),
        (["check", "good.md"], "--source-text TEXT or --memory"),
        (["check", "good.md", "--source-text", " "], "--source-text is empty"),
        (["check", "", "--sources", "source.md"], "the answer is empty"),
        (["inspect", "Everest is high."], "--source-text TEXT"),
        (["inspect", "Everest is high.", "--sources", "missing.md"], "no source 'missing.md'"),
        (["repair", "good.md", "--sources", "missing.md"], "no source 'missing.md'"),
        (["selftest", "--sources", "missing.md"], "no source 'missing.md'"),
        (["index", "add", "--memory", "m"], "--source-text TEXT"),
        (["index", "add", "http://example.org/", "--memory", "m"], "is a URL"),
        (["check", "good.md", "--sources", "empty-folder"], "empty-folder"),
        (["check", "empty.md", "--sources", "source.md"], "empty"),
        (["check", "binary.md", "--sources", "source.md"], "binary"),
        (["check", "good.md", "--sources", "binary.md"], "binary.md"),
        (["check", "good.md", "--sources", "source.md", "--format", "pdf"], "sarif"),
        (["check", "good.md", "--sources", "source.md", "--policy", "none.toml"], "none.toml"),
        (["check", "good.md", "--sources", "source.md", "--fail-on", "sometimes"], "never"),
        (["check", "good.md", "--sources", "source.md", "--baseline", "source.md"], "not a JSON report"),
        (["check", "good.md", "--sources", "source.md", "--output", "no/such/folder/x"], "no/such/folder"),
        (["check", "empty-folder", "--sources", "source.md"], "folder"),
        (["check"], "ANSWER"),
        (["nonsense"], "nonsense"),
    ],
)
def test_bad_input_is_explained_and_ends_with_2(place, arguments, says):
    (place / "empty-folder").mkdir()
    (place / "empty.md").write_text(" \n")
    (place / "binary.md").write_bytes(b"\x00\x01\x02\xff" * 600)
    result = run(*arguments)
    assert result.returncode == 2, result.stderr
    assert says in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("form", ["text", "json"])
def test_repairs_of_a_json_answer_are_shown(place, form):
    objects = [{"pointer_id": "E1", "text": EVEREST.strip(), "title": "Everest"}]
    (place / "map.json").write_text(json.dumps({"evidence": objects}))
    answer = '```json\n{"claims": [{"text": "Mount Everest is 8,849 m high", "evidence_ids": ["E1"]\n```'
    shown = run("check", answer, "--evidence", "map.json", "--judge", "lexical", "--format", form).stdout
    assert "repaired: close_brace, close_bracket, fence" in shown
    assert "json repaired" in shown.replace("_", " ")


def test_a_source_may_be_a_text(place):
    code, said = run("check", "good.md", "--source-text", EVEREST, "--format", "json"), json.loads
    assert (code.returncode, said(code.stdout)["claims"][0]["evidence"][0]["document"]) == (0, "text-1")
    assert run("index", "add", "--source-text", EVEREST, "--memory", "m").returncode == 0
    assert run("check", "good.md", "--memory", "m", "--quiet").returncode == 0


def test_only_the_chosen_verdicts_fail(place):
    invented = "The mountain cost three million pounds."
    assert run("check", invented, "--sources", "source.md", "--fail-on", "refuted").returncode == 0
    assert run("check", "bad.md", "--sources", "source.md", "--fail-on", "refuted,error").returncode == 1
    assert run("check", "bad.md", "--sources", "source.md", "--fail-on", "never").returncode == 0


def test_a_baseline_lets_old_problems_pass_but_not_new_ones(place):
    run("check", "bad.md", "--sources", "source.md", "--format", "json", "--output", "baseline.json")
    assert run("check", "bad.md", "--sources", "source.md", "--baseline", "baseline.json").returncode == 0
    (place / "bad.md").write_text("Mount Everest is 8,489 m high. It was first measured on Mars.")
    assert run("check", "bad.md", "--sources", "source.md", "--baseline", "baseline.json").returncode == 1


@pytest.mark.parametrize("form", ["text", "md", "html", "sarif", "json"])
def test_every_format_can_be_written_to_a_file(place, form):
    result = run("check", "bad.md", "--sources", "source.md", "--format", form, "--output", f"report.{form}")
    assert result.returncode == 1
    assert "8,849" in (place / f"report.{form}").read_text()


def test_quiet_says_nothing(place):
    result = run("check", "bad.md", "--sources", "source.md", "--quiet")
    assert (result.returncode, result.stdout, result.stderr) == (1, "", "")


def test_no_colour_when_the_output_is_not_a_terminal(place):
    assert "\x1b[" not in run("check", "bad.md", "--sources", "source.md").stdout


def test_an_answer_that_cites_an_evidence_map_is_recognised(place):
    objects = [{"pointer_id": "E1", "text": EVEREST.strip(), "title": "Everest"}]
    (place / "map.json").write_text(json.dumps({"evidence": objects}))
    answer = "Mount Everest is 8,849 m high. [E1]"
    result = run("check", answer, "--evidence", "map.json", "--format", "json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["audit_mode"] == "STRICT"
    assert run("check", answer.replace("E1", "E4"), "--evidence", "map.json", "--quiet").returncode == 1


def test_a_guessed_encoding_is_reported(place):
    (place / "latin.md").write_bytes("The café stands on Mount Everest.".encode("latin-1"))
    result = run("check", "latin.md", "--sources", "source.md", "--judge", "lexical", "--format", "json")
    assert "latin.md: no encoding is declared and it is not UTF-8; read as" in result.stderr
    assert "caf\N{LATIN SMALL LETTER E WITH ACUTE}" in json.loads(result.stdout)["claims"][0]["text"]
    told = json.loads(run("check", "good.md", "--sources", "latin.md", "--judge", "lexical", "--format", "json").stdout)
    assert any("a guess" in warning for warning in told["warnings"])


def test_annotations_point_at_the_lines_of_the_file(place):
    (place / "bad.md").write_text("Hello: a report.\n\nMount Everest is 8,489 m high.\n")
    result = run("check", "bad.md", "--sources", "source.md", "--judge", "lexical", "--format", "github")
    line = next(line for line in result.stdout.splitlines() if "8,489" in line)
    assert line.startswith("::error file=bad.md,line=3,endLine=3,col=1,endColumn=31,title=Contradicted 0.")
    assert "8,849" in line


def test_the_watch_checks_again_after_a_change(place):
    command = [
        sys.executable,
        "-m",
        "assay",
        "check",
        "bad.md",
        "--sources",
        "source.md",
        "--judge",
        "lexical",
        "--watch",
    ]
    watch = subprocess.Popen(
        [*command, "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a run in the background ignores it
    )
    try:
        assert "watching 2 files" in watch.stderr.readline()
        (place / "bad.md").write_text("Mount Everest is 8,849 m high, says the book.")
        assert "watching 2 files" in watch.stderr.readline()
    finally:
        watch.send_signal(signal.SIGINT)
        said, _ = watch.communicate(timeout=60)
    assert watch.returncode == 0
    assert (said.count('"version": 1'), "8,489" in said, "says the book" in said) == (2, True, True)


def test_a_watch_needs_a_file(place):
    result = run("check", "Everest is high.", "--sources", "source.md", "--watch")
    assert (result.returncode, "--watch needs an answer file" in result.stderr) == (2, True)


def test_the_engine_tells_how_far_it_is(place):
    from assay import Engine

    engine, told = Engine(judge="small"), []
    engine.progress = lambda *step: told.append(step)
    engine.check(" ".join(f"Mill {n} opened in 19{n}." for n in range(10, 30)), ["Mill 10 opened in 1910."])
    assert told == [("claims (small)", 8, 20), ("claims (small)", 16, 20), ("claims (small)", 20, 20)]
