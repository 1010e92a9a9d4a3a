"""Guardrails AI: a validator that an answer is grounded.

guard = Guard().use(GroundedValidator(on_fail="fix"))
guard.validate(answer, metadata={"sources": ["..."], "question": "..."})
"""

from __future__ import annotations

from typing import Any

from assay.errors import UsageError
from assay.integrations.adapter import Outcome, assess, engine_for, missing_framework, sources_of

try:
    from guardrails.validator_base import (
        ErrorSpan,
        FailResult,
        PassResult,
        ValidationResult,
        Validator,
        register_validator,
    )
except ImportError as problem:
    raise missing_framework("Guardrails AI", "guardrails") from problem


@register_validator(name="assay/grounded", data_type="string")
class GroundedValidator(Validator):  # type: ignore[misc]
    """Fails a text with claims that its sources do not support, each with its place in the text.

    The sources are `metadata["sources"]`, or those given here. With `on_fail="fix"` wrong values are put right from the
    sources and unsupported statements taken out; no model writes.
    """

    def __init__(
        self, sources: Any = None, judge: str = "cascade", policy: str | None = None, on_fail: Any = None
    ) -> None:
        super().__init__(on_fail=on_fail, judge=judge, policy=policy)
        self.sources, self.engine = sources, engine_for(judge, policy)

    def _validate(self, value: Any, metadata: dict[str, Any]) -> ValidationResult:
        given = metadata.get("sources", self.sources)
        if given is None:
            raise UsageError(
                'there is nothing to check against: give metadata={"sources": [...]} or GroundedValidator(sources=…)'
            )
        sources, question = sources_of(given), metadata.get("question")
        found = assess(value, sources, question, engine=self.engine)
        told = {"assay": found.to_dict()}
        if found.passed:
            return PassResult(metadata=told)
        spans = [
            ErrorSpan(start=span.start, end=span.end, reason=f"{finding.verdict.value}: {finding.explanation}")
            for finding in found.failing
            for span in finding.spans
        ]
        fixed = self._fix(found, sources) if "fix" in str(self.on_fail_descriptor).lower() else None
        return FailResult(error_message=found.reason, fix_value=fixed, error_spans=spans, metadata=told)

    def _fix(self, found: Outcome, sources: Any) -> str | None:
        from assay.repair import repair

        report = found.report
        mended = repair(report.question, report.answer, report, sources=sources, engine=self.engine)
        return mended.answer if mended.report.grounded else None
