"""promptfoo: an assertion that an output is grounded in the variables of its test.

assert:
  - type: python
    value: file://grounded.py  # a file with: from assay.integrations.promptfoo import get_assert
    config: {judge: cascade, context: docs}

promptfoo is no Python package: it runs the file with the Python that PROMPTFOO_PYTHON names.
"""

from __future__ import annotations

from typing import Any

from assay.integrations.adapter import assess, engine_for, row_of


def get_assert(output: Any, context: dict[str, Any]) -> dict[str, Any]:
    """A grading result for promptfoo, with one part for each claim.

    `config` may name the variables (`context`, `question`), the `judge`, a `policy` file, a `threshold` for the score
    below which the test fails, and what an output with nothing to check scores (`unscored`, 0 unless given).
    """
    config = context.get("config") or {}
    fields = {name: str(config.get(name, "")) for name in ("context", "question")}
    row = row_of({"answer": output}, context.get("vars") or {}, **fields)
    engine = engine_for(str(config.get("judge", "cascade")), config.get("policy"))
    found = assess(row["answer"], row["sources"], row["question"], engine=engine)
    threshold = config.get("threshold")
    score = found.score_or(float(config.get("unscored", 0.0)))
    return {
        "pass": found.passed if threshold is None or found.score is None else found.score >= float(threshold),
        "score": score,
        "reason": found.reason,
        "namedScores": {} if found.score is None else {"groundedness": found.score},
        "componentResults": [
            {
                "pass": finding.verdict.value == "SUPPORTED",
                "score": float(finding.verdict.value == "SUPPORTED"),
                "reason": f"{finding.verdict.value}: {finding.text} {finding.explanation}".strip(),
            }
            for finding in found.report.checkable
        ],
    }
