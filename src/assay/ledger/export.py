"""An evidence ledger as JSON, Markdown, HTML or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

from assay.errors import UsageError
from assay.ledger.entries import EvidenceLedger, LedgerEntry, RunOrigin
from assay.render.ledger_page import to_html


def schema() -> dict[str, Any]:
    """The published JSON Schema of the JSON export."""
    return EvidenceLedger.schema()


def to_json(ledger: EvidenceLedger) -> str:
    return json.dumps(ledger.to_dict(), indent=2, ensure_ascii=True)


def to_markdown(ledger: EvidenceLedger) -> str:
    lines = ["# Evidence ledger", ""]
    if ledger.question:
        lines += [f"**Question:** {_cell(ledger.question)}", ""]
    lines += [_summary(ledger), "", "| # | verdict | confidence | claim | source |", "| --- | --- | --- | --- | --- |"]
    for number, entry in enumerate(ledger.entries, 1):
        sources = "<br>".join(f"{_cell(place)}: “{_cell(quote)}”" for place, quote in _sources(entry)) or "–"
        lines.append(f"| {number} | {_verdict(entry)} | {entry.confidence:.2f} | {_cell(entry.claim)} | {sources} |")
    for title, items in _lists(ledger):
        lines += ["", f"## {title}", "", *(f"- {_cell(item)}" for item in items)]
    if ledger.origin:
        lines += ["", "## Where this comes from", "", *(f"- {_cell(line)}" for line in _origin(ledger.origin))]
    return "\n".join(lines) + "\n"


def to_csv(ledger: EvidenceLedger) -> str:
    """One line for each receipt (or one for a claim without any), for spreadsheets."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(
        ["claim", "kind", "importance", "verdict", "confidence", "document", "page", "heading", "start", "end", "quote"]
    )
    for entry in ledger.entries:
        head = [
            _unformula(entry.claim),
            entry.kind.value,
            entry.importance.value,
            _verdict(entry),
            f"{entry.confidence:.4f}",
        ]
        for receipt in entry.receipts:
            tail = [_unformula(receipt.document), receipt.page, _unformula(receipt.heading or "")]
            writer.writerow([*head, *tail, receipt.start, receipt.end, _unformula(receipt.quote)])
        if not entry.receipts:
            writer.writerow([*head, *[""] * 6])
    return buffer.getvalue()


EXPORTS: dict[str, Callable[[EvidenceLedger], str]] = {
    "json": to_json,
    "md": to_markdown,
    "html": to_html,
    "csv": to_csv,
}


def export(ledger: EvidenceLedger, form: str) -> str:
    if form not in EXPORTS:
        raise UsageError(f"unknown ledger format {form!r}; choose one of {', '.join(EXPORTS)}")
    return EXPORTS[form](ledger)


def _summary(ledger: EvidenceLedger) -> str:
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in ledger.counts.items() if count)
    shares = [
        f"{name} {value:.0%}"
        for name, value in (("coverage", ledger.coverage), ("unsupported", ledger.unsupported_rate))
        if value is not None
    ]
    parts = [f"{len(ledger.entries)} claims" + (f" ({counts})" if counts else ""), *shares]
    return "; ".join([*parts, f"{ledger.not_entered} not checkable or in error"]) + "."


def _origin(origin: RunOrigin) -> list[str]:
    who = f" for {origin.user}" if origin.user else ""
    return [
        f"run {origin.run_id} of {origin.time}{who}, workspace {origin.workspace}, judged by {origin.model}",
        f"run root {origin.root}",
        f"record hash {origin.hash}",
        f"policy {origin.policy_sha256}",
        *(f"source {item.id}: sha256 {item.sha256}" for item in origin.documents),
    ]


def _lists(ledger: EvidenceLedger) -> list[tuple[str, list[str]]]:
    failed = [
        f"{gate.name}: {gate.value:g}, bound {gate.bound:g} → {gate.otherwise}"
        for gate in ledger.gates
        if gate.passed is False
    ]
    flags = [f"{flag.kind} ({flag.severity}): {flag.message}" for flag in ledger.risk_flags]
    lists = [
        ("Gates not passed", failed),
        ("Risks", flags),
        ("Open questions", list(ledger.follow_up)),
        ("Warnings", list(ledger.warnings)),
    ]
    return [(title, items) for title, items in lists if items]


def _sources(entry: LedgerEntry) -> list[tuple[str, str]]:
    places = []
    for receipt in entry.receipts:
        where = [receipt.document, receipt.heading or "", f"page {receipt.page}" if receipt.page else ""]
        places.append((", ".join(part for part in where if part) + f", {receipt.start}–{receipt.end}", receipt.quote))
    return places


def _verdict(entry: LedgerEntry) -> str:
    return entry.verdict.value if entry.verdict else "none"


def _cell(text: str) -> str:
    """Text made safe inside a Markdown table: no line breaks, no cell ends, no markup of its own."""
    flat = " ".join(text.split())
    return "".join(f"\\{c}" if c in "\\|*_`[]<>#" else c for c in flat)


def _unformula(text: str) -> str:
    """A spreadsheet runs cells that begin like a formula: `=HYPERLINK(…)` in an answer must stay text."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
