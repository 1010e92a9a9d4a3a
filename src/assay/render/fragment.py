"""A report as a small piece of HTML for a notebook cell: styles in place, no script."""

from __future__ import annotations

from html import escape

from assay.render.clean import one_line, visible
from assay.render.decisive import decisive_in_answer
from assay.render.segments import Segment, split_segments
from assay.render.signs import SIGNS, describe_verdict, gravest, sign_of
from assay.render.summary import count_claims, explain, locate_evidence, show_confidence, state_outcome
from assay.types import Finding, Report, Span, Verdict
from assay.views import quotes

# Mid tones that hold on a white and on a dark cell; line styles differ so that colour is not needed.
_LINES = {
    Verdict.SUPPORTED: ("#2e8b57", "solid"),
    Verdict.REFUTED: ("#d64541", "double"),
    Verdict.INSUFFICIENT: ("#b8860b", "wavy"),
    Verdict.NOT_CHECKABLE: ("#8a8a8a", "dotted"),
    Verdict.ERROR: ("#8e6fd8", "dashed"),
}


def render_fragment(report: Report) -> str:
    """The answer with its claims marked, and under it one line for each finding."""
    colour = _LINES[report.verdict][0]
    facts = f"{count_claims(report)} · {report.audit_mode.value} · {show_confidence(report)}"
    rows = "".join(_row(number, finding) for number, finding in enumerate(report.findings, start=1))
    return (
        '<div style="font-family:system-ui,sans-serif;font-size:14px;line-height:1.5;max-width:46em;padding:4px 0">'
        f'<div style="font-weight:600"><span style="color:{colour}">{SIGNS[report.verdict].symbol}</span> '
        f"{_text(state_outcome(report))}</div>"
        f'<div style="opacity:.65;font-size:12px;margin-bottom:10px">{_text(facts)}</div>'
        '<div dir="auto" style="white-space:pre-wrap;overflow-wrap:anywhere;font-family:Georgia,serif;font-size:16px;'
        f'line-height:1.7;margin-bottom:12px">{_answer(report)}</div>'
        f'<table style="border-collapse:collapse;font-size:13px;text-align:left">{rows}</table></div>'
    )


def _text(text: str) -> str:
    return escape(visible(text), quote=True)


def _answer(report: Report) -> str:
    marks = [(span, number) for number, finding in enumerate(report.findings) for span in finding.spans]
    segments = split_segments(Span(0, len(report.answer)), marks, decisive_in_answer(report))
    return "".join(_segment(report, segment) for segment in segments)


def _segment(report: Report, segment: Segment) -> str:
    shown = _text(segment.of(report.answer))
    if not segment.owners:
        return shown
    finding = report.findings[gravest(report.findings, segment.owners)]
    colour, line = _LINES[finding.verdict]
    weight = ";font-weight:700" if segment.strong else ""
    title = one_line(f"{describe_verdict(finding)}: {explain(finding)}", 300)
    signs = "".join(
        f'<sup style="line-height:0;color:{_LINES[closing.verdict][0]}">{sign_of(closing).symbol}{number + 1}</sup>'
        for number, closing in ((number, report.findings[number]) for number in segment.closes)
    )
    style = f"text-decoration:underline {line} {colour};text-underline-offset:3px{weight}"
    return f'<span style="{style}" title="{_text(title)}">{shown}</span>{signs}'


def _row(number: int, finding: Finding) -> str:
    colour = _LINES[finding.verdict][0]
    cell = "padding:3px 10px 3px 0;vertical-align:top;text-align:left;border:0"
    reason = _text(one_line(explain(finding), 240))
    receipts = "".join(
        f'<div style="opacity:.75"><code>{_text(locate_evidence(item))}</code> '
        f"“{_text(one_line(item.quote, 160))}”</div>"
        for item in quotes(finding)[:2]
    )
    return (
        f'<tr><td style="{cell};color:{colour};white-space:nowrap;font-weight:600">'
        f"{sign_of(finding).symbol} {number}</td>"
        f'<td style="{cell};white-space:nowrap">{describe_verdict(finding)}</td>'
        f'<td style="{cell};white-space:normal">{reason or _text(one_line(finding.text, 160))}{receipts}</td></tr>'
    )
