"""An evidence ledger as one page that stands on its own: nothing is fetched, nothing runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.render import page
from assay.render.marks import split_segments
from assay.render.page import html_text
from assay.render.plain import LEDGER_WORDS, STANCE_WORDS
from assay.types import Evidence, Span

if TYPE_CHECKING:
    from assay.ledger.entries import EvidenceLedger, LedgerEntry, QualityGate, RunOrigin

_SIGNS = {"supported": "✓", "weak": "~", "contradicted": "✗", "not_found": "?", "none": "·"}
_GATES = {
    "coverage": "Coverage",
    "unsupported_rate": "Not confirmed",
    "critical_unsupported": "Critical and not confirmed",
    "contradictions": "Contradicted",
}


def to_html(ledger: EvidenceLedger) -> str:
    """The page of a ledger."""
    risks = [
        f"<strong>{html_text(f.kind.replace('_', ' '))}</strong> {html_text(f.message)}" for f in ledger.risk_flags
    ]
    return page.render_page(
        "ledger",
        ledger.question or "Evidence ledger",
        _header(ledger),
        _summary(ledger),
        _answer(ledger),
        _entries(ledger),
        page.listed("Risks", risks),
        page.listed("Open questions", [html_text(item) for item in ledger.follow_up]),
        page.listed("Warnings", [html_text(item) for item in ledger.warnings]),
        _origin(ledger.origin) if ledger.origin else "",
    )


def _header(ledger: EvidenceLedger) -> str:
    facts = []
    if origin := ledger.origin:
        facts = [f"Run {origin.run_id}", origin.time[:16].replace("T", " ") + " UTC"]
        facts += [f"for {origin.user}"] if origin.user else []
        facts += [f"judged by {origin.model.split()[0]}"] if origin.model else []
    return page.header("Evidence ledger", f"<h1>{_outcome(ledger)}</h1>", facts, question=ledger.question)


def _outcome(ledger: EvidenceLedger) -> str:
    """The one sentence a reader takes away."""
    counts, total = ledger.counts, len(ledger.entries)
    if not total:
        return "Nothing in this answer could be checked"
    claims = "The one claim is" if total == 1 else f"All {total} claims are"
    if counts["supported"] == total:
        return f"{claims} supported"
    bad = [f"{counts[name]} {LEDGER_WORDS[name]}" for name in ("contradicted", "not_found", "weak") if counts[name]]
    return f"{counts['supported']} of {total} claims supported, {' and '.join(', '.join(bad).rsplit(', ', 1))}"


def _summary(ledger: EvidenceLedger) -> str:
    total = len(ledger.entries)
    if not total:
        return ""
    shown = [(name, count) for name, count in ledger.counts.items() if count]
    bar = "".join(f'<rect class="{name}" x="{x}%" width="{w}%" height="100%"/>' for name, x, w in _shares(ledger))
    legend = "".join(
        f'<li class="{name}">{page.symbol(_SIGNS[name])} <b>{count}</b> {LEDGER_WORDS[name]}</li>'
        for name, count in shown
    )
    beside = (
        f'<li class="none"><b>{ledger.not_entered}</b> not checkable or in error</li>' if ledger.not_entered else ""
    )
    gates = "".join(_gate(gate) for gate in ledger.gates)
    return (
        f'<section class="summary"><svg class="bar" role="img" aria-label="{html_text(_outcome(ledger))}">{bar}</svg>'
        f'<ul class="legend">{legend}{beside}</ul><ul class="gates">{gates}</ul></section>'
    )


def _shares(ledger: EvidenceLedger) -> Iterator[tuple[str, float, float]]:
    at = 0.0
    for name, count in ledger.counts.items():
        width = 100 * count / len(ledger.entries)
        if count:
            yield name, round(at, 3), round(width, 3)
        at += width


def _gate(gate: QualityGate) -> str:
    state = "open" if gate.passed is None else "passed" if gate.passed else "failed"
    sign = {"open": "–", "passed": "✓", "failed": "✗"}[state]
    share = gate.name in ("coverage", "unsupported_rate")
    value = "none" if gate.value is None else f"{gate.value:.0%}" if share else f"{gate.value:g}"
    least = "at least" if gate.name == "coverage" else "at most"
    bound = f"{least} {gate.bound:.0%}" if share else "none allowed"
    advice = f" → {gate.otherwise}" if state == "failed" else ""
    return (
        f'<li class="{state}">{page.symbol(sign)}<span class="name">{_GATES[gate.name]}</span>'
        f'<span class="value">{value}</span><span class="bound">{bound}{advice}</span></li>'
    )


def _answer(ledger: EvidenceLedger) -> str:
    if not ledger.answer:
        return ""
    marks = [(span, number) for number, entry in enumerate(ledger.entries) for span in entry.spans]
    marked = []
    for segment in split_segments(Span(0, len(ledger.answer)), marks):
        words = html_text(segment.of(ledger.answer))
        if segment.owners:
            number = segment.owners[0]
            note = f"<sup>{number + 1}</sup>" if number in segment.closes else ""
            words = page.marked_claim(_verdict(ledger.entries[number]), number + 1, words + note)
        marked.append(words)
    return f'<section><h2>The answer</h2><div class="answer" dir="auto">{"".join(marked)}</div></section>'


def _entries(ledger: EvidenceLedger) -> str:
    if not ledger.entries:
        return ""
    titles = {item.id: item.title for item in ledger.origin.documents} if ledger.origin else {}
    items = "".join(_entry(number, entry, titles) for number, entry in enumerate(ledger.entries, 1))
    return f'<section><h2>Claim by claim</h2><ol class="entries">{items}</ol></section>'


def _entry(number: int, entry: LedgerEntry, titles: dict[str, str]) -> str:
    verdict = _verdict(entry)
    notes = [note.replace("_", " ") if " " not in note else note for note in entry.notes]
    if not entry.receipts and not notes:
        notes = ["No source speaks of this."]
    kind = f'<span class="fact">{html_text(entry.importance.value)}, {html_text(entry.kind.value)}</span>'
    line = page.verdict_line(
        _SIGNS[verdict], number, LEDGER_WORDS.get(verdict, verdict), kind, aside=f"{entry.confidence:.0%} sure"
    )
    quoted = [_receipt(receipt, titles) for receipt in entry.receipts]
    body = page.claim_body(entry.claim, notes, *quoted)
    return f'<li class="entry finding {verdict}" id="claim-{number}">{line}{body}</li>'


def _receipt(receipt: Evidence, titles: dict[str, str]) -> str:
    place = [titles.get(receipt.document) or receipt.document, receipt.heading or ""]
    place += [f"page {receipt.page}" if receipt.page else "", f"characters {receipt.start}–{receipt.end}"]
    stance = receipt.stance.value
    return page.quotation(
        stance,
        html_text(receipt.quote),
        f"{html_text(', '.join(part for part in place if part))} "
        f'<span class="stance">{STANCE_WORDS[receipt.stance]}</span>'
        f'<code title="sha256 of the source">{receipt.document_sha256[:12]}</code>',
    )


def _origin(origin: RunOrigin) -> str:
    rows = [
        ("Run", origin.run_id),
        ("Workspace", origin.workspace),
        ("Session", origin.session),
        ("Mode", origin.mode),
        ("Judged by", origin.model),
        ("Policy", origin.policy_sha256),
        ("Run root", origin.root),
        ("Record", origin.hash),
        *((f"Source {item.title or item.id}", item.sha256) for item in origin.documents),
    ]
    shown = "".join(f"<dt>{html_text(name)}</dt><dd>{html_text(value)}</dd>" for name, value in rows if value)
    return (
        f"<footer><h2>How to prove this</h2><dl>{shown}</dl><p>The record is part of a chain of hashes: "
        f"<code>assay audit verify</code> proves that nothing in it was changed, and "
        f"<code>assay audit replay {html_text(origin.run_id)}</code> runs the same inputs again.</p></footer>"
    )


def _verdict(entry: LedgerEntry) -> str:
    return entry.verdict.value if entry.verdict else "none"
