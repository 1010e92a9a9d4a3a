"""The whole engine measured on answers: every claim found, judged, and the answer called by its worst."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.encoder.scores import NOTHING, over_sentences
from assay.evaluation.judges import Opinion, spread
from assay.evaluation.rows import Row
from assay.policy import Policy
from assay.types import Document, Finding, Report, Span, Verdict

Detail = Mapping[str, Any]
SHOWN_QUOTES = 2
_NO_HURRY = 600_000.0  # milliseconds


@dataclass(frozen=True)
class Pipeline:
    """An engine ready to be measured: its name, what identifies it, and what it makes of a row."""

    name: str
    model: str
    examine: Callable[[Row], tuple[Opinion, Detail]]
    workers: int = 1


def make_pipeline(judge: str, policy: Policy | None = None) -> Pipeline:
    """The engine with a judge, as every interface runs it."""
    from assay.engine import Engine
    from assay.judges import make_judge

    rules = unhurried(policy or Policy())
    engine = Engine(rules, make_judge(judge, rules))

    def examine(row: Row) -> tuple[Opinion, Detail]:
        documents = [Document(str(number), text) for number, text in enumerate(row.sources, 1)]
        report = engine.verify(row.text, sources=documents, question=row.question or None)
        return read_report(report), describe(report)

    return Pipeline(judge, f"engine {judge} {rules.sha256} {_weights(judge)}", examine)


def unhurried(policy: Policy) -> Policy:
    """The policy without the time limit of one claim: on a busy machine it would decide what is measured."""
    return policy.but(verification_timeout_ms=_NO_HURRY)


def _weights(judge: str) -> str:
    """What tells one set of weights from another, so that a journal does not outlive them."""
    from assay.encoder.bundle import WEIGHTS

    sizes = {"lexical": (), "cascade": ("small", "base")}.get(judge, (judge,))
    manifests = [WEIGHTS / size / "manifest.json" for size in sizes]
    found = b"".join(path.read_bytes() for path in manifests if path.exists())
    return hashlib.sha256(found).hexdigest()[:16]


def read_report(report: Report) -> Opinion:
    """An answer is as well supported as its weakest claim, and refuted when any of them is."""
    scores = over_sentences([spread(finding.judgement) for finding in report.scored]) if report.scored else NOTHING
    return Opinion(report.verdict, scores)


def describe(report: Report) -> Detail:
    """What is kept of a report: each claim with its verdict, where it stands, and its receipts."""
    return {"claims": [_claim(finding) for finding in report.findings]}


def _claim(finding: Finding) -> Detail:
    return {
        "text": finding.text,
        "spans": [[span.start, span.end] for span in finding.spans],
        "verdict": finding.verdict.value,
        "confidence": round(finding.confidence, 4),
        "method": finding.method,
        "explanation": finding.explanation,
        "quotes": [
            {"document": item.document, "start": item.start, "end": item.end, "quote": item.quote}
            for item in finding.evidence[:SHOWN_QUOTES]
        ],
    }


def flagged(detail: Detail) -> list[Span]:
    """The stretches of an answer whose claims were found refuted or unsupported."""
    wrong = (Verdict.REFUTED.value, Verdict.INSUFFICIENT.value)
    return [Span(*place) for claim in detail["claims"] if claim["verdict"] in wrong for place in claim["spans"]]
