"""What is not installed is asked for by name, and only when its adapter is imported."""

import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from assay.errors import UsageError

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
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
