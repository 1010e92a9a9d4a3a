"""What is not installed is asked for by name, and only when its adapter is imported."""

import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from assay.errors import UsageError

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = SETTINGS["project"]
NEEDED = {
    "deepeval": "deepeval",
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
