from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from assay.calibration.recalibration import Recalibration
from assay.cli.app import app as whole
from assay.engine import Engine, Request
from assay.errors import UsageError
from assay.ledger import Ledger


@pytest.fixture
def app() -> typer.Typer:
    return whole


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Rows on which the lexical judge is surely right about heights, and knows nothing of paraphrases."""
    rows = []
    for number in range(40):
        source = f"Peak {number} Hill is {900 + number} m high. The town below it has {number + 3} shops."
        rows.append(
            {"evidence": source, "claim": f"Peak {number} Hill is {900 + number} m high.", "label": "SUPPORTED"}
        )
        rows.append({"evidence": source, "claim": f"Peak {number} Hill is {700 + number} m high.", "label": "REFUTED"})
        rows.append({"evidence": source, "claim": "One can buy bread nearby.", "label": "SUPPORTED", "kind": "guide"})
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_labels_make_a_calibration_a_page_and_a_promise(app: typer.Typer, labels: Path, tmp_path: Path) -> None:
    out, plot = tmp_path / "calibration.json", tmp_path / "plot.html"
    given = ["calibrate", str(labels), "-j", "lexical", "-o", str(out), "--plot", str(plot), "--risk", "0.2"]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    assert "fitted on 120 labels of lexical" in done.stdout
    assert "so flattering" in done.stdout
    assert "at most 20% are wrong, with 90% confidence" in done.stdout
    assert Recalibration.load(out).labels == 120
    assert "<svg" in plot.read_text()


def test_part_of_the_labels_can_be_kept_to_measure_on(app: typer.Typer, labels: Path, tmp_path: Path) -> None:
    given = ["calibrate", str(labels), "-j", "lexical", "-o", str(tmp_path / "c.json"), "--take", "80", "-f", "json"]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["held_out"] is True
    assert found["calibration"]["labels"] == 80
    assert found["after"]["n"] == 40
    assert found["after"]["ece"] < found["before"]["ece"]


def test_marks_of_readers_are_labels(app: typer.Typer, tmp_path: Path) -> None:
    engine = Engine(judge="lexical")
    with Ledger(tmp_path / "ledger") as ledger:
        for number in range(12):
            source = f"Peak {number} Hill is {900 + number} m high."
            run = engine.run(
                Request(f"{source} Peak {number} Hill is {700 + number} m wide and high.", sources=[source])
            )
            name = ledger.record(run)
            for claim in range(len(run.report.findings)):
                ledger.feedback(name, claim, right=claim == 0)
                if claim == 1:
                    ledger.feedback(name, claim, True)
    given = ["calibrate", "--ledger", str(tmp_path / "ledger"), "-j", "lexical", "-o", str(tmp_path / "c.json")]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    assert Recalibration.load(tmp_path / "c.json").labels >= 20


def test_an_unmarked_ledger_says_what_to_do(app: typer.Typer, tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger"):
        pass
    done = CliRunner().invoke(app, ["calibrate", "--ledger", str(tmp_path / "ledger"), "-j", "lexical"])
    assert isinstance(done.exception, UsageError)
    assert "no reader has marked a finding" in str(done.exception)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "either files of labelled rows or --ledger"),
        (["LABELS", "--take", "500"], "leaves nothing to measure on"),
        (["LABELS", "-f", "yaml"], "unknown format 'yaml'"),
        (["LABELS", "-o", "/nowhere/c.json"], "cannot write /nowhere/c.json"),
        (["LABELS", "--risk", "7"], "calibration_risk must lie between 0 and 1"),
    ],
)
def test_bad_options_say_why(app: typer.Typer, labels: Path, given: list[str], message: str) -> None:
    filled = [str(labels) if word == "LABELS" else word for word in given]
    done = CliRunner().invoke(app, ["calibrate", "-j", "lexical", *filled])
    assert isinstance(done.exception, UsageError)
    assert message in str(done.exception)


def test_a_calibration_can_be_repeated_on_other_labels(app: typer.Typer, labels: Path, tmp_path: Path) -> None:
    out = tmp_path / "c.json"
    given = ["calibrate", str(labels), "-j", "lexical", "-o", str(out), "--take", "60", "--repeat", "4"]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    assert "4 times fitted on 60 labels" in done.stdout
    assert not out.exists()
    asked = CliRunner().invoke(app, [*given, "-f", "json"])
    assert json.loads(asked.stdout)["fittings"] == 4


def test_a_repetition_needs_a_number_of_labels(app: typer.Typer, labels: Path) -> None:
    done = CliRunner().invoke(app, ["calibrate", str(labels), "-j", "lexical", "--repeat", "4"])
    assert isinstance(done.exception, UsageError)
    assert "--take" in str(done.exception)
