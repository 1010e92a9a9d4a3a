"""A report as Markdown that reads well raw and rendered; nothing the answer or a source says is taken as markup."""

from __future__ import annotations

import re

from assay.render import plain
from assay.render.escape import one_line, visible
from assay.render.marks import Segment, answer_segments, quote_segments
from assay.types import Evidence, Finding, Report, Verdict
from assay.views import quotes

_MARKUP = re.compile(r"[\\`*_\[\]<>|~&$]")
_BLOCK_START = re.compile(r"^([ \t]*)(?:([#+=>-])|(\d{1,9})([.)]))", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_AUTOLINK = re.compile(r"(?<=[A-Za-z]):(?=//)|(?<=www)\.", re.IGNORECASE)
_QUOTE_SHOWN = 600


def render_markdown(report: Report) -> str:
    """The outcome, a table of counts, the answer with its claims marked, and each finding with its proof."""
    parts = [f"# {plain.STYLES[plain.outcome_verdict(report)].symbol} {plain.state_outcome(report)}"]
    if report.skipped:
        parts.append(f"Not checked: {_inline(report.skipped)}")
    if report.question:
        parts.append(f"**Question.** {_inline(report.question)}")
    parts += [_summary_table(report), "## Answer", _marked_answer(report) or "*The answer is empty.*"]
    if report.findings:
        parts.append("## Findings")
        parts += [_finding(number, finding) for number, finding in enumerate(report.findings, start=1)]
    if report.risk_flags or report.warnings:
        notes = [
            f"- **{_inline(plain.name_violation(f.kind))}** ({_inline(f.severity)}): {_inline(f.message)}"
            for f in report.risk_flags
        ]
        notes += [f"- {_inline(warning)}" for warning in report.warnings]
        parts += ["## Flags", "\n".join(notes)]
    return "\n\n".join(parts) + "\n"


def escape_markdown(text: str) -> str:
    """The text such that Markdown shows it literally; lines stay lines.

    >>> escape_markdown("# not *bold*")
    '\\\\# not \\\\*bold\\\\*'
    """
    return _escape_lines(_escape_words(visible(text)))


def _escape_words(text: str) -> str:
    """Escapes what is markup anywhere in a line."""
    return _AUTOLINK.sub(r"\\\g<0>", _MARKUP.sub(r"\\\g<0>", text))


def _escape_lines(text: str) -> str:
    """Escapes what is markup only at the start of a line, once the pieces of the line are joined."""
    shielded = _BLOCK_START.sub(lambda m: f"{m[1]}\\{m[2]}" if m[2] else f"{m[1]}{m[3]}\\{m[4]}", text)
    # Four spaces would open a code block, inside which nothing is escaped.
    return _INDENT.sub(lambda m: "&nbsp;" * min(len(m[0].expandtabs(4)), 16), shielded)


def _inline(text: str, limit: int | None = None) -> str:
    return escape_markdown(one_line(text, limit))


def _summary_table(report: Report) -> str:
    covered = report.coverage
    confidence = report.confidence
    rows = [
        ("verdict", f"{plain.STYLES[report.verdict].symbol} {plain.STYLES[report.verdict].word}"),
        ("claims", plain.count_claims(report)),
        ("audit mode", report.audit_mode.value),
        ("confidence", "n/a" if confidence is None else plain.show_share(confidence)),
        ("coverage", "n/a" if covered is None else f"{covered:.0%}"),
        ("action", report.action.value),
    ]
    cells = "\n".join(f"| {name} | {value.replace('_', chr(92) + '_')} |" for name, value in rows)
    return f"| | |\n| --- | --- |\n{cells}"


def _marked_answer(report: Report) -> str:
    pieces = [_segment(report, segment) for segment in answer_segments(report)]
    # A line end of the answer stays one: a backslash before it is Markdown's hard break.
    return re.sub(r"(?<=\S)\n(?=[^\n])", "\\\\\n", _escape_lines("".join(pieces).strip("\n")))


def _segment(report: Report, segment: Segment) -> str:
    raw = _escape_words(visible(segment.of(report.answer)))
    if segment.owners:
        leader = report.findings[plain.gravest(report.findings, segment.owners)]
        if segment.strong and leader.verdict in plain.PROBLEMS:
            raw = _bold(raw)
    signs = "".join(f" {plain.style_of(report.findings[n]).symbol}{plain.raised(n + 1)}" for n in segment.closes)
    return raw + signs


def _bold(text: str) -> str:
    """Bold, with white space kept outside, where Markdown wants it."""
    core = text.strip()
    if not core or "\n\n" in core:
        return text
    start = text.index(core)
    return f"{text[:start]}**{core}**{text[start + len(core) :]}"


def _finding(number: int, finding: Finding) -> str:
    head = f"### {plain.style_of(finding).symbol} {number}. {plain.describe_verdict(finding)}"
    if finding.verdict not in (Verdict.NOT_CHECKABLE, Verdict.ERROR):
        head += f" · {plain.show_share(finding.confidence)}"
    parts = [head, _inline(finding.text)]
    if reason := plain.explain(finding):
        parts.append(f"*Why:* {_inline(reason)}")
    if finding.violations:
        parts.append("*Faults:* " + ", ".join(_inline(plain.name_violation(kind)) for kind in finding.violations))
    parts += [f"*Warning:* {_inline(warning)}" for warning in finding.claim.warnings]
    here = plain.locate_claim(finding.spans)
    parts += [_evidence(finding, item, here) for item in quotes(finding)] or [here]
    return "\n\n".join(parts)


def _evidence(finding: Finding, item: Evidence, here: str) -> str:
    pieces = []
    for segment in quote_segments(finding, item, _QUOTE_SHOWN):
        text = _escape_words(re.sub(r"\s", " ", visible(segment.of(item.quote))))
        pieces.append(_bold(text) if segment.strong else text)
    quote = _escape_lines("".join(pieces).strip()) + ("…" if len(item.quote) > _QUOTE_SHOWN else "")
    heading = f", {_inline(item.heading)}" if item.heading else ""
    stance = plain.STANCE_WORDS[item.stance]
    return f"> {quote or '*(empty)*'}\n>\n> — {_inline(plain.locate_evidence(item))}{heading} ({stance}); {here}"
