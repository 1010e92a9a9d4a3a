"""The ledger of this workspace: its runs, their replay, the hash chain, and what readers say about findings."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from assay.errors import UsageError
from assay.server.bodies import FeedbackIn, RetentionIn
from assay.server.paging import Cursor, paginate
from assay.server.problems import Problem
from assay.server.responses import (
    MAYBE_OBJECT,
    MAYBE_TEXT,
    OBJECT,
    OBJECTS,
    TEXT,
    TEXTS,
    TRUTH,
    WHOLE,
    Json,
    gives,
    show_rating,
    told,
)
from assay.server.state import Admin, Reader, State, Writer, pooled

if TYPE_CHECKING:
    from assay.ledger import Ledger
    from assay.ledger.runs import StoredRun

router = APIRouter(tags=["audits"])

Limit = Annotated[int, Query(ge=1, le=10_000)]

_MEDIA = {
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}


@router.get(
    "/v1/audits",
    summary="The runs of this workspace, newest first",
    responses=gives(audits=OBJECTS, total=WHOLE, next_cursor=MAYBE_TEXT),
)
@pooled
def list_runs(
    state: State,
    caller: Reader,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 50,
    verdict: Annotated[str | None, Query(max_length=20, description="Only runs with this verdict.")] = None,
    abstained: Annotated[bool, Query(description="Only runs that ended without an answer, with the reason.")] = False,
    cursor: Cursor = None,
) -> Json:
    ledger = state.workspaces.ledger(caller.workspace)
    runs = ledger.runs(limit=None, abstained=abstained)
    wanted = (run for run in runs if verdict is None or run.verdict == verdict.upper())
    shown, after = paginate(wanted, limit, cursor, key=lambda run: run.id)
    return Json({"audits": [run.to_dict() for run in shown], "total": len(ledger), "next_cursor": after})


@router.get(
    "/v1/audits/chain",
    summary="Whether the chain of records holds, and where it first does not",
    responses=gives(intact=TRUTH, records=WHOLE),
)
@pooled
def chain(state: State, caller: Reader) -> Json:
    ledger = state.workspaces.ledger(caller.workspace)
    broken, head = ledger.verify(), ledger.head()
    return Json(
        {
            "intact": broken is None,
            "break": None if broken is None else {"sequence": broken.sequence, "reason": broken.reason},
            "records": head[0] if head else 0,
            "head": head[1] if head else None,
        }
    )


@router.get(
    "/v1/audits/retention",
    summary="For how many days this workspace keeps its records, and whether that is its own setting",
    responses=gives(days=WHOLE, own=TRUTH),
)
@pooled
def show_retention(state: State, caller: Reader) -> Json:
    own = state.workspaces.ledger(caller.workspace).own_retention()
    return Json({"days": state.workspaces.policy.retention_days if own is None else own, "own": own is not None})


@router.put(
    "/v1/audits/retention",
    summary="Set for how many days this workspace keeps its records",
    responses=gives(days=WHOLE),
)
@pooled
def set_retention(body: RetentionIn, state: State, caller: Admin) -> Json:
    state.workspaces.ledger(caller.workspace).set_retention(body.days, user=caller.name)
    return Json({"days": body.days})


@router.get(
    "/v1/audits/stale",
    summary="Findings that lean on documents which have changed or are gone",
    responses=gives(stale=OBJECTS, next_cursor=MAYBE_TEXT),
)
@pooled
def stale(state: State, caller: Reader, limit: Limit = 1_000, cursor: Cursor = None) -> Json:
    workspaces = state.workspaces
    found = workspaces.ledger(caller.workspace).stale(workspaces.memory(caller.workspace))
    shown, after = paginate(found, limit, cursor, key=lambda item: f"{item.run_id}/{item.claim}")
    return Json({"stale": [item.to_dict() for item in shown], "next_cursor": after})


@router.get(
    "/v1/audits/log",
    summary="The last results, one line for each claim, newest first",
    responses=gives(results=OBJECTS, next_cursor=MAYBE_TEXT),
)
@pooled
def log(state: State, caller: Reader, limit: Limit = 1_000, cursor: Cursor = None) -> Json:
    lines = state.workspaces.ledger(caller.workspace).log(sys.maxsize)
    shown, after = paginate(lines, limit, cursor, key=lambda line: f"{line.run_id}/{line.claim}")
    return Json({"results": [line.to_dict() for line in shown], "next_cursor": after})


@router.post(
    "/v1/audits/purge",
    summary="Empty records older than some days; the chain stays provable",
    responses=gives(emptied=WHOLE),
)
@pooled
def purge(state: State, caller: Admin, days: Annotated[int | None, Query(ge=1, le=36_500)] = None) -> Json:
    memory = state.workspaces.memory(caller.workspace)
    return Json({"emptied": state.workspaces.ledger(caller.workspace).purge(days, memory=memory)})


@router.get(
    "/v1/audits/{run_id}",
    summary="A run whole: its report, its documents, its place in the chain",
    responses=gives(id=TEXT, answer=TEXT, report=OBJECT, documents=OBJECTS, marks=OBJECTS, rating=MAYBE_OBJECT),
)
@pooled
def get_run(run_id: str, state: State, caller: Reader) -> Json:
    ledger = state.workspaces.ledger(caller.workspace)
    stored = find(ledger, run_id)
    marks = [mark.to_dict() for mark in ledger.marks(stored.id)]
    return Json(stored.to_dict() | {"marks": marks, "rating": show_rating(stored.as_report())})


@router.get(
    "/v1/audits/{run_id}/export",
    summary="The evidence ledger of a run as a file",
    response_class=Response,
    responses=told(
        *(kind.partition(";")[0] for kind in _MEDIA.values()),
        version=WHOLE,
        origin=OBJECT,
        question=MAYBE_TEXT,
        answer=TEXT,
        summary=OBJECT,
        gates=OBJECTS,
        entries=OBJECTS,
        risk_flags=OBJECTS,
        follow_up=TEXTS,
        warnings=TEXTS,
    ),
)
@pooled
def export(
    run_id: str, state: State, caller: Reader, format: Literal["json", "md", "html", "csv"] = "json"
) -> Response:
    ledger = state.workspaces.ledger(caller.workspace)
    stored = find(ledger, run_id)
    text = ledger.export(stored.id, format)
    headers = {
        "Content-Disposition": f'attachment; filename="ledger-{stored.id}.{format}"',
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    }
    return Response(text.encode("utf-8", "backslashreplace"), media_type=_MEDIA[format], headers=headers)


@router.post(
    "/v1/audits/{run_id}/replay",
    summary="Run the stored inputs again and explain what differs",
    responses=gives(run_id=TEXT, identical=TRUTH, differences=OBJECTS, changes=TEXTS),
)
@pooled
def replay(
    run_id: str,
    state: State,
    caller: Reader,
    current: Annotated[bool, Query(description="By today's policy, model and documents instead of the run's.")] = False,
) -> Json:
    workspaces = state.workspaces
    ledger = workspaces.ledger(caller.workspace)
    stored = find(ledger, run_id)
    if not current:
        return Json(ledger.replay(stored.id).to_dict())
    engine = workspaces.engine(caller.workspace)
    documents = workspaces.memory(caller.workspace) if stored.payload["remembered"] else None
    return Json(ledger.replay(stored.id, engine, current=documents).to_dict())


@router.post(
    "/v1/feedback",
    summary="Mark a finding right or wrong",
    status_code=201,
    responses=gives(201, id=WHOLE, run_id=TEXT, claim=WHOLE, right=TRUTH),
)
@pooled
def give(body: FeedbackIn, state: State, caller: Writer) -> Json:
    ledger = state.workspaces.ledger(caller.workspace)
    stored = find(ledger, body.run_id)
    mark = ledger.feedback(stored.id, body.claim, body.right, body.note, caller.name, verdict=body.verdict)
    return Json(mark.to_dict(), 201)


@router.get(
    "/v1/feedback",
    summary="The marks of this workspace, newest first",
    responses=gives(marks=OBJECTS, next_cursor=MAYBE_TEXT),
)
@pooled
def list_marks(state: State, caller: Reader, limit: Limit = 1_000, cursor: Cursor = None) -> Json:
    marks = state.workspaces.ledger(caller.workspace).marks()
    shown, after = paginate(marks, limit, cursor, key=lambda mark: mark.id)
    return Json({"marks": [mark.to_dict() for mark in shown], "next_cursor": after})


def find(ledger: Ledger, run_id: str) -> StoredRun:
    """A run of this workspace; one that is not there and one of another workspace look the same."""
    try:
        return ledger.get(run_id)
    except UsageError as problem:
        raise Problem(404, f"there is no run {run_id!r} in this workspace, or it was purged") from problem
