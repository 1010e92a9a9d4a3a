"""Every example of an integration runs as its reader would run it; one whose framework is missing is skipped."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "integrations"
SAYS = {  # each example, the package it needs, and what it must print
    "deepeval_metric": ("deepeval", "False 0.0 1 claim is not supported"),
    "dspy_program": ("dspy", "asserted: Mount Everest is 8,849 m high."),
    "guardrails_validator": ("guardrails", "Mount Everest is 8,849 m high."),
    "haystack_pipeline": ("haystack", "ungrounded: ['Mount Everest is 8,489 m high.']"),
    "langchain_rag": ("langchain_core", "callback: REFUTED"),
    "langfuse_scores": ("langfuse", "groundedness: 0.000"),
    "litellm_guardrail": ("litellm", "refused: "),
    "llamaindex_rag": ("llama_index", "passing: False"),
    "nemo_rail": ("nemoguardrails", "I'm sorry"),
    "openwebui_filter": ("pydantic", ""),
    "pandas_frame": ("pandas", "REFUTED"),
    "phoenix_spans": ("phoenix", '"openinference.span.kind": "GUARDRAIL"'),
    "ragas_metric": ("ragas", "The source says 8,849 m"),
}
OFFLINE = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "RAGAS_DO_NOT_TRACK": "true",
}


def test_every_example_is_run():
    assert {path.stem for path in FOLDER.glob("*.py")} == SAYS.keys()


@pytest.mark.parametrize("name", SAYS)
def test_the_example_runs(name, tmp_path):
    package, expected = SAYS[name]
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed: make test-frameworks")
    known = (
        os.environ | OFFLINE | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    )
    command = [sys.executable, "-W", "ignore", str(FOLDER / f"{name}.py")]
    done = subprocess.run(command, cwd=tmp_path, env=known, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
