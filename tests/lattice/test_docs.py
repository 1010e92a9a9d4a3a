"""The page about the lattice cannot fall behind the lattice."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.lattice import ALLOWED_ROLES, FIXUPS, ViolationKind
from assay.views import Rung

PAGE = (Path(__file__).parents[2] / "docs" / "lattice.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*FIXUPS, *sorted(ALLOWED_ROLES), *ViolationKind, *Rung])
def test_every_name_is_on_the_page(name):
    assert f"`{name}`" in PAGE


def test_the_walk_through_comes_out_as_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in re.findall(r"<!-- file: (\S+) -->\n```text\n(.*?)```", PAGE, re.DOTALL):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (commands,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for line in commands.splitlines():
        words, _, target = line.removeprefix("$ assay ").partition(" > ")
        done = CliRunner().invoke(app, shlex.split(words))
        assert done.exit_code == 0, done.output
        if target:
            (tmp_path / target).write_text(done.stdout, encoding="utf-8")
        if words.startswith("lattice check"):
            assert done.stdout.strip().endswith("STRICT · EVIDENCE-WARRANTED · 1 of 1 verified")


def test_the_example_prints_what_the_page_says(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "docs/lattice.md", "exec"), {})
    shown = capsys.readouterr().out
    for line in re.findall(r"# ((?:HYBRID|WARRANT_MISSING) .*)", code):
        assert line in shown
