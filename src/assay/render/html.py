"""A report as one self-contained page with the answer beside its proof, and as a small fragment for a notebook."""

from __future__ import annotations

from assay.render import page, plain
from assay.render.escape import one_line, to_script
from assay.render.marks import Excerpt, QuotedSource, Segment, answer_segments, gather_sources, quote_segments
from assay.render.page import html_text
from assay.types import Evidence, Finding, Report, Stance, Verdict
from assay.views import quotes

_QUOTE_SHOWN = 600
_STANCE_ORDER = (Stance.REFUTES, Stance.SUPPORTS, Stance.NEUTRAL)
# Mid tones that hold on a white and on a dark cell; line styles differ so that colour is not needed.
_LINES = {
    Verdict.SUPPORTED: ("#2e8b57", "solid"),
    Verdict.REFUTED: ("#d64541", "double"),
    Verdict.INSUFFICIENT: ("#b8860b", "wavy"),
    Verdict.NOT_CHECKABLE: ("#8a8a8a", "dotted"),
    Verdict.ERROR: ("#8e6fd8", "dashed"),
}


def render_html(report: Report) -> str:
    """The page for a report."""
    return page.render_page(
        "report",
        f"{plain.STYLES[plain.outcome_verdict(report)].symbol} {plain.state_outcome(report)}",
        _header(report),
        '<div class="sheet">\n<main>',
        f'<section class="answer" id="answer" aria-label="Answer" dir="auto">{_answer(report)}</section>',
        _findings(report),
        _flags(report),
        '</main>\n<aside class="proof" aria-label="Evidence">',
        '<div class="card" id="card" aria-live="polite" hidden></div>',
        '<div class="sources" id="sources" role="region" aria-label="Sources" tabindex="0">',
        f"{_sources(report)}</div>\n</aside>\n</div>",
        _footer(report),
        script=page.load_asset("report.js"),
        data=to_script(report.to_dict()),
    )


def _header(report: Report) -> str:
    counts = report.counts
    filters = "".join(
        f'<button type="button" class="filter {style.name}" data-verdict="{verdict.value}" aria-pressed="false">'
        f'{page.symbol(style.symbol)} <span class="word">{style.word}</span> '
        f'<span class="count">{counts[verdict.value]}</span></button>'
        for verdict, style in plain.STYLES.items()
        if counts[verdict.value]
    )
    facts = [plain.count_claims(report), plain.show_confidence(report)]
    if report.skipped:
        facts.insert(0, f"skipped: {one_line(report.skipped, 200)}")
    style = plain.STYLES[plain.outcome_verdict(report)]
    return page.header(
        "Assay",
        f'<h1 class="{style.name}">{page.symbol(style.symbol)} {html_text(plain.state_outcome(report))}</h1>',
        facts,
        f'<div class="filters" role="group" aria-label="Show claims by verdict">{filters}</div>',
        _details(report),
        question=report.question,
    )


def _details(report: Report) -> str:
    """What the interfaces call it, folded away, with a word on each."""
    rows = [
        ("Verdict", report.verdict.value, "of the answer as a whole: that of its worst claim"),
        ("Audit mode", report.audit_mode.value, "STRICT: every claim is verified; HYBRID: some are; UNGROUNDED: none"),
        ("Action", report.action.value, "what the policy does: CONTINUE shows it, BRANCH tries again, HALT stops it"),
        ("Judged by", one_line("".join(report.model.split()[:1]), 80), "who decided, claim by claim"),
    ]
    shown = "".join(
        f"<dt>{name}</dt><dd>{html_text(value)} <i>{words}</i></dd>" for name, value, words in rows if value
    )
    return f'<details class="details"><summary>Details</summary><dl>{shown}</dl></details>'


def _answer(report: Report) -> str:
    if not report.answer:
        return '<p class="note">The answer is empty.</p>'
    return "".join(_answer_segment(report, segment) for segment in answer_segments(report))


