from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.errors import UsageError

RIGHT = "Mount Everest is 8,849 m high."
WRONG = "Mount Everest is 8,489 m high."


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "everest.md"
    path.write_text(f"{RIGHT} It was first climbed in 1953.\n")
    return str(path)


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["repair", *arguments, "--judge", "lexical"])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


def test_a_diff_shows_each_change_with_the_words_of_the_source(source: str, tmp_path: Path) -> None:
    answer = tmp_path / "answer.md"
    answer.write_text(f"{WRONG}\n")
    code, shown = run(str(answer), "--sources", source)
    assert code == 0
    assert f"-{WRONG}" in shown
    assert f"+{RIGHT}" in shown
    assert "number: “8,489 m” → “8,849 m”" in shown
    assert f"everest.md: “{RIGHT}”" in shown
    assert answer.read_text() == f"{WRONG}\n"


def test_the_repaired_answer_can_be_printed_or_written(source: str, tmp_path: Path) -> None:
    target = tmp_path / "fixed.md"
    code, shown = run(WRONG, "--sources", source, "--format", "text", "--output", str(target))
    assert (code, shown.strip(), target.read_text()) == (0, RIGHT, RIGHT)


def test_json_holds_edits_and_report(source: str) -> None:
    _, shown = run(WRONG, "--sources", source, "--format", "json")
    told = json.loads(shown)
    assert told["answer"] == RIGHT
    assert told["edits"][0]["evidence"]["quote"] == RIGHT
    assert told["report"]["verdict"] == "SUPPORTED"


def test_what_stays_unsupported_ends_with_exit_code_1(source: str) -> None:
    code, shown = run(f"{RIGHT} Bananas are rich in potassium.", "--sources", source, "--keep")
    assert code == 1
    assert "nothing was changed" in shown
    assert "warning: UNSUPPORTED_CLAIMS" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [([WRONG], "give the sources"), ([WRONG, "--sources", "x", "--format", "rtf"], "choose diff, text or json")],
)
def test_wrong_use_is_said_plainly(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(*arguments)
