from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from assay.cli.app import app as whole
from assay.errors import AssayError
from assay.memory import Memory

EXAMPLE = Path(__file__).parents[2] / "examples" / "everest" / "sources"


@pytest.fixture
def app() -> typer.Typer:
    return whole


def test_the_example_is_tested_and_changed_values_are_noticed(app: typer.Typer) -> None:
    done = CliRunner().invoke(app, ["selftest", "-s", str(EXAMPLE), "-j", "lexical", "-n", "8", "-f", "json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["sentences"] == 8
    assert found["kinds"]["token"]["caught"]["rate"] == 1.0
    assert found["catch_rate"]["kinds"] == len(found["kinds"])
    assert found["controls"]["verbatim"]["hits"] == 0
    again = CliRunner().invoke(app, ["selftest", "-s", str(EXAMPLE), "-j", "lexical", "-n", "8", "-f", "json"])
    assert again.stdout == done.stdout


def test_the_table_names_every_kind_and_shows_what_was_missed(app: typer.Typer) -> None:
    done = CliRunner().invoke(app, ["selftest", "-s", str(EXAMPLE), "-j", "lexical", "-n", "16"])
    assert done.exit_code == 0, done.output
    for words in ("token", "citation", "mean over kinds", "95 % range", "false alarms", "the source says:", "changed:"):
        assert words in done.stdout


def test_a_memory_can_be_tested(app: typer.Typer, tmp_path: Path) -> None:
    with Memory(tmp_path / "memory") as memory:
        memory.add([EXAMPLE])
    given = ["selftest", "-m", str(tmp_path / "memory"), "-j", "lexical", "-n", "4", "-f", "json"]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert "citation" not in found["kinds"]
    assert found["controls"]["verbatim"]["of"] == 4


def test_a_bar_that_is_not_met_is_exit_code_1(app: typer.Typer) -> None:
    strict = ["selftest", "-s", str(EXAMPLE), "-j", "lexical", "-n", "16", "--at-most", "0.0"]
    assert CliRunner().invoke(app, strict).exit_code == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "either --sources FOLDER or --memory FOLDER"),
        (["-s", "x", "-m", "y"], "either --sources"),
        (["-m", "nowhere"], "there is no evidence memory at nowhere"),
        (["-s", str(EXAMPLE), "-f", "yaml"], "unknown format 'yaml'"),
        (["-s", str(EXAMPLE), "-j", "psychic"], "no judge 'psychic'"),
    ],
)
def test_bad_options_say_why(app: typer.Typer, given: list[str], message: str) -> None:
    done = CliRunner().invoke(app, ["selftest", *given])
    assert isinstance(done.exception, AssayError)
    assert message in str(done.exception)
