"""A report as one self-contained page: the answer on the left, its proof on the right, nothing fetched."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from importlib.resources import files

from assay.render.clean import one_line, visible
from assay.render.data import to_script
from assay.render.decisive import decisive_in_answer, decisive_in_quote
from assay.render.excerpts import Excerpt, Source, gather_sources
from assay.render.fragment import render_fragment
from assay.render.segments import Segment, split_segments
from assay.render.signs import SIGNS, describe_verdict, gravest, sign_of
from assay.render.summary import (
    count_claims,
    explain,
    locate_claim,
    locate_evidence,
    name_violation,
    show_confidence,
    show_share,
    state_outcome,
)
from assay.types import Evidence, Finding, Report, Span, Stance, Verdict

__all__ = ["render_fragment", "render_html"]

_QUOTE_SHOWN = 600
_STANCE_ORDER = (Stance.REFUTES, Stance.SUPPORTS, Stance.NEUTRAL)


def render_html(report: Report) -> str:
    """The page for a report."""
    css, js = _asset("report.css"), _asset("report.js")
    # The page may run its own script and style and nothing else, should a text ever slip through unescaped.
    policy = f"default-src 'none'; style-src {_pin(css)}; script-src {_pin(js)}; base-uri 'none'; form-action 'none'"
    title = f"{SIGNS[report.verdict].symbol} {state_outcome(report)}"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Assay">
<title>{_text(title)}</title>
<style>{css}</style>
</head>
<body>
{_header(report)}
<div class="sheet">
<main>
<section class="answer" id="answer" aria-label="Answer" dir="auto">{_answer(report)}</section>
{_findings(report)}
{_flags(report)}
</main>
<aside class="proof" aria-label="Evidence">
<div class="card" id="card" aria-live="polite" hidden></div>
<div class="sources" id="sources" role="region" aria-label="Sources" tabindex="0">
{_sources(report)}
</div>
</aside>
</div>
{_footer(report)}
<script type="application/json" id="report">{to_script(report.to_dict())}</script>
<script>{js}</script>
</body>
</html>
"""


@cache
def _asset(name: str) -> str:
    return files("assay.render").joinpath(name).read_text(encoding="utf-8")


