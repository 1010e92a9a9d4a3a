from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from assay.cli.app import app as whole
from assay.errors import UsageError

EVEREST = "Mount Everest is 8,849 m high. It stands on the border between Nepal and China."
ROWS = [
    {"evidence": EVEREST, "claim": "Mount Everest is 8,849 m high.", "label": "SUPPORTED"},
    {"evidence": EVEREST, "claim": "Mount Everest is 8,489 m high.", "label": "REFUTED"},
    {"evidence": EVEREST, "claim": "Ann Lee sold the old car.", "label": "INSUFFICIENT"},
]


@pytest.fixture
def app() -> typer.Typer:
    return whole


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    return path


@pytest.mark.parametrize("mode", ["judge", "pipeline"])
def test_the_lexical_judge_and_the_whole_engine_are_measured(app: typer.Typer, rows: Path, mode: str) -> None:
    done = CliRunner().invoke(app, ["eval", str(rows), "-j", "lexical", "--mode", mode, "-f", "json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["mode"] == mode
    assert found["files"][0]["accuracy"] == 1.0
    assert found["files"][0]["rates"]["false_called_supported"] == 0.0
    assert found["files"][0]["peak_memory_mb"] > 1


def test_the_promised_fields_are_there_for_every_file(app: typer.Typer, rows: Path) -> None:
    done = CliRunner().invoke(app, ["eval", str(rows), "-j", "lexical", "-f", "json"])
    file = json.loads(done.stdout)["files"][0]
    promised = "path n accuracy balanced_accuracy macro_f1 auc ece p50_ms p99_ms measure task intervals confusion"
    assert set(promised.split()) <= set(file)


def test_a_page_and_a_file_are_written(app: typer.Typer, rows: Path, tmp_path: Path) -> None:
    page, text = tmp_path / "page.html", tmp_path / "table.txt"
    given = ["eval", str(rows), "-j", "lexical", "--html", str(page), "-o", str(text)]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    assert page.read_text().startswith("<!doctype html>")
    assert "rows.jsonl" in text.read_text()
    whole = CliRunner().invoke(app, ["eval", str(rows), "-j", "lexical", "-f", "html"])
    assert whole.stdout.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--mode", "guess"], "unknown mode 'guess'"),
        (["--policy", "p.toml"], "use it with --mode pipeline"),
        (["--html", "/nowhere/x.html"], "cannot write /nowhere/x.html"),
    ],
)
def test_bad_options_say_why(app: typer.Typer, rows: Path, given: list[str], message: str) -> None:
    done = CliRunner().invoke(app, ["eval", str(rows), "-j", "lexical", *given])
    assert isinstance(done.exception, UsageError)
    assert message in str(done.exception)


def test_a_killed_evaluation_goes_on(tmp_path: Path) -> None:
    """A process killed in the middle leaves a journal from which the next one goes on, and loses nothing."""
    path, journal = tmp_path / "many.jsonl", tmp_path / "journal.jsonl"
    path.write_text("\n".join(json.dumps(ROWS[n % 3] | {"evidence": f"{EVEREST} {n}"}) for n in range(3000)))
    command = [
        sys.executable,
        "-m",
        "assay",
        "eval",
        str(path),
        "-j",
        "lexical",
        "-f",
        "json",
        "--resume",
        str(journal),
    ]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})
    while running.poll() is None and not (journal.exists() and journal.stat().st_size > 20_000):
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    kept = journal.read_text().count("\n")
    assert 0 < kept < 3000
    done = subprocess.run([*command[:-2], "--limit", "300", "--resume", str(journal)], capture_output=True, check=True)
    assert json.loads(done.stdout)["files"][0]["n"] == 300
    for line in journal.read_text().splitlines():
        json.loads(line)
