"""How often the epistemic checks flag what is true, and what is not, on the written set.

    assay eval written --mode epistemic [--judge cascade] [--limit BLOCKS]

Each block of the set gives two responses: one of its faithful claims, which `detect_hallucinations` should leave alone,
and one of its wrong and unbacked claims, which it should flag. Every sentence is scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.codec import Json, encode_fields
from assay.evaluation.metrics import Interval, bootstrap
from assay.evaluation.written import LabelledClaim, WrittenBlock, join_claims
from assay.types import Verdict

if TYPE_CHECKING:
    from assay.epistemic import Checker, ClaimVerification

TARGET = 0.05  # the share of faithful claims that may be flagged


@dataclass(frozen=True, slots=True)
class FlaggedClaim:
    """A labelled claim and why it was flagged; an empty reason if it was not, None if it was not checked."""

    claim: LabelledClaim
    reason: str | None
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class FlagFigures:
    """Shares with their 95 % ranges; None where nothing of the kind was checked.

    `doubted` and `wrong_doubted` are the faithful and the wrong claims that were called doubtful, but not flagged.
    """

    faithful: int
    false_flags: Interval | None
    doubted: Interval | None
    wrong: int
    found: Interval | None
    wrong_doubted: Interval | None
    not_checked: int
    reasons: dict[str, int]  # of the false flags

    @classmethod
    def of(cls, judged: Sequence[FlaggedClaim]) -> FlagFigures:
        true = [one for one in judged if one.claim.verdict is Verdict.SUPPORTED and one.reason is not None]
        rest = [one for one in judged if one.claim.verdict is not Verdict.SUPPORTED and one.reason is not None]
        return cls(
            faithful=len(true),
            false_flags=_share([bool(one.reason) for one in true]),
            doubted=_share([one.doubtful for one in true]),
            wrong=len(rest),
            found=_share([bool(one.reason) for one in rest]),
            wrong_doubted=_share([one.doubtful for one in rest]),
            not_checked=sum(one.reason is None for one in judged),
            reasons=dict(Counter(one.reason for one in true if one.reason).most_common()),
        )

    def to_dict(self) -> Json:
        return encode_fields(self) | {"target": TARGET}

    def to_text(self) -> str:
        lines = [
            f"faithful claims flagged: {_percent(self.false_flags)} of {self.faithful} (target: at most {TARGET:.0%})",
            f"faithful claims called doubtful: {_percent(self.doubted)}",
            f"wrong or unbacked claims flagged: {_percent(self.found)} of {self.wrong}",
            f"wrong or unbacked claims called doubtful: {_percent(self.wrong_doubted)}",
            f"not checked: {self.not_checked}",
        ]
        return "\n".join(lines + [f"  false flags, {reason}: {count}" for reason, count in self.reasons.items()])


def measure_flags(
    checker: Checker, blocks: Sequence[WrittenBlock], step: Callable[[], None] = lambda: None
) -> list[FlaggedClaim]:
    """Every claim of every block, checked among the others that are as faithful or as wrong as it is."""
    from assay.llm.waiting import run

    judged: list[FlaggedClaim] = []
    for block in blocks:
        for faithful in (True, False):
            claims = [one for one in block.claims if (one.verdict is Verdict.SUPPORTED) is faithful]
            if not claims:
                continue
            text, places = join_claims(claims)
            report = run(checker.detect_hallucinations(text, list(block.documents), question=block.question or None))
            for place, claim in places:
                own = [one for one in report.claims if any(place.overlaps(span) for span in one.spans)]
                reason = _reason(own)
                judged.append(FlaggedClaim(claim, reason, not reason and any(one.doubt for one in own)))
        step()
    return judged


def _reason(found: Sequence[ClaimVerification]) -> str | None:
    """Why a sentence was flagged, by the first of its claims that was."""
    checked = [one for one in found if one.verdict not in (Verdict.ERROR, Verdict.NOT_CHECKABLE)]
    if not checked:
        return None
    flagged = next((one for one in checked if one.is_flagged), None)
    if flagged is None or flagged.gap_type is None:
        return ""
    return f"{flagged.gap_type.value} ({flagged.verdict.value})"


def _share(flags: Sequence[bool]) -> Interval | None:
    return bootstrap(len(flags), lambda at: sum(flags[n] for n in at) / len(at)) if flags else None


def _percent(interval: Interval | None) -> str:
    if interval is None:
        return "–"
    return f"{interval.value:.1%} ({interval.low:.1%}–{interval.high:.1%})"
