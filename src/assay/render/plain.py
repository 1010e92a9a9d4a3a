"""The words every rendering shares, and the report as plain text: what `print(report)` shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.render.escape import one_line
from assay.types import Evidence, Finding, Report, Span, Stance, Support, Verdict
from assay.views import quotes


@dataclass(frozen=True, slots=True)
class VerdictStyle:
    """A verdict's symbol, its word, and its name as a style."""

    symbol: str
    word: str
    name: str


STYLES: dict[Verdict, VerdictStyle] = {
    Verdict.SUPPORTED: VerdictStyle("✓", "supported", "supported"),
    Verdict.REFUTED: VerdictStyle("✗", "contradicted", "refuted"),
    Verdict.INSUFFICIENT: VerdictStyle("?", "not confirmed", "insufficient"),
    Verdict.NOT_CHECKABLE: VerdictStyle("·", "not checkable", "not-checkable"),
    Verdict.ERROR: VerdictStyle("!", "error", "error"),
}

# The same for what an evidence ledger enters, and for what a quote does to the claim it is shown for.
LEDGER_WORDS = {
    "supported": "supported",
    "weak": "supported in part",
    "contradicted": "contradicted",
    "not_found": "not confirmed",
}
STANCE_WORDS = {
    Stance.SUPPORTS: "supports it",
    Stance.REFUTES: "contradicts it",
    Stance.NEUTRAL: "related, does not settle it",
}

# Where claims overlap, the words they share are marked with the worst of their verdicts.
_GRAVITY = (Verdict.REFUTED, Verdict.ERROR, Verdict.INSUFFICIENT, Verdict.SUPPORTED, Verdict.NOT_CHECKABLE)

PROBLEMS = frozenset({Verdict.REFUTED, Verdict.INSUFFICIENT, Verdict.ERROR})

_PLACES_SHOWN = 5
_QUOTE_SHOWN = 160
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def style_of(finding: Finding) -> VerdictStyle:
    return STYLES[finding.verdict]


def describe_verdict(finding: Finding) -> str:
    """The verdict in words, saying so where only a part is carried."""
    word = style_of(finding).word
    if finding.support is not Support.PARTIAL or finding.verdict not in (Verdict.SUPPORTED, Verdict.INSUFFICIENT):
        return word
    return "supported in part" if finding.verdict is Verdict.SUPPORTED else f"{word}, supported in part"


def outcome_verdict(report: Report) -> Verdict:
    """The verdict whose look a whole answer gets: never SUPPORTED where it is not grounded."""
    unproven = report.verdict is Verdict.SUPPORTED and not report.grounded
    return Verdict.INSUFFICIENT if unproven else report.verdict


def gravest(findings: tuple[Finding, ...], numbers: Iterable[int]) -> int:
    """The index of the finding with the worst verdict; the first of equals."""
    return min(numbers, key=lambda number: (_GRAVITY.index(findings[number].verdict), number))


def raised(number: int) -> str:
    """A number as a footnote mark.

    >>> raised(12)
    '¹²'
    """
    return str(number).translate(_RAISED)


def state_outcome(report: Report) -> str:
    """The outcome as one sentence for a reader who has never seen a verdict."""
    counts = report.counts
    if report.skipped:
        return "This answer was not checked"
    if not report.scored:
        failed = counts["ERROR"]
        return (
            f"{_claims(failed).capitalize()} could not be checked"
            if failed
            else "Nothing in this answer can be checked"
        )
    faults = [
        (counts["REFUTED"], "contradicted by the sources"),
        (counts["INSUFFICIENT"], "not confirmed"),
        (counts["ERROR"], "could not be checked"),
    ]
    # "3 claims contradicted by the sources, one not confirmed": only the first says what is counted.
    said = [f"{'one' if count == 1 else count} {words}" for count, words in faults if count]
    if said:
        first = next(count for count, _ in faults if count)
        sentence = ", ".join([said[0].replace(" ", " claim " if first == 1 else " claims ", 1), *said[1:]])
        return sentence[0].upper() + sentence[1:]
    total = len(report.scored)
    backed = "The sources support the claim" if total == 1 else f"The sources support all {total} claims"
    return backed if report.grounded else f"{backed}, but not through what the answer cites"