def _answer_segment(report: Report, segment: Segment) -> str:
    shown = html_text(segment.of(report.answer))
    if not segment.owners:
        return shown
    leader = plain.gravest(report.findings, segment.owners)
    finding = report.findings[leader]
    marks = " ".join(f"{plain.style_of(report.findings[n]).symbol}{n + 1}" for n in segment.closes)
    label = f"Claim {leader + 1}, {plain.describe_verdict(finding)}: {one_line(segment.of(report.answer), 300)}"
    attributes = f' data-claims="{" ".join(str(number + 1) for number in segment.owners)}"'
    attributes += f' data-mark="{marks}"' if marks else ""
    # A claim in several pieces is one stop for the keyboard: the piece where it begins.
    attributes += "" if leader in segment.opens else ' tabindex="-1"'
    attributes += f' aria-label="{html_text(label)}"'
    inner = f"<b>{shown}</b>" if segment.strong else shown
    return page.marked_claim(plain.style_of(finding).name, leader + 1, inner, attributes)


def _findings(report: Report) -> str:
    if not report.findings:
        return ""
    cards = "".join(_finding(number, finding) for number, finding in enumerate(report.findings, start=1))
    return f'<section class="findings" aria-label="Findings"><h2>Findings</h2>{cards}</section>'


def _finding(number: int, finding: Finding) -> str:
    style = plain.style_of(finding)
    ranked = sorted(enumerate(finding.evidence, start=1), key=lambda pair: _STANCE_ORDER.index(pair[1].stance))
    sure = "" if finding.verdict in (Verdict.ERROR, Verdict.NOT_CHECKABLE) else plain.show_share(finding.confidence)
    method = " ".join(filter(None, (sure, f"by {one_line(finding.method, 60)}" if finding.method else "")))
    faults = "".join(
        f'<span class="fault">{html_text(plain.name_violation(kind))}</span>' for kind in finding.violations
    )
    proof = [_evidence(number, place, finding, item) for place, item in ranked]
    return (
        f'<article class="finding {style.name}" id="claim-{number}" data-claim="{number}" '
        f'data-verdict="{finding.verdict.value}">'
        f"{page.verdict_line(style.symbol, number, plain.describe_verdict(finding), faults, aside=method)}"
        f"{page.claim_body(finding.text, (plain.explain(finding), *finding.claim.warnings), *proof)}"
        f'<p class="place">{plain.locate_claim(finding.spans)}</p></article>'
    )


def _evidence(number: int, place: int, finding: Finding, item: Evidence) -> str:
    pieces = "".join(
        f"<b>{html_text(segment.of(item.quote))}</b>" if segment.strong else html_text(segment.of(item.quote))
        for segment in quote_segments(finding, item, _QUOTE_SHOWN)
    )
    more = "…" if len(item.quote) > _QUOTE_SHOWN else ""
    heading = f" · {html_text(one_line(item.heading, 120))}" if item.heading else ""
    link = f'<a class="receipt" href="#quote-{number}-{place}">{html_text(plain.locate_evidence(item))}</a>'
    return page.quotation(item.stance.value, pieces + more, f"{link}{heading} · {plain.STANCE_WORDS[item.stance]}")


def _flags(report: Report) -> str:
    notes = [
        f"<strong>{html_text(plain.name_violation(flag.kind))}</strong> {html_text(flag.message)}"
        for flag in report.risk_flags
    ]
    kinds = [
        "grave" if flag.severity.lower() in ("high", "critical", "error") else "mild" for flag in report.risk_flags
    ]
    warnings = [html_text(warning) for warning in report.warnings]
    return page.listed("Flags", [*notes, *warnings], [*kinds, *("" for _ in warnings)])


def _sources(report: Report) -> str:
    sources, left_out = gather_sources(report)
    if not sources:
        return '<p class="note">No source was given.</p>'
    more = f'<p class="note">{left_out} further sources are not quoted.</p>' if left_out else ""
    return "".join(_source(number, source) for number, source in enumerate(sources, start=1)) + more


