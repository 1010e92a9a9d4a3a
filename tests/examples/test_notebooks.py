"""The notebooks run from the first cell to the last, each in a folder of its own, and hold no outputs."""

import ast
import asyncio
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def code_cells(path):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def execute(path):
    """Runs the cells one after the other, as a kernel does: names are kept, `await` may stand at the top."""
    names = {"__name__": "__main__"}
    for number, code in enumerate(code_cells(path), 1):
        place = f"{path.name}, code cell {number}"
        waiting = eval(compile(code, place, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
        if inspect.iscoroutine(waiting):
            asyncio.run(waiting)
    return names


def test_the_four_notebooks_are_there():
    assert [path.stem.split("_")[0] for path in NOTEBOOKS] == ["01", "02", "03", "04"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    known = {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])}
    program = "import sys, pathlib, tests.examples.test_notebooks as run; run.execute(pathlib.Path(sys.argv[1]))"
    command = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | known, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_valid_and_without_outputs(path):
    book = json.loads(path.read_text("utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    assert all(cell.get("outputs", []) == [] and cell.get("execution_count") is None for cell in book["cells"])


def test_a_cell_that_fails_is_noticed(tmp_path):
    cells = [{"cell_type": "code", "source": ["x = 1\n", "await __import__('asyncio').sleep(0)"]}]
    cells.append({"cell_type": "code", "source": ["assert x == 2"]})
    (tmp_path / "bad.ipynb").write_text(json.dumps({"cells": cells}))
    with pytest.raises(AssertionError):
        execute(tmp_path / "bad.ipynb")