def count_claims(report: Report) -> str:
    """How many were scored and how they came out, with what could not be scored beside it."""
    counts = report.counts
    scored = [f"{counts[v.value]} {STYLES[v].word}" for v in (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INSUFFICIENT)]
    rest = f"{counts['NOT_CHECKABLE']} not checkable, {_number(counts['ERROR'], 'error')}"
    return f"{len(report.scored)} scored ({', '.join(scored)}), {rest}"


def show_confidence(report: Report) -> str:
    return "confidence n/a" if report.confidence is None else f"confidence {show_share(report.confidence)}"


def show_share(share: float) -> str:
    """A share without false certainty: 0.999 is not shown as 1.00.

    >>> show_share(0.9991), show_share(1.0), show_share(0.004)
    ('0.99', '1.00', '0.00')
    """
    return f"{int(share * 100 + 1e-9) / 100:.2f}"


def summarise(report: Report) -> str:
    """The whole report in one line."""
    parts = [STYLES[outcome_verdict(report)].word, count_claims(report), show_confidence(report)]
    if report.skipped:
        parts.insert(0, f"skipped: {one_line(report.skipped, 120)}")
    return " · ".join(parts)


def locate_evidence(evidence: Evidence) -> str:
    """Where a quote stands: document, page, offsets."""
    page = f" p. {evidence.page}" if evidence.page is not None else ""
    return f"{one_line(evidence.document, 80)}{page} {evidence.start}–{evidence.end}"


def locate_claim(spans: Sequence[Span]) -> str:
    """Where a claim stands in the answer, the first few occurrences and how many more."""
    shown = ", ".join(f"{span.start}–{span.end}" for span in spans[:_PLACES_SHOWN])
    more = f" and {len(spans) - _PLACES_SHOWN} more places" if len(spans) > _PLACES_SHOWN else ""
    return f"answer {shown}{more}".rstrip()


def explain(finding: Finding) -> str:
    """Why the verdict is what it is: the judge's words, else the reason the claim was not judged."""
    return finding.explanation or finding.claim.reason


def name_violation(kind: str) -> str:
    """A machine's name for a fault, as words: phantom_citation → phantom citation."""
    return one_line(kind, 80).replace("_", " ").lower()


def _claims(count: int) -> str:
    return "one claim" if count == 1 else f"{count} claims"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def render_plain(report: Report) -> str:
    """The summary line, then each claim with its mark, the reason and the receipts."""
    lines = [summarise(report)]
    if report.question:
        lines += ["", f"Question: {one_line(report.question)}"]
    for number, finding in enumerate(report.findings, start=1):
        lines += ["", *_finding_lines(number, finding)]
    notes = [f"[{one_line(f.severity)}] {name_violation(f.kind)}: {one_line(f.message)}" for f in report.risk_flags]
    notes += [f"[warning] {one_line(warning)}" for warning in report.warnings]
    if notes:
        lines += ["", *notes]
    return "\n".join(lines)


def _finding_lines(number: int, finding: Finding) -> list[str]:
    lines = [f"{style_of(finding).symbol} {number}. {one_line(finding.text)}"]
    reason = one_line(explain(finding))
    verdict = describe_verdict(finding)
    if finding.verdict not in (Verdict.NOT_CHECKABLE, Verdict.ERROR):
        verdict += f" {show_share(finding.confidence)}"
    lines.append(f"    {verdict}: {reason}" if reason else f"    {verdict}")
    if finding.violations:
        lines.append("    faults: " + ", ".join(map(name_violation, finding.violations)))
    lines += [f"    warning: {one_line(warning)}" for warning in finding.claim.warnings]
    here = locate_claim(finding.spans)
    lines += [
        f'    {here} ← {locate_evidence(item)} "{one_line(item.quote, _QUOTE_SHOWN)}"' for item in quotes(finding)
    ]
    return lines if finding.evidence else [*lines, f"    {here}"]
