"""The list of what is installed, and under which licence."""

import importlib.util
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

pytest.importorskip("packaging")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("third_party", ROOT / "docs" / "third_party.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_a_package_needs_is_listed_with_it(script):
    found = script.closure(["rich>=13", "no-such-package", "nor-this; python_version < '3'"])
    assert {"rich", "markdown-it-py", "mdurl", "no-such-package"} <= set(found)  # mdurl is what markdown-it-py needs
    assert "nor-this" not in found
    assert found["no-such-package"] is None
    assert {"typer", "numpy", "sqlalchemy"} <= set(script.closure(script.requirements(())))
    assert "fastapi" in script.closure(script.requirements(("all",)))  # through the extras of our own


@pytest.mark.parametrize(
    ("metadata", "licence"),
    [
        ("License-Expression: MIT", "MIT"),
        ("Classifier: License :: OSI Approved :: MIT License", "MIT License"),
        ("Classifier: License :: OSI Approved\nLicense: ISC", "ISC"),
        ("Name: x", "not named by the package"),
    ],
)
def test_a_licence_is_read_from_wherever_a_package_names_it(script, tmp_path, metadata, licence):
    (tmp_path / "METADATA").write_text(f"Metadata-Version: 2.4\nName: x\nVersion: 1\n{metadata}\n")
    assert script.licence_of(PathDistribution(tmp_path)) == licence


def test_the_page_in_the_repository_lists_every_direct_dependency_and_every_set(script):
    page = script.PAGE.read_text("utf-8")
    for line in [*script.requirements(()), *script.requirements(("all", "dev"))]:
        assert f"| {script.canonicalize_name(script.Requirement(line).name)} |" in page
    for line in script.data_sets():
        assert line in page
    for line in script.unnamed(script.data_sets()):
        assert f"- {line.strip('| ').split(' | ')[0]}" in page
    assert script.unnamed(script.data_sets()) == []  # weights are made from sets with a named licence
