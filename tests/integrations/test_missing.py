"""What is not installed is asked for by name, and only when it is used."""

import sys

import pytest

from assay.errors import UsageError


@pytest.mark.parametrize(
    ("module", "make", "package", "extra"),
    [
        ("langchain", "verifier", "langchain_core.runnables", "langchain"),
        ("llamaindex", "evaluator", "llama_index.core.evaluation", "llamaindex"),
    ],
)
def test_an_adapter_without_its_framework_says_what_to_install(monkeypatch, module, make, package, extra):
    from importlib import import_module

    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    adapter = import_module(f"assay.integrations.{module}")
    with pytest.raises(UsageError, match=rf"pip install 'assay\[{extra}\]'"):
        getattr(adapter, make)()
