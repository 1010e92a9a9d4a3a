"""What is not installed is asked for by name, and only when its adapter is imported."""

import ast
import sys
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from assay.errors import UsageError

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = SETTINGS["project"]
NEEDED = {
    "deepeval": "deepeval.errors",
    "dspy": "dspy",
    "guardrails": "guardrails.validator_base",
    "haystack": "haystack",
    "langchain": "langchain_core.tracers.base",
    "langfuse": "langfuse",
    "litellm": "litellm",
    "llamaindex": "llama_index.core.evaluation",
    "nemo": "nemoguardrails.actions",
    "openwebui": "pydantic",
    "pandas": "pandas",
    "phoenix": "phoenix.client",
    "ragas": "ragas.dataset_schema",
}


@pytest.mark.parametrize("extra", NEEDED)
def test_an_adapter_without_its_framework_says_what_to_install(monkeypatch, extra):
    monkeypatch.setitem(sys.modules, NEEDED[extra], None)  # as if it were not installed
    monkeypatch.delitem(sys.modules, f"assay.integrations.{extra}", raising=False)
    with pytest.raises(UsageError, match=rf"pip install '[a-z-]+\[{extra}\]'") as raised:
        import_module(f"assay.integrations.{extra}")
    assert isinstance(raised.value, ImportError)  # so that `except ImportError` around an optional import holds
    assert extra in PROJECT["optional-dependencies"]


@pytest.mark.parametrize("path", sorted((ROOT / "src" / "assay" / "integrations").glob("*.py")), ids=lambda p: p.stem)
def test_what_an_adapter_takes_from_assay_exists_and_is_never_taken_for_its_framework(path):
    tree = ast.parse(path.read_text("utf-8"))
    guarded = {id(node) for block in ast.walk(tree) if isinstance(block, ast.Try) for node in ast.walk(block)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "assay":
            assert id(node) not in guarded or path.stem not in NEEDED, f"{node.module}, line {node.lineno}"
            taken = import_module(node.module)
            for name in node.names:
                assert hasattr(taken, name.name) or find_spec(f"{node.module}.{name.name}"), name.name


def test_only_adapters_without_their_framework_are_left_out_of_the_doctests(monkeypatch, request):
    ours = next(
        plugin
        for plugin in request.config.pluginmanager.get_plugins()
        if getattr(plugin, "__file__", None) == str(ROOT / "conftest.py")
    )
    folder = ROOT / "src" / "assay" / "integrations"
    for extra, module in NEEDED.items():
        monkeypatch.setitem(sys.modules, module, None)
        monkeypatch.delitem(sys.modules, f"assay.integrations.{extra}", raising=False)
        assert ours.pytest_ignore_collect(folder / f"{extra}.py") is True

    def fail(name):
        raise ImportError(f"cannot import {name}")

    monkeypatch.setattr(ours, "import_module", fail)  # broken in another way: it is collected, and an error there
    assert ours.pytest_ignore_collect(folder / "ragas.py") is None
    assert ours.pytest_ignore_collect(ROOT / "src" / "assay" / "types.py") is None
    assert "ignore-import-errors" not in SETTINGS["tool"]["pytest"]["ini_options"]["addopts"]
