"""The page about the lattice cannot fall behind the lattice."""

import re
from pathlib import Path

import pytest

from assay.lattice import ALLOWED_ROLES, FIXUPS, ViolationKind
from assay.views import Rung

PAGE = (Path(__file__).parents[2] / "docs" / "lattice.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*FIXUPS, *sorted(ALLOWED_ROLES), *ViolationKind, *Rung])
def test_every_name_is_on_the_page(name):
    assert f"`{name}`" in PAGE


def test_the_example_prints_what_the_page_says(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "docs/lattice.md", "exec"), {})
    shown = capsys.readouterr().out
    for line in re.findall(r"# ((?:HYBRID|WARRANT_MISSING) .*)", code):
        assert line in shown
