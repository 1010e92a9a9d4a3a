"""Feedback of readers on findings: records of the chain, and labels for calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.codec import Json, encode_fields
from assay.errors import UsageError
from assay.ledger.records import Record
from assay.ledger.runs import StoredRun
from assay.types import Verdict

_LABELS = (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INSUFFICIENT)


@dataclass(frozen=True)
class Feedback:
    """One mark: a reader found a finding right or wrong, and perhaps knew better.

    It holds the claim and its evidence, so that it is still a label after the run itself was purged.
    """

    id: int
    time: str
    run_id: str
    claim: int
    text: str
    verdict: str
    confidence: float
    right: bool
    should_be: str | None
    note: str
    user: str
    evidence: tuple[str, ...]

    @classmethod
    def of(cls, record: Record) -> Feedback:
        values: Mapping[str, Any] = record.payload
        return cls(id=record.sequence, time=record.time, **{**values, "evidence": tuple(values["evidence"])})

    def as_row(self) -> dict[str, Any] | None:
        """A labelled row (claim, evidence, label); None where all that is known is that the verdict was wrong.

        A claim wrongly called supported is NOT_SUPPORTED; one wrongly called refuted may be anything else.
        """
        label = self.should_be or (self.verdict if self.right else None)
        if label is None and self.verdict == Verdict.SUPPORTED.value:
            label = "NOT_SUPPORTED"
        if label is None or not self.evidence:
            return None
        return {
            "claim": self.text,
            "evidence": "\n".join(self.evidence),
            "label": label,
            "verdict": self.verdict,
            "confidence": self.confidence,
            "right": self.right,
        }

    def to_dict(self) -> Json:
        return encode_fields(self)


def pack_feedback(
    run: StoredRun, claim: int, right: bool, note: str, user: str, verdict: Verdict | str | None
) -> dict[str, Any]:
    """The payload of a mark; a claim that is not there, or a verdict that cannot be meant, is refused."""
    findings = run.report["claims"]
    if not 0 <= claim < len(findings):
        raise UsageError(f"run {run.id} has {len(findings)} claims; there is none at {claim} (counted from 0)")
    finding = findings[claim]
    if finding["verdict"] not in {label.value for label in _LABELS}:
        raise UsageError(f"claim {claim} of run {run.id} was not judged ({finding['verdict']}): nothing to mark")
    should_be = _should_be(finding["verdict"], right, verdict)
    quoted = [item["quote"] for item in finding["evidence"]] or [passage.text for passage in run.passages[claim]]
    return {
        "run_id": run.id,
        "claim": claim,
        "text": finding["text"],
        "verdict": finding["verdict"],
        "confidence": finding["confidence"],
        "right": bool(right),
        "should_be": should_be,
        "note": note,
        "user": user,
        "evidence": list(dict.fromkeys(quoted)),
    }


def _should_be(found: str, right: bool, verdict: Verdict | str | None) -> str | None:
    if verdict is None:
        return None
    known = {label.value for label in _LABELS}
    wanted = str(verdict).upper()
    if wanted not in known:
        raise UsageError(f"a finding should be {', '.join(sorted(known))}, not {verdict!r}")
    if right != (wanted == found):
        said = "right" if right else "wrong"
        raise UsageError(f"the finding is {found}: it cannot be {said} and should be {wanted}")
    return wanted