def _pin(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def _text(text: str) -> str:
    return escape(visible(text), quote=True)


def _header(report: Report) -> str:
    counts = report.counts
    filters = "".join(
        f'<button type="button" class="filter {sign.name}" data-verdict="{verdict.value}" aria-pressed="false">'
        f'<span class="symbol" aria-hidden="true">{sign.symbol}</span> <span class="word">{sign.word}</span> '
        f'<span class="count">{counts[verdict.value]}</span></button>'
        for verdict, sign in SIGNS.items()
        if counts[verdict.value]
    )
    facts = [count_claims(report), report.audit_mode.value, show_confidence(report)]
    if report.skipped:
        facts.insert(0, f"skipped: {one_line(report.skipped, 200)}")
    question = f'<p class="question" dir="auto">{_text(report.question)}</p>' if report.question else ""
    sign = SIGNS[report.verdict]
    return f"""<header>
<p class="brand">Assay</p>
<h1 class="{sign.name}"><span class="symbol" aria-hidden="true">{sign.symbol}</span> {_text(state_outcome(report))}</h1>
<p class="facts">{_text(" · ".join(facts))}</p>
{question}
<div class="filters" role="group" aria-label="Show claims by verdict">{filters}</div>
</header>"""


def _answer(report: Report) -> str:
    if not report.answer:
        return '<p class="note">The answer is empty.</p>'
    marks = [(span, number) for number, finding in enumerate(report.findings) for span in finding.spans]
    segments = split_segments(Span(0, len(report.answer)), marks, decisive_in_answer(report))
    return "".join(_answer_segment(report, segment) for segment in segments)


def _answer_segment(report: Report, segment: Segment) -> str:
    shown = _text(segment.of(report.answer))
    if not segment.owners:
        return shown
    leader = gravest(report.findings, segment.owners)
    finding = report.findings[leader]
    sign = sign_of(finding)
    numbers = " ".join(str(number + 1) for number in segment.owners)
    marks = " ".join(f"{sign_of(report.findings[n]).symbol}{n + 1}" for n in segment.closes)
    closing = f' data-mark="{marks}"' if marks else ""
    # A claim in several pieces is one stop for the keyboard: the piece where it begins.
    stop = "" if leader in segment.opens else ' tabindex="-1"'
    label = f"Claim {leader + 1}, {describe_verdict(finding)}: {one_line(segment.of(report.answer), 300)}"
    inner = f"<b>{shown}</b>" if segment.strong else shown
    return (
        f'<a class="claim {sign.name}" href="#claim-{leader + 1}" data-claims="{numbers}"{closing}{stop}'
        f' aria-label="{_text(label)}"><span class="words">{inner}</span></a>'
    )


def _findings(report: Report) -> str:
    if not report.findings:
        return ""
    cards = "".join(_finding(number, finding) for number, finding in enumerate(report.findings, start=1))
    return f'<section class="findings" aria-label="Findings"><h2>Findings</h2>{cards}</section>'


def _finding(number: int, finding: Finding) -> str:
    sign = sign_of(finding)
    ranked = sorted(enumerate(finding.evidence, start=1), key=lambda pair: _STANCE_ORDER.index(pair[1].stance))
    sure = "" if finding.verdict in (Verdict.ERROR, Verdict.NOT_CHECKABLE) else show_share(finding.confidence)
    method = " ".join(filter(None, (sure, f"by {one_line(finding.method, 60)}" if finding.method else "")))
    faults = "".join(f'<span class="fault">{_text(name_violation(kind))}</span>' for kind in finding.violations)
    reason = f'<p class="reason" dir="auto">{_text(explain(finding))}</p>' if explain(finding) else ""
    warnings = "".join(f'<p class="reason">{_text(warning)}</p>' for warning in finding.claim.warnings)
    proof = "".join(_evidence(number, place, finding, item) for place, item in ranked)
    return (
        f'<article class="finding {sign.name}" id="claim-{number}" data-claim="{number}" '
        f'data-verdict="{finding.verdict.value}"><p class="verdict">'
        f'<span class="symbol" aria-hidden="true">{sign.symbol}</span> <span class="number">{number}</span> '
        f'<span class="word">{describe_verdict(finding)}</span>{faults} <span class="method">{_text(method)}</span></p>'
        f'<p class="statement" dir="auto">{_text(finding.text)}</p>{reason}{warnings}{proof}'
        f'<p class="place">{locate_claim(finding.spans)}</p></article>'
    )


def _evidence(number: int, place: int, finding: Finding, item: Evidence) -> str:
    shown = Span(0, min(len(item.quote), _QUOTE_SHOWN))
    pieces = "".join(
        f"<b>{_text(segment.of(item.quote))}</b>" if segment.strong else _text(segment.of(item.quote))
        for segment in split_segments(shown, (), decisive_in_quote(finding, item))
    )
    more = "…" if shown.end < len(item.quote) else ""
    heading = f" · {_text(one_line(item.heading, 120))}" if item.heading else ""
    return (
        f'<figure class="evidence {item.stance.value}"><blockquote dir="auto">{pieces}{more}</blockquote>'
        f'<figcaption><a class="receipt" href="#quote-{number}-{place}">{_text(locate_evidence(item))}</a>'
        f"{heading} · {item.stance.value}</figcaption></figure>"
    )


def _flags(report: Report) -> str:
    notes = "".join(
        f'<li class="{"grave" if flag.severity.lower() in ("high", "critical", "error") else "mild"}">'
        f"<strong>{_text(name_violation(flag.kind))}</strong> {_text(flag.message)}</li>"
        for flag in report.risk_flags
    )
    notes += "".join(f"<li>{_text(warning)}</li>" for warning in report.warnings)
    return f'<section class="flags" aria-label="Flags"><h2>Flags</h2><ul>{notes}</ul></section>' if notes else ""


def _sources(report: Report) -> str:
    sources, left_out = gather_sources(report)
    if not sources:
        return '<p class="note">No source was given.</p>'
    more = f'<p class="note">{left_out} further sources are not quoted.</p>' if left_out else ""
    return "".join(_source(number, source) for number, source in enumerate(sources, start=1)) + more


def _source(number: int, source: Source) -> str:
    name = _text(one_line(source.name, 200))
    title = f' <span class="title" dir="auto">{_text(one_line(source.title, 200))}</span>' if source.title else ""
    length = "" if source.length is None else f'<span class="length">{source.length:,} characters</span>'
    note = f'<p class="note">{source.note}</p>' if source.note else ""
    excerpts = "".join(_excerpt(source, excerpt) for excerpt in source.excerpts)
    return (
        f'<section class="source" id="source-{number}" aria-label="{name}">'
        f'<h3><span class="name">{name}</span>{title}{length}</h3>{note}{excerpts}</section>'
    )


def _excerpt(source: Source, excerpt: Excerpt) -> str:
    pieces = []
    for text, segment in excerpt.pieces:
        shown = f"<b>{_text(text)}</b>" if segment.strong else _text(text)
        if not segment.owners:
            pieces.append(shown)
            continue
        quoted = [source.quoted[owner] for owner in segment.owners]
        stance = min((item.evidence.stance for item in quoted), key=_STANCE_ORDER.index)
        claims = " ".join(dict.fromkeys(str(item.finding + 1) for item in quoted))
        anchors = "".join(
            f'<span id="quote-{source.quoted[owner].finding + 1}-{source.quoted[owner].item + 1}"></span>'
            for owner in segment.opens
            if source.quoted[owner].evidence.start == segment.start
        )
        pieces.append(f'{anchors}<mark class="{stance.value}" data-claims="{claims}">{shown}</mark>')
    before = '<span class="cut" aria-label="text left out">…</span>' if excerpt.cut_before else ""
    after = '<span class="cut" aria-label="text left out">…</span>' if excerpt.cut_after else ""
    return f'{before}<div class="excerpt" dir="auto" data-start="{excerpt.start}">{"".join(pieces)}</div>{after}'


def _footer(report: Report) -> str:
    total = sum(report.timings_ms.values())
    facts = [
        f"model {one_line(report.model, 120)}" if report.model else "",
        f"policy {one_line(report.policy_sha256, 80)[:12]}" if report.policy_sha256 else "",
        f"{total:,.0f} ms" if total else "",
    ]
    line = " · ".join(filter(None, facts))
    keys = '<span class="keys">Arrow keys walk through the claims; Enter shows the proof.</span>'
    return f"<footer>{_text(line)} {keys}</footer>"
