"""Langfuse: an experiment whose outputs are scored for grounding; it runs without a server, and then sends nothing.

pip install 'assay-check[langfuse]'; scores are sent where LANGFUSE_PUBLIC_KEY, _SECRET_KEY and _BASE_URL are set.
"""

import os

from langfuse import Langfuse

from assay.integrations.langfuse import evaluator

langfuse = Langfuse() if os.environ.get("LANGFUSE_PUBLIC_KEY") else Langfuse(tracing_enabled=False)
rows = [
    {"input": "How high is Mount Everest?", "metadata": {"context": "Mount Everest is 8,849 m high."}},
]


def task(*, item, **_):
    return "Mount Everest is 8,489 m high."  # your application


print(langfuse.run_experiment(name="grounding", data=rows, task=task, evaluators=[evaluator()]).format())
