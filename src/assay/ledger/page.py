"""An evidence ledger as one page that stands on its own: nothing is fetched, nothing runs."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from itertools import pairwise

from assay.ledger.entries import EvidenceLedger, LedgerEntry, QualityGate, RunOrigin
from assay.render.clean import visible
from assay.types import Evidence

_SIGNS = {"supported": "✓", "weak": "~", "contradicted": "✗", "not_found": "?", "none": "·"}
_WORDS = {"supported": "supported", "weak": "weak", "contradicted": "contradicted", "not_found": "not found"}
_GATES = {
    "coverage": "Coverage",
    "unsupported_rate": "Unsupported",
    "critical_unsupported": "Critical, unsupported",
    "contradictions": "Contradictions",
}
_STANCES = {"supports": "says so", "refutes": "says otherwise", "neutral": "is about this"}


def to_html(ledger: EvidenceLedger) -> str:
    """The page of a ledger."""
    style = files("assay.ledger").joinpath("ledger.css").read_text("utf-8")
    pin = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    title = _text(ledger.question or "Evidence ledger")
    parts = (
        _header(ledger),
        _summary(ledger),
        _answer(ledger),
        _entries(ledger),
        _section("Risks", [f"<b>{_text(f.kind.replace('_', ' '))}</b> {_text(f.message)}" for f in ledger.risk_flags]),
        _section("Open questions", [_text(item) for item in ledger.follow_up]),
        _section("Warnings", [_text(item) for item in ledger.warnings]),
        _origin(ledger.origin) if ledger.origin else "",
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        # Should a text ever slip through unescaped, the page still runs nothing and loads nothing.
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{pin}'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="generator" content="Assay">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body>\n</html>\n"
    )


def _header(ledger: EvidenceLedger) -> str:
    origin = ledger.origin
    facts = []
    if origin:
        facts = [f"Run {origin.run_id}", origin.time[:16].replace("T", " ") + " UTC"]
        facts += [f"for {origin.user}"] if origin.user else []
        facts += [f"judged by {origin.model.split()[0]}"] if origin.model else []
    question = f'<p class="question" dir="auto">{_text(ledger.question)}</p>' if ledger.question else ""
    return (
        f'<header><p class="brand">Evidence ledger</p><h1>{_outcome(ledger)}</h1>{question}'
        f'<p class="facts">{_text(" · ".join(facts))}</p></header>'
    )


def _outcome(ledger: EvidenceLedger) -> str:
    """The one sentence a reader takes away."""
    counts, total = ledger.counts, len(ledger.entries)
    if not total:
        return "Nothing in this answer could be checked"
    claims = "The one claim is" if total == 1 else f"All {total} claims are"
    if counts["supported"] == total:
        return f"{claims} supported"
    bad = [f"{counts[name]} {_WORDS[name]}" for name in ("contradicted", "not_found", "weak") if counts[name]]
    return f"{counts['supported']} of {total} claims supported, {' and '.join(', '.join(bad).rsplit(', ', 1))}"


def _summary(ledger: EvidenceLedger) -> str:
    total = len(ledger.entries)
    if not total:
        return ""
    shown = [(name, count) for name, count in ledger.counts.items() if count]
    bar = "".join(f'<rect class="{name}" x="{x}%" width="{w}%" height="100%"/>' for name, x, w in _shares(ledger))
    legend = "".join(
        f'<li class="{name}"><span class="sign">{_SIGNS[name]}</span> <b>{count}</b> {_WORDS[name]}</li>'
        for name, count in shown
    )
    beside = (
        f'<li class="none"><b>{ledger.not_entered}</b> not checkable or in error</li>' if ledger.not_entered else ""
    )
    gates = "".join(_gate(gate) for gate in ledger.gates)
    return (
        f'<section class="summary"><svg class="bar" role="img" aria-label="{_text(_outcome(ledger))}">{bar}</svg>'
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
        f'<li class="{state}"><span class="sign">{sign}</span><span class="name">{_GATES[gate.name]}</span>'
        f'<span class="value">{value}</span><span class="bound">{bound}{advice}</span></li>'
    )


def _answer(ledger: EvidenceLedger) -> str:
    if not ledger.answer:
        return ""
    marked = []
    for start, end, number in _stretches(ledger):
        words = _text(ledger.answer[start:end])
        if number is None:
            marked.append(words)
            continue
        entry = ledger.entries[number]
        last = any(span[1] == end for span in entry.spans)
        note = f"<sup>{number + 1}</sup>" if last else ""
        marked.append(f'<a class="claim {_verdict(entry)}" href="#claim-{number + 1}">{words}{note}</a>')
    return f'<section><h2>The answer</h2><div class="answer" dir="auto">{"".join(marked)}</div></section>'


def _stretches(ledger: EvidenceLedger) -> Iterator[tuple[int, int, int | None]]:
    """The answer cut where a claim begins or ends, each stretch with the first claim that it belongs to."""
    edges = {0, len(ledger.answer)} | {edge for entry in ledger.entries for span in entry.spans for edge in span}
    cuts = sorted(edges)
    for start, end in pairwise(cuts):
        owners = (
            number
            for number, entry in enumerate(ledger.entries)
            if any(span[0] <= start and end <= span[1] for span in entry.spans)
        )
        yield start, end, next(owners, None)


def _entries(ledger: EvidenceLedger) -> str:
    if not ledger.entries:
        return ""
    titles = {name: title for name, title, _ in ledger.origin.documents} if ledger.origin else {}
    items = "".join(_entry(number, entry, titles) for number, entry in enumerate(ledger.entries, 1))
    return f'<section><h2>Claim by claim</h2><ol class="entries">{items}</ol></section>'


def _entry(number: int, entry: LedgerEntry, titles: dict[str, str]) -> str:
    verdict = _verdict(entry)
    notes = "".join(
        f'<p class="note">{_text(note.replace("_", " ") if " " not in note else note)}</p>' for note in entry.notes
    )
    receipts = "".join(_receipt(receipt, titles) for receipt in entry.receipts)
    nothing = '<p class="nothing">No source speaks of this.</p>' if not (entry.receipts or entry.notes) else ""
    return (
        f'<li class="entry {verdict}" id="claim-{number}"><p class="verdict"><span class="number">{number}</span>'
        f'<span class="word">{_SIGNS[verdict]} {_WORDS.get(verdict, verdict)}</span>'
        f'<span class="kind">{_text(entry.importance)}, {_text(entry.kind)}</span>'
        f'<span class="sure">{entry.confidence:.0%} sure</span></p>'
        f'<p class="statement" dir="auto">{_text(entry.claim)}</p>{notes}{receipts or nothing}</li>'
    )


def _receipt(receipt: Evidence, titles: dict[str, str]) -> str:
    place = [titles.get(receipt.document) or receipt.document, receipt.heading or ""]
    place += [f"page {receipt.page}" if receipt.page else "", f"characters {receipt.start}–{receipt.end}"]
    stance = receipt.stance.value
    return (
        f'<figure class="{stance}"><blockquote dir="auto">{_text(receipt.quote)}</blockquote>'
        f"<figcaption>{_text(', '.join(part for part in place if part))} <span>{_STANCES[stance]}</span>"
        f'<code title="sha256 of the source">{receipt.document_sha256[:12]}</code></figcaption></figure>'
    )


def _section(title: str, items: list[str]) -> str:
    if not items:
        return ""
    rows = "".join(f"<li>{item}</li>" for item in items)
    return f'<section><h2>{title}</h2><ul class="plain">{rows}</ul></section>'


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
        *((f"Source {title or name}", sha256) for name, title, sha256 in origin.documents),
    ]
    shown = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in rows if value)
    return (
        f"<footer><h2>How to prove this</h2><dl>{shown}</dl><p>The record is part of a chain of hashes: "
        f"<code>assay audit verify</code> proves that nothing in it was changed, and "
        f"<code>assay audit replay {_text(origin.run_id)}</code> runs the same inputs again.</p></footer>"
    )


def _verdict(entry: LedgerEntry) -> str:
    return entry.verdict.value if entry.verdict else "none"


def _text(text: str) -> str:
    return escape(visible(text))
