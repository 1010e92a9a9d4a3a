"""Whether the server lives, whether it is ready, and what it counts."""

from __future__ import annotations

from fastapi import APIRouter, Response

from assay.server.problems import Problem
from assay.server.responses import TEXT, TEXTS, TRUTH, WHOLE, Json, gives, told
from assay.server.state import Admin, State

router = APIRouter(tags=["server"])


@router.head("/v1/health", include_in_schema=False)
@router.get(
    "/v1/health",
    summary="The process lives",
    responses=gives(status=TEXT, version=TEXT, judge=TEXT, models=TEXTS, needs_key=TRUTH),
)
async def health(state: State) -> Json:
    from assay import __version__

    settings = state.settings
    return Json(
        {
            "status": "ok",
            "version": __version__,
            "judge": settings.judge,
            "models": list(settings.models),
            "needs_key": bool(settings.keys),
        }
    )


@router.head("/v1/ready", include_in_schema=False)
@router.get(
    "/v1/ready",
    summary="The models are loaded and requests are taken",
    responses=gives(status=TEXT, busy=WHOLE, waiting=WHOLE, slots=WHOLE, streams=WHOLE),
)
async def ready(state: State) -> Json:
    if state.pool.closed:
        raise Problem(503, "the server is shutting down", kind="shutdown", headers={"Retry-After": "2"})
    if not state.ready:
        raise Problem(503, "the models are still being loaded", kind="starting", headers={"Retry-After": "1"})
    pool = state.pool
    load = {"busy": pool.busy, "waiting": pool.waiting, "slots": pool.slots, "streams": state.slots.open}
    return Json({"status": "ready", **load})


@router.get("/metrics", summary="Prometheus metrics", response_class=Response, responses=told("text/plain"))
async def metrics(state: State, caller: Admin) -> Response:
    state.metrics.waiting.set(state.pool.waiting)
    return Response(state.metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8")
