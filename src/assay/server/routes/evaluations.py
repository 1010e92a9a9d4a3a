"""A judge measured on labelled pairs, and the runs of this workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query

from assay.server.bodies import EvalIn
from assay.server.problems import Problem
from assay.server.routes.parts import At, Reader, Writer
from assay.server.schemas import OBJECTS, TEXT, gives
from assay.server.wire import Json

if TYPE_CHECKING:
    from assay.evaluation.evaluate import EvaluatedRow
    from assay.evaluation.results import Task

router = APIRouter(tags=["evaluation"])


@router.post("/v1/eval", summary="Measure a judge on labelled pairs", status_code=201)
async def evaluate(body: EvalIn, desk: At, caller: Writer) -> Json:
    def work() -> Json:
        summary, result = measure(body, desk.settings.threads)
        return Json(desk.house.evaluations(caller.workspace).keep(summary, result), 201)

    return await desk.gate.run(work)


@router.get("/v1/eval", summary="The evaluation runs of this workspace, newest first", responses=gives(runs=OBJECTS))
async def list_runs(desk: At, caller: Reader, limit: Annotated[int, Query(ge=1, le=1_000)] = 50) -> Json:
    return await desk.gate.run(lambda: Json({"runs": desk.house.evaluations(caller.workspace).list(limit)}))


@router.get(
    "/v1/eval/{run_id}",
    summary="One evaluation run with its figures and its calibration",
    responses=gives(id=TEXT, time=TEXT, calibration=OBJECTS),
)
async def get_run(run_id: str, desk: At, caller: Reader) -> Json:
    def work() -> Json:
        found = desk.house.evaluations(caller.workspace).get(run_id)
        if found is None:
            raise Problem(404, f"there is no evaluation {run_id!r} in this workspace")
        return Json(found)

    return await desk.gate.run(work)


def measure(body: EvalIn, threads: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The main figures, and everything else."""
    from assay.evaluation.evaluate import Journal, evaluate_rows
    from assay.evaluation.judges import find_judge
    from assay.evaluation.results import summarise
    from assay.evaluation.rows import LabelledFile, LabelledRow

    rows = tuple(LabelledRow(number, row.evidence, row.claim, row.label) for number, row in enumerate(body.rows, 1))
    examined = find_judge(body.judge, threads)
    began = perf_counter()
    done = evaluate_rows(examined, rows, Journal())
    found = summarise(examined.name, LabelledFile(Path(body.name or "request"), rows), done, perf_counter() - began)
    figures = found.to_dict()
    shown = ("judge", "task", "measure", "n", "n_not_checkable", "n_error", figures["measure"])
    summary = {"name": body.name, "model": examined.model} | {name: figures[name] for name in shown}
    return summary, figures | {"calibration": calibration(found.task, done)}


def calibration(task: Task, rows: Sequence[EvaluatedRow]) -> list[dict[str, float | int]]:
    """How often the judge was right among verdicts of about the same confidence."""
    from assay.evaluation.metrics import reliability_bins
    from assay.evaluation.results import read_answers

    scored = [row for row in rows if row.scored]
    if not scored:
        return []
    answers = read_answers(task, scored)
    return [
        {
            "low": one.low,
            "high": one.high,
            "n": one.count,
            "confidence": round(one.confidence, 6),
            "accuracy": round(one.accuracy, 6),
        }
        for one in reliability_bins(answers.right, answers.confidence)
    ]
