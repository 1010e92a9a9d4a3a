"""Whether the server lives, whether it is ready, and what it counts."""

from __future__ import annotations

from fastapi import APIRouter, Response

from assay.server.problems import Problem
from assay.server.routes.parts import Admin, At
from assay.server.schemas import TEXT, TEXTS, TRUTH, gives
from assay.server.wire import Json

router = APIRouter(tags=["server"])


@router.get(
    "/v1/health",
    summary="The process lives",
    responses=gives(status=TEXT, version=TEXT, judge=TEXT, models=TEXTS, needs_key=TRUTH),
)
async def health(desk: At) -> Json:
    from assay import __version__

    settings = desk.settings
    return Json(
        {
            "status": "ok",
            "version": __version__,
            "judge": settings.judge,
            "models": list(settings.models),
            "needs_key": bool(settings.keys),
        }
    )


@router.get("/v1/ready", summary="The models are loaded and requests are taken")
async def ready(desk: At) -> Json:
    if desk.gate.closed:
        raise Problem(503, "the server is shutting down", kind="shutdown", headers={"Retry-After": "2"})
    if not desk.ready:
        raise Problem(503, "the models are still being loaded", kind="starting", headers={"Retry-After": "1"})
    return Json({"status": "ready", "busy": desk.gate.busy, "waiting": desk.gate.waiting, "slots": desk.gate.slots})


@router.get("/metrics", summary="Prometheus metrics", response_class=Response)
async def metrics(desk: At, caller: Admin) -> Response:
    desk.metrics.waiting.set(desk.gate.waiting)
    return Response(desk.metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8")
