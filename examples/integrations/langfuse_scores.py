"""Langfuse: an experiment whose outputs are scored for grounding; it runs without a server, and then sends nothing.

pip install 'assay-check[langfuse]'; with LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY and LANGFUSE_BASE_URL set, scores are sent.
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
