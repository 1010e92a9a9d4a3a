"""Chains of reasoning as trees: what was wanted, decided, seen and claimed, and which of it holds."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query

from assay.errors import UsageError
from assay.server.bodies import TraceIn
from assay.server.paging import Cursor, paginate
from assay.server.problems import Problem
from assay.server.responses import MAYBE_TEXT, OBJECTS, TEXT, Json, gives
from assay.server.state import Reader, State, Writer, pooled

if TYPE_CHECKING:
    from assay.epistemic.traces import Trace, TraceStore

router = APIRouter(tags=["epistemic"])


@router.get(
    "/v1/traces",
    summary="The traces of this workspace, newest first",
    responses=gives(traces=OBJECTS, next_cursor=MAYBE_TEXT),
)
@pooled
def list_traces(
    state: State, caller: Reader, limit: Annotated[int, Query(ge=1, le=1_000)] = 100, cursor: Cursor = None
) -> Json:
    traces = state.workspaces.traces(caller.workspace).traces(None)
    shown, after = paginate(traces, limit, cursor, key=lambda trace: trace.id)
    return Json({"traces": [item.to_dict() for item in shown], "next_cursor": after})


@router.post(
    "/v1/traces",
    summary="Store a trace, in place of one with the same goal",
    status_code=201,
    responses=gives(201, id=TEXT),
)
@pooled
def add_trace(body: TraceIn, state: State, caller: Writer) -> Json:
    from assay.epistemic.traces import Trace

    given = body.model_dump()
    for node in given["nodes"]:
        node["at"] = node["at"] or time()
    trace = Trace.from_dict(given)
    return Json({"id": state.workspaces.traces(caller.workspace).save(trace)}, 201)


@router.get(
    "/v1/traces/{trace_id}",
    summary="A trace whole, with what has been verified of it",
    responses=gives(goal=TEXT, nodes=OBJECTS, edges=OBJECTS),
)
@pooled
def get_trace(trace_id: str, state: State, caller: Reader) -> Json:
    store = state.workspaces.traces(caller.workspace)
    trace = find(store, trace_id)
    report = store.get_verification_report(trace.goal.id, verify=False)
    return Json(trace.to_dict() | {"report": report.to_dict()})


@router.get(
    "/v1/traces/{trace_id}/gaps",
    summary="What is missing between the claims of a trace and their evidence, the widest gap first",
    responses=gives(gaps=OBJECTS),
)
@pooled
def gaps(
    trace_id: str,
    state: State,
    caller: Reader,
    verification_model: Annotated[
        str | None, Query(max_length=200, description="Verify all claims again by this judge or model.")
    ] = None,
) -> Json:
    store = state.workspaces.traces(caller.workspace)
    goal = find(store, trace_id).goal.id
    model = None if verification_model is None else state.workspaces.model_spec(verification_model)
    found = store.get_epistemic_gaps(goal, verification_model=model)
    return Json(
        {
            "gaps": [gap.to_dict() for gap in found],
            "report": store.get_verification_report(goal, verify=False).to_dict(),
        }
    )


@router.delete("/v1/traces/{trace_id}", summary="Take a trace out", responses=gives(id=TEXT))
@pooled
def remove_trace(trace_id: str, state: State, caller: Writer) -> Json:
    store = state.workspaces.traces(caller.workspace)
    goal = find(store, trace_id).goal.id
    store.delete(goal)
    return Json({"id": goal})


def find(store: TraceStore, trace_id: str) -> Trace:
    """A trace of this workspace; one that is not there and one of another workspace look the same."""
    try:
        return store.get(trace_id)
    except UsageError as problem:
        raise Problem(404, f"there is no trace {trace_id!r} in this workspace") from problem
