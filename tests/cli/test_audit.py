import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.engine import Engine, Request
from assay.errors import UsageError
from assay.ledger import Ledger

runner = CliRunner()

EVEREST = "Mount Everest is 8,849 m high. It stands on the border between Nepal and China.\n"
ANSWER = "Mount Everest is 8,849 m high. Mount Everest is 8,848 m high."


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with one recorded check, in the usual place."""
    monkeypatch.chdir(tmp_path)
    for name in ("ASSAY_LEDGER", "ASSAY_WORKSPACE", "ASSAY_USER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "everest.md").write_text(EVEREST)
    (tmp_path / "answer.md").write_text(ANSWER)
    record("--ledger", ".assay/ledger.db", "--user", "ann")
    return tmp_path


def record(*options):
    arguments = ["check", "answer.md", "--sources", "everest.md", "--judge", "lexical", "--quiet", *options]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 1, result.output  # the second number is not in the source
    return result


def say(*arguments, code=0):
    result = runner.invoke(app, ["audit", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result.stdout


def told(*arguments, code=0):
    return json.loads(say(*arguments, "--format", "json", code=code))


def test_a_check_is_recorded_and_listed(place):
    (run,) = told("list")
    assert (run["user"], run["verdict"], run["claims"]) == ("ann", "REFUTED", 2)
    assert run["id"] in say("list")
    assert [line["verdict"] for line in told("list", "--results")] == ["SUPPORTED", "REFUTED"]
    assert "Mount Everest is 8,848 m high." in say("list", "--results")


def test_a_list_can_be_read_at_80_columns(place, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    (run,) = told("list")
    lines = say("list").splitlines()
    assert max(map(len, lines)) <= 80
    assert run["id"] in lines[0]
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d .*contradicted|refuted", lines[0])
    assert ANSWER.split()[0] in lines[1]


def test_only_runs_without_an_answer_are_listed_if_asked_for(place):
    assert told("list", "--abstained") == []


def test_branches_before_this_answer_decide_between_branching_and_abstaining(place):
    check = ["check", "answer.md", "--sources", "everest.md", "--judge", "lexical", "--format", "json"]
    actions = [json.loads(runner.invoke(app, [*check, *more]).stdout)["action"] for more in ([], ["--branches", "3"])]
    assert actions == ["BRANCH", "ABSTAIN"]


def test_a_check_that_abstains_is_listed_with_its_reason(place):
    record("--ledger", ".assay/ledger.db", "--branches", "3")
    (run,) = told("list", "--abstained")
    assert (run["action"], "contradict" in run["abstained"]) == ("ABSTAIN", True)


def test_a_check_without_a_ledger_or_a_memory_is_not_recorded(place):
    (place / ".assay" / "ledger.db").unlink()
    record()
    assert not (place / ".assay" / "ledger.db").exists()


def test_a_check_against_a_memory_is_recorded_beside_it(place):
    from assay.memory import Memory

    with Memory(place / "memory", embedder="static") as memory:
        memory.add(Path("everest.md"))
    runner.invoke(app, ["check", "answer.md", "--memory", "memory", "--judge", "lexical", "--quiet"])
    (run,) = told("list", "--memory", "memory")
    assert (place / "memory" / "ledger.db").is_file()
    assert told("stale", "--memory", "memory") == []
    (place / "everest.md").write_text(EVEREST.replace("8,849", "8,848"))
    with Memory(place / "memory") as memory:
        memory.add(Path("everest.md"))
    assert {item["run_id"] for item in told("stale", "--memory", "memory", code=1)} == {run["id"]}
    assert told("purge", "--days", "0", "--yes", "--memory", "memory")["emptied"] == 1


def test_show_tells_the_whole_story(place):
    data = told("show", "1")
    assert data["report"]["claims"][1]["verdict"] == "REFUTED"
    assert data["documents"][0]["text"] == EVEREST
    text = say("show", "1")
    for part in ("ann", "run root", data["root"], "everest.md", "contradicted"):
        assert part in text


def test_verify_names_the_first_bad_record(place):
    assert "nothing changed, removed or reordered" in say("verify")
    (chain,) = told("verify")
    assert told("verify", "--head", chain["head"])[0]["whole"]
    assert not told("verify", "--head", "0" * 64, code=1)[0]["whole"]
    assert f"head 1:{chain['head']}" in say("verify")
    assert told("verify", "--expect-head", f"1:{chain['head']}")[0]["whole"]
    assert told("verify", "--expect-head", f"4:{chain['head']}", code=1)[0]["broken"]["record"] == 2
    with pytest.raises(UsageError, match="COUNT:HASH"):
        runner.invoke(app, ["audit", "verify", "--expect-head", "the last one"], catch_exceptions=False)
    import sqlite3

    with sqlite3.connect(".assay/ledger.db") as raw:
        raw.execute("UPDATE ledger_records SET payload = replace(payload, 'REFUTED', 'SUPPORTED')")
    raw.close()
    assert "record 1: its contents were changed" in say("verify", code=1)


def test_verify_looks_at_every_workspace(place):
    with Ledger(".assay/ledger.db", workspace="other") as other:
        other.record(Engine(judge="lexical").run(Request("Hello.")))
    assert [chain["workspace"] for chain in told("verify")] == ["default", "other"]
    assert [chain["workspace"] for chain in told("verify", "--workspace", "other")] == ["other"]


def test_replay_is_identical_or_says_why_not(place):
    assert told("replay", "1")[0]["identical"]
    assert "identical" in say("replay", "--all")
    (place / "strict.toml").write_text("halt_confidence = 0.9\n")
    (replay,) = told("replay", "1", "--policy", "strict.toml", code=1)
    assert replay["differences"][0]["reasons"] == ["policy: halt_confidence 0.7 → 0.9"]
    assert "halt_confidence 0.7 → 0.9" in say("replay", "1", "--policy", "strict.toml", code=1)
    (place / "everest.md").write_text(EVEREST.replace("8,849", "8,848"))
    changed = told("replay", "1", "--sources", "everest.md", code=1)[0]["differences"]
    assert {reason for item in changed for reason in item["reasons"]} == {"source: everest.md changed"}


def test_stale_lists_what_leaned_on_a_changed_file_and_checks_it_again(place):
    assert told("stale", "--sources", "everest.md") == []
    (place / "everest.md").write_text(EVEREST.replace("8,849", "8,848"))
    assert [item["claim"] for item in told("stale", "--sources", "everest.md", code=1)] == [0, 1]
    assert "everest.md changed" in say("stale", "--sources", "everest.md", code=1)
    new = told("stale", "--sources", "everest.md", "--reverify", "--user", "bob")
    assert [item["verdict"] for item in new] == ["REFUTED", "SUPPORTED"]
    assert told("stale", "--sources", "everest.md") == []
    assert told("list")[0]["rechecks"] == [told("list")[1]["id"]]
    assert "nothing is stale" in say("stale", "--sources", "everest.md", "--reverify")


def test_feedback_is_counted_from_one_and_becomes_rows(place):
    mark = told("feedback", "1", "2", "--wrong", "--should-be", "supported", "--note", "rounded", "--user", "bob")
    assert (mark["claim"], mark["should_be"], mark["user"]) == (1, "SUPPORTED", "bob")
    assert "rounded" in say("feedback", "1")
    assert "rounded" in say("show", "1")
    row = json.loads(say("feedback", "--rows"))
    assert (row["claim"], row["label"]) == ("Mount Everest is 8,848 m high.", "SUPPORTED")


def test_a_workspace_has_a_retention_of_its_own(place):
    assert told("retention") == {"workspace": "default", "days": 90, "own": False}
    assert told("retention", "--days", "7", "--user", "ann") == {"workspace": "default", "days": 7, "own": True}
    assert told("purge", "--yes")["days"] == 7
    assert told("purge", "--yes", "--days", "0")["days"] == 0  # the record of the setting is emptied with the others
    assert told("retention")["days"] == 7
    assert told("verify")[0]["whole"]
    assert told("retention", "--workspace", "other")["own"] is False


def test_purge_asks_first(place):
    assert runner.invoke(app, ["audit", "purge", "--days", "0"], input="n\n").exit_code == 1
    assert len(told("list")) == 1
    assert told("purge", "--yes")["emptied"] == 0
    assert told("purge", "--days", "0", "--yes")["emptied"] == 1
    assert told("list") == []
    assert told("verify")[0]["whole"]


@pytest.mark.parametrize("form", ["json", "md", "html", "csv"])
def test_export_writes_every_format(place, form):
    text = say("export", "1", "--format", form)
    assert "Mount Everest is 8,848 m high." in text
    say("export", "1", "--format", form, "--output", f"out.{form}")
    assert (place / f"out.{form}").read_text() == text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["list", "--ledger", "nowhere.db"], "there is no ledger nowhere.db"),
        (["show", "9"], "there is no run '9'"),
        (["list", "--format", "xml"], "rich or json"),
        (["export", "1", "--format", "xls"], "json, md, html or csv"),
        (["stale"], "--memory M or --sources PATH"),
        (["stale", "--memory", ".", "--sources", "everest.md"], "not in both"),
        (["replay"], "--all"),
        (["feedback", "1", "1"], "--right or --wrong"),
        (["feedback", "1", "7", "--right"], "has 2 claims"),
        (["list", "--workspace", "No!"], "workspace"),
    ],
)
def test_what_cannot_be_done_is_said_plainly(place, arguments, says):
    (place / "ledger.db").write_bytes((place / ".assay" / "ledger.db").read_bytes())
    result = runner.invoke(app, ["audit", *arguments])
    assert isinstance(result.exception, UsageError)
    assert re.search(re.escape(says), str(result.exception))
    assert not (place / "nowhere.db").exists()


def test_a_ledger_that_cannot_be_written_fails_the_check_only_if_it_was_asked_for(place):
    (place / "broken").mkdir()
    (place / "broken" / "ledger.db").write_text("no database" * 100)
    arguments = ["check", "answer.md", "--sources", "everest.md", "--judge", "lexical", "--ledger", "broken"]
    assert re.search("the ledger .* cannot be opened", str(runner.invoke(app, arguments).exception))
