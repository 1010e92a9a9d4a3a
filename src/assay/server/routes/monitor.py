"""How the verifier itself is doing."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter

from assay.server.routes.parts import Admin, At, Desk, Reader
from assay.server.schemas import OBJECT, TRUTH, WHOLE, gives
from assay.server.wire import Json

router = APIRouter(tags=["server"])

STANDING = gives(
    watched=TRUTH,
    outputs=WHOLE,
    suspect=TRUTH,
    degenerate=TRUTH,
    healthy=TRUTH,
    refuting=TRUTH,
    irrelevant=TRUTH,
    counts=OBJECT,
)


@router.get("/v1/monitor", summary="The rates over the last outputs for this key", responses=STANDING)
async def standing(desk: At, caller: Reader) -> Json:
    return await desk.gate.run(lambda: Json(_show(desk, caller.workspace)))


@router.post("/v1/monitor/reset", summary="Forget the outputs of all keys of this workspace", responses=STANDING)
async def reset(desk: At, caller: Admin) -> Json:
    def work() -> Json:
        desk.house.reset_monitors(caller.workspace)
        return Json(_show(desk, caller.workspace))

    return await desk.gate.run(work)


def _show(desk: Desk, workspace: str) -> dict[str, object]:
    monitor = desk.house.monitor(workspace)
    return {"watched": desk.settings.monitor, **asdict(monitor.standing), "counts": monitor.counts}
