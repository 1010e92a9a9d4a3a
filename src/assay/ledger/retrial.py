"""A run once more: the whole of it, or some of its claims alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from assay.ledger.runs import StoredRun
from assay.ledger.sources import Current, sources_of
from assay.types import Document, Passage, Report

if TYPE_CHECKING:
    from assay.engine import Engine, Run
    from assay.memory import Memory


def again(stored: StoredRun, engine: Engine, current: Current | None = None) -> Run:
    """The run once more, on what was stored, or on what stands in its place now."""
    if stored.replaces:  # a re-check had some claims of an answer and not the others
        return try_claims(stored, range(len(stored.claims)), engine, current)
    return engine.run(
        stored.answer,
        sources=sources_of(stored, current),
        question=stored.question,
        evidence=stored.evidence_map,
        branches=stored.payload["branches"],
        inline=stored.payload["inline"],
    )


def try_claims(stored: StoredRun, numbers: Sequence[int], engine: Engine, current: Current | None = None) -> Run:
    """Some claims of a run judged again, and nothing else of it."""
    from assay.anchors import cited_documents
    from assay.bench.calibrate import revise_all
    from assay.defuse import shown_passages
    from assay.engine import Run
    from assay.engine.deciding import decide
    from assay.engine.findings import make_finding, nothing_to_check, worst_action
    from assay.engine.gathering import recall, search
    from assay.judges.budget import Budget
    from assay.risks import find_risks
    from assay.views import audit_mode

    claims = [stored.claims[number] for number in numbers]
    sources = sources_of(stored, current)
    documents = [source for source in sources if isinstance(source, Document)]
    memories = [cast("Memory", source) for source in sources if hasattr(source, "retrieve_all")]
    numbered = bool(documents) or not memories
    passages: list[tuple[Passage, ...]] = search(claims, documents, engine.policy)
    for memory in memories:
        recalled = recall(claims, memory, engine.policy)
        passages = [(*given, *more) for given, more in zip(passages, recalled, strict=True)]
        documents.extend(dict.fromkeys(p.document for more in recalled for p in more if p.document not in documents))
    passages = [tuple(shown_passages(given)) for given in passages]
    found = decide(engine.judge, claims, passages, stored.question, engine.policy, Budget(engine.policy), engine.cache)
    judgements = revise_all(engine.policy, found.judgements, documents)
    findings = tuple(
        make_finding(
            claim,
            judgement,
            cited_documents(claim, documents, numbered=numbered),
            engine.policy,
            branches=stored.payload["branches"],
            inline=stored.payload["inline"],
        )
        for claim, judgement in zip(claims, judgements, strict=True)
    )
    model = str(getattr(engine.judge, "model", engine.judge.name))
    report = Report(
        answer=stored.answer,
        findings=findings,
        documents=tuple(documents),
        question=stored.question,
        skipped=nothing_to_check(claims),
        action=worst_action(findings),
        audit_mode=audit_mode(findings),
        warnings=found.warnings,
        policy_sha256=engine.policy.sha256,
        model=model,
        cost_usd=sum(judgement.cost_usd for judgement in judgements),
    )
    risks = find_risks(report, passages, engine.policy, numbered=numbered)
    report = replace(report, risk_flags=(*found.flags, *risks))
    return Run(report, tuple(claims), tuple(passages), judgements, engine.policy, model)
