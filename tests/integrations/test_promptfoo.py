"""The assertion by itself, and in promptfoo where that is installed (npm install promptfoo; PROMPTFOO=command)."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.integrations.promptfoo import get_assert

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
RIGHT, WRONG = "Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."
OPINION = "I think it is beautiful."
EXAMPLE = Path(__file__).parents[2] / "examples" / "integrations" / "promptfoo"
PROMPTFOO = os.environ.get("PROMPTFOO") or shutil.which("promptfoo")


def grade(output, **config):
    variables = {"question": "How high is Everest?", "context": [SOURCE]}
    return get_assert(output, {"vars": variables, "config": {"judge": "lexical", **config}})


def test_a_grading_result_has_a_part_for_each_claim():
    found = grade(f"{RIGHT} It was first climbed in 1963.")
    assert (found["pass"], found["score"], found["namedScores"]) == (False, 0.5, {"groundedness": 0.5})
    assert [part["pass"] for part in found["componentResults"]] == [True, False]
    assert "1953" in found["reason"]
    assert json.loads(json.dumps(found)) == found


def test_a_threshold_and_names_of_variables_may_be_set():
    assert grade(f"{RIGHT} It was first climbed in 1963.", threshold=0.5)["pass"]
    assert not get_assert(WRONG, {"vars": {"docs": SOURCE}, "config": {"judge": "lexical", "context": "docs"}})["pass"]


def test_an_output_with_nothing_to_check_passes():
    found = grade(OPINION)
    assert (found["pass"], found["score"], found["namedScores"]) == (True, 0.0, {})
    assert grade(OPINION, unscored=1)["score"] == 1.0


@pytest.mark.skipif(not PROMPTFOO, reason="promptfoo is not installed: npm install promptfoo, PROMPTFOO=its command")
def test_promptfoo_runs_the_example(tmp_path):
    folder = shutil.copytree(EXAMPLE, tmp_path / "example")
    command = [PROMPTFOO, "eval", "-c", "promptfooconfig.yaml", "--no-cache", "--no-progress-bar", "-o", "out.json"]
    known = {"PROMPTFOO_PYTHON": sys.executable, "PROMPTFOO_CONFIG_DIR": str(tmp_path / "home")}
    done = subprocess.run(command, cwd=folder, env=os.environ | known, capture_output=True, text=True, timeout=240)
    assert done.returncode in (0, 100), done.stdout + done.stderr  # 100: a test failed, as one of them is to
    results = json.loads((folder / "out.json").read_text())["results"]["results"]
    found = {row["vars"]["answer"]: row["gradingResult"] for row in results}
    assert {text: one["pass"] for text, one in found.items()} == {RIGHT: True, WRONG: False}
    assert "8,849 m" in found[WRONG]["reason"]
