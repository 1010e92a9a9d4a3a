"""What a guarded stream says, one frozen value after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from assay.types import Claim, Finding, Report, Span

if TYPE_CHECKING:
    from assay.engine import Run
    from assay.epistemic import ResolvedResponse


@dataclass(frozen=True, slots=True)
class TokenEvent:
    """Text that the reader may see now."""

    text: str
    kind: ClassVar[str] = "token"

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "text": self.text}


@dataclass(frozen=True, slots=True)
class ClaimEvent:
    """A claim whose last word has been written; it has not been judged yet."""

    claim: Claim
    kind: ClassVar[str] = "claim"

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "text": self.claim.text,
            "spans": [{"start": span.start, "end": span.end} for span in self.claim.spans],
            "checkable": self.claim.checkable,
            "reason": self.claim.reason,
        }


@dataclass(frozen=True, slots=True)
class FindingEvent:
    """The finding on a claim; its offsets count from the start of the stream."""

    finding: Finding
    kind: ClassVar[str] = "finding"

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "finding": self.finding.to_dict()}


@dataclass(frozen=True, slots=True)
class HaltEvent:
    """The stream was stopped, why, and over which finding (None where the check itself failed)."""

    reason: str
    finding: Finding | None = None
    kind: ClassVar[str] = "halt"

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "reason": self.reason,
            "finding": None if self.finding is None else self.finding.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class RetractEvent:
    """A stretch that the reader has already seen and that must be taken back: from the wrong sentence to the end."""

    span: Span
    text: str
    kind: ClassVar[str] = "retract"

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "start": self.span.start, "end": self.span.end, "text": self.text}


@dataclass(frozen=True, slots=True)
class BranchEvent:
    """After a halt the answer is written again: what was shown so far is void, offsets count anew."""

    number: int
    kind: ClassVar[str] = "branch"

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "number": self.number}


@dataclass(frozen=True, slots=True)
class DoneEvent:
    """The end: the report on the whole text as it was written, and what the call_guard came to.

    `tokens` were written, `tokens_shown` went out to the reader, `tokens_exposed` of these belonged to a stretch that
    was then retracted; a `false_halt` is one that the report on the whole text does not uphold; `late` counts sentences
    that the next one had to wait too long for, so that it began before they were checked; `branches` counts the
    attempts after a halt. `run` is all that led to the report, for the ledger; an exempt output has none. `epistemic`
    is the outcome of the epistemic checks on the whole text, if they were asked for.
    """

    report: Report
    tokens: int = 0
    tokens_shown: int = 0
    tokens_exposed: int = 0
    halted: bool = False
    false_halts: int = 0
    checks: int = 0
    late: int = 0
    branches: int = 0
    run: Run | None = field(default=None, compare=False, repr=False)
    epistemic: ResolvedResponse | None = None
    kind: ClassVar[str] = "done"

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "report": self.report.to_dict(),
            "tokens": self.tokens,
            "tokens_shown": self.tokens_shown,
            "tokens_exposed": self.tokens_exposed,
            "halted": self.halted,
            "false_halts": self.false_halts,
            "checks": self.checks,
            "late": self.late,
            "branches": self.branches,
            "epistemic": self.epistemic.to_dict() if self.epistemic is not None else None,
        }


Event = TokenEvent | ClaimEvent | FindingEvent | HaltEvent | RetractEvent | BranchEvent | DoneEvent
