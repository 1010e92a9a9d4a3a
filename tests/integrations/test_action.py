"""The GitHub Action's own script, run here with the environment it would have there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ACTION = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text("utf-8"))
CHECK = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "check")


def run(tmp_path, **inputs):
    names = {name.lower(): "" for name in CHECK["env"]} | {"judge": "lexical", "fail_on": "any"} | inputs
    output = tmp_path / "output"
    output.touch()
    environment = {name.upper(): value for name, value in names.items()}
    environment |= {"SARIF": str(tmp_path / "assay.sarif"), "GITHUB_OUTPUT": str(output)}
    if "PYTHONPATH" in os.environ:
        environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", CHECK["run"]],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    return done, dict(line.split("=", 1) for line in output.read_text().splitlines())


@pytest.fixture
def project(tmp_path):
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "everest.md").write_text("Mount Everest is 8,849 m high.")
    (tmp_path / "answer.md").write_text("Mount Everest is 8,489 m high.")
    return tmp_path


def test_what_is_not_backed_is_found_and_told_as_sarif(project):
    done, said = run(project, answer="answer.md", sources="sources\n")
    assert done.returncode == 0, done.stderr  # a later step fails the job, after the upload
    assert (said["code"], said["grounded"]) == ("1", "false")
    results = json.loads((project / "assay.sarif").read_text())["runs"][0]["results"]
    assert results[0]["ruleId"] == "ASSAY-REFUTED"
    assert done.stdout.startswith("::error file=answer.md,line=1,endLine=1,col=1,endColumn=31,title=Contradicted")


def test_an_input_is_never_part_of_the_script(project):
    done, _ = run(project, answer="answer.md", sources="sources", question="$(touch owned) `touch owned`; touch owned")
    assert done.returncode == 0, done.stderr
    assert not (project / "owned").exists()
    for step in ACTION["runs"]["steps"]:
        assert "${{ inputs" not in step.get("run", "")


def test_a_misspelt_path_or_judge_fails_the_step(project):
    done, said = run(project, answer="answer.md", sources="sources\nnowhere/*.md")
    assert (done.returncode, said["code"], "no source 'nowhere/*.md'" in done.stderr) == (2, "2", True)
    done, said = run(project, answer="answer.md", sources="sources/*.md", judge="oracle")
    assert (done.returncode, said["code"]) == (2, "2")
