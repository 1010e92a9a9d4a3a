"""A report as text that needs no colour: what `print(report)` shows."""

from __future__ import annotations

from assay.render.clean import one_line
from assay.render.signs import describe_verdict, sign_of
from assay.render.summary import explain, locate_claim, locate_evidence, name_violation, show_share, summarise
from assay.types import Finding, Report
from assay.views import quotes

_QUOTE_SHOWN = 160


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
    sign = sign_of(finding)
    lines = [f"{sign.symbol} {number}. {one_line(finding.text)}"]
    reason = one_line(explain(finding))
    verdict = describe_verdict(finding)
    if sign.word not in ("not checkable", "error"):
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