def _source(number: int, source: QuotedSource) -> str:
    name = html_text(one_line(source.name, 200))
    title = f' <span class="title" dir="auto">{html_text(one_line(source.title, 200))}</span>' if source.title else ""
    length = "" if source.length is None else f'<span class="length">{source.length:,} characters</span>'
    note = f'<p class="note">{source.note}</p>' if source.note else ""
    excerpts = "".join(_excerpt(source, excerpt) for excerpt in source.excerpts)
    return (
        f'<section class="source" id="source-{number}" aria-label="{name}">'
        f'<h3><span class="name">{name}</span>{title}{length}</h3>{note}{excerpts}</section>'
    )


def _excerpt(source: QuotedSource, excerpt: Excerpt) -> str:
    pieces = []
    for text, segment in excerpt.pieces:
        shown = f"<b>{html_text(text)}</b>" if segment.strong else html_text(text)
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
    return f"<footer>{html_text(line)} {keys}</footer>"


def render_fragment(report: Report) -> str:
    """The answer with its claims marked, and under it one line for each finding."""
    outcome = plain.outcome_verdict(report)
    facts = f"{plain.count_claims(report)} · {plain.show_confidence(report)}"
    marked = "".join(_fragment_segment(report, segment) for segment in answer_segments(report))
    rows = "".join(_fragment_row(number, finding) for number, finding in enumerate(report.findings, start=1))
    return (
        '<div style="font-family:system-ui,sans-serif;font-size:14px;line-height:1.5;max-width:46em;padding:4px 0">'
        f'<div style="font-weight:600"><span style="color:{_LINES[outcome][0]}">{plain.STYLES[outcome].symbol}</span> '
        f"{html_text(plain.state_outcome(report))}</div>"
        f'<div style="opacity:.65;font-size:12px;margin-bottom:10px">{html_text(facts)}</div>'
        '<div dir="auto" style="white-space:pre-wrap;overflow-wrap:anywhere;font-family:Georgia,serif;font-size:16px;'
        f'line-height:1.7;margin-bottom:12px">{marked}</div>'
        f'<table style="border-collapse:collapse;font-size:13px;text-align:left">{rows}</table></div>'
    )


def _fragment_segment(report: Report, segment: Segment) -> str:
    shown = html_text(segment.of(report.answer))
    if not segment.owners:
        return shown
    finding = report.findings[plain.gravest(report.findings, segment.owners)]
    colour, line = _LINES[finding.verdict]
    weight = ";font-weight:700" if segment.strong else ""
    title = one_line(f"{plain.describe_verdict(finding)}: {plain.explain(finding)}", 300)
    signs = "".join(
        f'<sup style="line-height:0;color:{_LINES[verdict][0]}">{plain.STYLES[verdict].symbol}{number + 1}</sup>'
        for number, verdict in ((number, report.findings[number].verdict) for number in segment.closes)
    )
    style = f"text-decoration:underline {line} {colour};text-underline-offset:3px{weight}"
    return f'<span style="{style}" title="{html_text(title)}">{shown}</span>{signs}'


def _fragment_row(number: int, finding: Finding) -> str:
    colour = _LINES[finding.verdict][0]
    cell = "padding:3px 10px 3px 0;vertical-align:top;text-align:left;border:0"
    reason = html_text(one_line(plain.explain(finding), 240))
    receipts = "".join(
        f'<div style="opacity:.75"><code>{html_text(plain.locate_evidence(item))}</code> '
        f"“{html_text(one_line(item.quote, 160))}”</div>"
        for item in quotes(finding)[:2]
    )
    return (
        f'<tr><td style="{cell};color:{colour};white-space:nowrap;font-weight:600">'
        f"{plain.style_of(finding).symbol} {number}</td>"
        f'<td style="{cell};white-space:nowrap">{plain.describe_verdict(finding)}</td>'
        f'<td style="{cell};white-space:normal">{reason or html_text(one_line(finding.text, 160))}{receipts}</td></tr>'
    )
