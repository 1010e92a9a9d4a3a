"""Record a run: the payload of its ledger record, with everything a replay needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.abstention import abstain
from assay.codec import Json, encode
from assay.ledger.entries import ledger_of
from assay.ledger.records import run_root
from assay.ledger.rows import pack_document, pack_passage, pack_policy
from assay.types import Action, Document, Passage, Report
from assay.views import rung

if TYPE_CHECKING:
    from assay.engine import Run
    from assay.lattice.evidence_map import AnyEvidence, EvidenceMap

FORMAT = 1
_SPENT = ("model_calls", "prompt_tokens", "completion_tokens", "cost_usd")


def pack_run(
    run: Run,
    *,
    user: str = "",
    session: str = "",
    mode: str = "answer",
    attempts: Sequence[Any] = (),
    prompt: str | None = None,
    rendering: str | None = None,
    remembered: bool = False,
    spent: Mapping[str, float] | None = None,
    replaces: Sequence[tuple[str, int]] = (),
    abstention: Mapping[str, Any] | None = None,
) -> tuple[Json, dict[str, str]]:
    """The payload of a run's record, and the texts that go with it by their hashes.

    A run does not know for whom and how it was made, what it cost beside the check, whether a memory was among its
    sources (`remembered`), and why nothing was answered (`abstention`; the report says it where it calls for one).
    """
    if abstention is None and run.report.action is Action.ABSTAIN:
        abstention = abstain(run.report).to_dict()
    report = run.report if abstention is None else replace(run.report, action=Action.ABSTAIN)
    documents, shown = _documents(run), _map_of(run.request.evidence)
    numbers = {document: number for number, document in enumerate(documents)}
    told = report.to_dict()
    findings, _ = told.pop("claims"), told.pop("answer")
    latencies = [finding.pop("latency_ms", 0.0) for finding in findings]  # times differ in a replay, the root must not
    stages = {
        "question": report.question,
        "retrieval": [[pack_passage(item, numbers[item.document]) for item in found] for found in run.passages],
        "evidence_map": shown.to_dict() if shown is not None else None,
        "prompt": prompt,
        "raw_answer": report.answer,
        "claims": encode(run.claims),
        "verification": findings,
        "rendering": rendering,
        "label": {name: told[name] for name in ("verdict", "action", "audit_mode")} | {"rung": rung(report)},
    }
    tried = encode(list(attempts))
    ledger = ledger_of(report, run.policy)
    payload = {
        "format": FORMAT,
        "root": root_of(stages, run.policy.sha256, run.model, documents),
        "user": user,
        "session": session,
        "mode": mode,
        "branches": run.request.branches,
        "inline": run.request.inline,
        "remembered": remembered or any(is_recalled(p) for found in run.passages for p in found),
        "stages": stages,
        "policy": pack_policy(run.policy),
        "policy_sha256": run.policy.sha256,
        "model": run.model,
        "documents": [pack_document(document) for document in documents],
        "attempts": tried,
        "coverage": report.coverage,
        "unsupported_rate": report.unsupported_rate,
        "verdicts": ledger.counts,
        "risk_flags": [flag.kind for flag in report.risk_flags],
        "durations_ms": dict(told["timings_ms"]),
        "latencies_ms": latencies,
        "spent": _spent(spent, tried, report),
        "replaces": [{"run": run_id, "claim": claim} for run_id, claim in replaces],
        "abstention": None if abstention is None else dict(abstention),
        "report": told,
        "texts": sorted({document.sha256 for document in documents}),
        "leanings": _cited_documents(report, shown),
    }
    return payload, {document.sha256: document.text for document in documents}


def root_of(stages: Mapping[str, Any], policy_sha256: str, model: str, documents: Iterable[Document]) -> str:
    named = [(document.id, document.sha256) for document in documents]
    return run_root(stages, policy_sha256=policy_sha256, model=model, documents=named)


def is_recalled(passage: Passage) -> bool:
    """Whether a passage came from a memory, which says how it found it.

    'vector', 'text' or 'edge:link'; 'named' for what a citation of the claim names there.
    """
    return bool(passage.reason) and all(
        part in ("vector", "text", "named") or part.startswith("edge:") for part in passage.reason.split("+")
    )


def _map_of(evidence: AnyEvidence | None) -> EvidenceMap | None:
    if evidence is None:
        return None
    from assay.lattice.evidence_map import EvidenceMap

    return EvidenceMap.of(evidence)


def _documents(run: Run) -> list[Document]:
    """The report's documents and any that only a passage knows, each once, in order."""
    shown = [passage.document for found in run.passages for passage in found]
    return list(dict.fromkeys([*run.report.documents, *shown]))


def _cited_documents(report: Report, evidence: EvidenceMap | None) -> list[list[Any]]:
    """(claim, document, hash) for every document a finding cites; a pointer stands for the source behind it."""
    behind = {}
    for shown in evidence.objects if evidence is not None else ():
        if shown.source_id and shown.source_sha256:
            behind[shown.pointer_id] = (shown.source_id, shown.source_sha256)
    cited = {}
    for number, finding in enumerate(report.findings):
        for item in finding.evidence:
            document, sha256 = behind.get(item.document, (item.document, item.document_sha256))
            cited[(number, document)] = sha256
    return [[number, document, sha256] for (number, document), sha256 in sorted(cited.items())]


def _spent(given: Mapping[str, float] | None, attempts: Sequence[Any], report: Report) -> dict[str, float]:
    """The cost as given, else the sum over the attempts; the cost of the check itself is added."""
    if given is not None:
        total = {name: given.get(name, 0) for name in _SPENT}
    else:
        counted = [attempt for attempt in attempts if isinstance(attempt, dict)]
        total = {name: sum(attempt.get(name) or 0 for attempt in counted) for name in _SPENT}
    total["cost_usd"] = total["cost_usd"] + report.cost_usd
    return total
