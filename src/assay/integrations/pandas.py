"""pandas: `import assay.integrations.pandas`, then `frame.assay.check()` and `frame.assay.claims()`."""

from __future__ import annotations

from typing import Any

from assay.engine import check_many
from assay.integrations.adapter import Outcome, missing_framework, row_of
from assay.types import Report

try:
    import pandas as pd
except ImportError as problem:
    raise missing_framework("pandas", "pandas") from problem


@pd.api.extensions.register_dataframe_accessor("assay")
class AssayAccessor:
    """Checks a frame of answers, one a row; columns are found by their usual names unless they are named."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def reports(self, *, answer: str = "", context: str = "", question: str = "", **options: Any) -> list[Report]:
        """The report on each row; options are those of `assay.check_many` (judge, policy, threads, progress)."""
        records = self._frame.astype(object).where(self._frame.notna(), None).to_dict("records")
        rows = [row_of(record, answer=answer, context=context, question=question) for record in records]
        return check_many(rows, **options)

    def check(self, **options: Any) -> pd.DataFrame:
        """Verdict, grounded, score, confidence and reason of each row, with its index: join it to the frame."""
        found = [Outcome(report) for report in self.reports(**options)]
        rows = [
            {
                "verdict": outcome.report.verdict.value,
                "grounded": outcome.report.grounded,
                "score": outcome.score,
                "confidence": outcome.report.confidence,
                "reason": outcome.reason,
            }
            for outcome in found
        ]
        names = ["verdict", "grounded", "score", "confidence", "reason"]
        return pd.DataFrame(rows, index=self._frame.index, columns=names)

    def claims(self, **options: Any) -> pd.DataFrame:
        """A row for each claim, with the index of its answer in `row` and the first quote that decided."""
        rows = [
            {
                "row": index,
                "claim": finding.text,
                "verdict": finding.verdict.value,
                "confidence": finding.confidence,
                "explanation": finding.explanation,
                "document": finding.evidence[0].document if finding.evidence else None,
                "quote": finding.evidence[0].quote if finding.evidence else None,
            }
            for index, report in zip(self._frame.index, self.reports(**options), strict=True)
            for finding in report.findings
        ]
        names = ["row", "claim", "verdict", "confidence", "explanation", "document", "quote"]
        return pd.DataFrame(rows, columns=names)
