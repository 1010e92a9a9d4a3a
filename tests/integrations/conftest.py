"""Frameworks under test report to nobody and look up nothing: set before any of them is imported."""

import os

for name, value in {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "RAGAS_DO_NOT_TRACK": "true",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "true",
}.items():
    os.environ.setdefault(name, value)
