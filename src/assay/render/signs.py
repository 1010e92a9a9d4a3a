"""How each verdict looks: a symbol, a word and a style, the same in every rendering."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.types import Finding, Support, Verdict


@dataclass(frozen=True, slots=True)
class Sign:
    """A verdict's symbol, its word, and its name as a style."""

    symbol: str
    word: str
    name: str


SIGNS: dict[Verdict, Sign] = {
    Verdict.SUPPORTED: Sign("✓", "supported", "supported"),
    Verdict.REFUTED: Sign("✗", "refuted", "refuted"),
    Verdict.INSUFFICIENT: Sign("?", "insufficient", "insufficient"),
    Verdict.NOT_CHECKABLE: Sign("·", "not checkable", "not-checkable"),
    Verdict.ERROR: Sign("!", "error", "error"),
}

# Where claims overlap, the words they share are marked with the worst of their verdicts.
_GRAVITY = (Verdict.REFUTED, Verdict.ERROR, Verdict.INSUFFICIENT, Verdict.SUPPORTED, Verdict.NOT_CHECKABLE)

PROBLEMS = frozenset({Verdict.REFUTED, Verdict.INSUFFICIENT, Verdict.ERROR})

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def sign_of(finding: Finding) -> Sign:
    return SIGNS[finding.verdict]


def describe_verdict(finding: Finding) -> str:
    """The verdict in words, saying so where only a part is carried."""
    word = sign_of(finding).word
    partial = finding.support is Support.PARTIAL and finding.verdict in (Verdict.SUPPORTED, Verdict.INSUFFICIENT)
    return f"{word}, in part backed" if partial else word


def gravest(findings: tuple[Finding, ...], numbers: Iterable[int]) -> int:
    """The index of the finding with the worst verdict; the first of equals."""
    return min(numbers, key=lambda number: (_GRAVITY.index(findings[number].verdict), number))


def raised(number: int) -> str:
    """A number as a footnote mark.

    >>> raised(12)
    '¹²'
    """
    return str(number).translate(_RAISED)
