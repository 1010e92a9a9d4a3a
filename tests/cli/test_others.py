import json

import pytest
from typer.testing import CliRunner

from assay.cli.app import GROUPS, app

runner = CliRunner()


def test_claims_lists_every_claim_with_its_place():
    result = runner.invoke(app, ["claims", "Paris is in France and Berlin is in Germany. Is it?", "--format", "json"])
    found = json.loads(result.stdout)
    assert [claim["checkable"] for claim in found] == [True, True, False]
    assert found[2]["reason"] == "question"


def test_claims_are_readable_on_a_terminal():
    assert "critical" in runner.invoke(app, ["claims", "Everest is 8,849 m high."]).stdout


def test_inspect_says_how_close_the_source_comes(tmp_path):
    source = tmp_path / "source.txt"
    source.write_text("Mount Everest stands on the border between Nepal and China.")
    close = runner.invoke(app, ["inspect", "Mount Everest stands on the border", "-s", str(source), "-f", "json"])
    assert json.loads(close.stdout)[0]["outcome"] == "verbatim_in_base"
    far = runner.invoke(app, ["inspect", "Penguins swim under the southern ice", "-s", str(source)])
    assert "no_overlap" in far.stdout


def test_doctor_finds_a_healthy_installation():
    result = runner.invoke(app, ["doctor", "--format", "json"])
    assert result.exit_code == 0, result.stdout
    assert json.loads(result.stdout)["healthy"]


def test_doctor_lists_every_policy_field():
    assert "halt_confidence" in runner.invoke(app, ["doctor", "--policy"]).stdout


@pytest.mark.parametrize("command", [[], ["check"], ["claims"], ["inspect"], ["doctor"]])
def test_every_command_explains_itself(command):
    result = runner.invoke(app, [*command, "--help"])
    assert result.exit_code == 0
    assert "Usage" in result.stdout


def test_every_group_is_registered():
    assert len(app.registered_commands) + len(app.registered_groups) >= len(GROUPS)
