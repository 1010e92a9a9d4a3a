"""Answers against their sources: one or many, by pointer, word for word, or only split into claims."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import ValidationError

from assay.codec import encode
from assay.server import problems
from assay.server.auth import Caller
from assay.server.bodies import AuditQuotesIn, BatchIn, ClaimsIn, LatticeIn, VerifyIn
from assay.server.problems import Problem
from assay.server.responses import OBJECTS, REPORT, TEXT, TRUTH, Json, gives, listed, show_documents, show_rating
from assay.server.sources import check_length, documents_of, with_memory
from assay.server.state import AppState, Reader, State, pooled

router = APIRouter(tags=["verify"])


@router.post("/v1/verify", summary="Check an answer against sources, claim by claim", responses=REPORT)
@pooled
def verify(body: VerifyIn, state: State, caller: Reader) -> Json:
    return Json(judge(state, caller, body))


@router.post(
    "/v1/verify/batch",
    summary="Check several answers; each gets its report or its problem",
    responses=gives(results=OBJECTS),
)
@pooled
def verify_batch(body: BatchIn, state: State, caller: Reader) -> Json:
    most = state.settings.max_batch
    if len(body.items) > most:
        raise Problem(413, f"a batch may have {most} items here, not {len(body.items)}")
    return Json({"results": [_report_or_problem(state, caller, item) for item in body.items]})


def judge(state: AppState, caller: Caller, body: VerifyIn) -> dict[str, Any]:
    """The report on an answer, recorded unless the request or the server says not to."""
    from assay.engine import Request

    check_length(body.answer, state.settings)
    workspaces = state.workspaces
    engine = workspaces.engine(caller.workspace, body.judge, body.policy)
    memory = workspaces.memory(caller.workspace) if body.use_memory else None
    sources = with_memory(documents_of(body.sources, state.settings), memory)
    run = engine.run(Request(body.answer, sources=sources, question=body.question, branches=body.branches))
    state.metrics.count(run.report)
    keep = state.settings.record if body.record is None else body.record
    run_id = None
    if keep:
        ledger = workspaces.ledger(caller.workspace)
        run_id = ledger.record(run, user=caller.name, session=body.session, memory=memory)
    shown = {"run_id": run_id, "documents": show_documents(run.report.documents), "rating": show_rating(run.report)}
    return run.report.to_dict() | shown


def _report_or_problem(state: AppState, caller: Caller, item: VerifyIn | ValidationError) -> dict[str, Any]:
    """One bad item must not cost the others their reports."""
    if isinstance(item, ValidationError):
        return problems.problem_body(Problem(422, problems.explain(item.errors()), kind="invalid-request"), "")
    try:
        return judge(state, caller, item)
    except Exception as error:
        problem = problems.problem_of(error)
        if problem.status >= 500:
            problems.log.error("an item of a batch failed", exc_info=error)
        return problems.problem_body(problem, "")


@router.post(
    "/v1/claims",
    summary="Split a text into claims, each with its place, kind and importance",
    responses=gives(claims=listed(text=TEXT, kind=TEXT, importance=TEXT, checkable=TRUTH)),
)
@pooled
def claims(body: ClaimsIn, state: State, caller: Reader) -> Json:
    from assay.claims import extract_claims

    check_length(body.text, state.settings, "a text")
    found = extract_claims(body.text, body.question, state.workspaces.policy)
    return Json({"claims": encode(found)})


@router.post(
    "/v1/audit-quotes",
    summary="Look an answer's quotations, sentences and names up in each source, word for word",
    responses=gives(audits=listed(document=TEXT, audit_mode=TEXT, verifier_method=TEXT)),
)
@pooled
def audit_quotes(body: AuditQuotesIn, state: State, caller: Reader) -> Json:
    from assay.lexical import audit_quotes as audit

    check_length(body.answer, state.settings)
    options = body.model_dump(exclude={"answer", "sources"})
    documents = documents_of(body.sources, state.settings)
    found = [(item.id, audit(body.answer, item, policy=state.workspaces.policy, **options)) for item in documents]
    return Json({"audits": [{"document": name, **result.to_dict()} for name, result in found]})


@router.post(
    "/v1/lattice/check",
    summary="Check an answer that cites evidence by pointer, or as JSON",
    responses=gives(evidence=OBJECTS),
)
@pooled
def check(body: LatticeIn, state: State, caller: Reader) -> Json:
    from assay.lattice import AnswerForm, EvidenceMap, looks_like_lattice, verify_answer

    check_length(body.answer, state.settings)
    shown = EvidenceMap.from_dict([item.model_dump() for item in body.evidence])
    form = body.form or looks_like_lattice(body.answer, shown) or AnswerForm.POINTER
    policy = state.workspaces.policy
    result = verify_answer(body.answer, shown, body.question, form, policy, chain_roots=body.chain_roots)
    return Json(result.to_dict() | {"evidence": [item.to_dict() for item in shown]})
