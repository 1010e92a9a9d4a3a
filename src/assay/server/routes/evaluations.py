"""How well the verifier does: judges measured on labelled pairs, and the rates over its last outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query

from assay.server.bodies import EvalIn
from assay.server.paging import Cursor, paginate
from assay.server.problems import Problem
from assay.server.responses import MAYBE_TEXT, OBJECT, OBJECTS, TEXT, TRUTH, WHOLE, Json, gives
from assay.server.state import Admin, AppState, Reader, State, Writer, pooled

if TYPE_CHECKING:
    from assay.evaluation.evaluate import EvaluatedRow
    from assay.evaluation.results import Task

router = APIRouter(tags=["evaluation"])


@router.post(
    "/v1/eval",
    summary="Measure a judge on labelled pairs",
    status_code=201,
    responses=gives(201, id=TEXT, time=TEXT, calibration=OBJECTS),
)
@pooled
def evaluate(body: EvalIn, state: State, caller: Writer) -> Json:
    summary, result = measure(body, state.settings.threads)
    return Json(state.workspaces.evaluations(caller.workspace).keep(summary, result), 201)


@router.get(
    "/v1/eval",
    summary="The evaluation runs of this workspace, newest first",
    responses=gives(runs=OBJECTS, next_cursor=MAYBE_TEXT),
)
@pooled
def list_evaluations(
    state: State, caller: Reader, limit: Annotated[int, Query(ge=1, le=1_000)] = 50, cursor: Cursor = None
) -> Json:
    runs = state.workspaces.evaluations(caller.workspace).list(None)
    shown, after = paginate(runs, limit, cursor, key=lambda run: run["id"])
    return Json({"runs": shown, "next_cursor": after})


@router.get(
    "/v1/eval/{run_id}",
    summary="One evaluation run with its figures and its calibration",
    responses=gives(id=TEXT, time=TEXT, calibration=OBJECTS),
)
@pooled
def get_evaluation(run_id: str, state: State, caller: Reader) -> Json:
    found = state.workspaces.evaluations(caller.workspace).get(run_id)
    if found is None:
        raise Problem(404, f"there is no evaluation {run_id!r} in this workspace")
    return Json(found)


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
@pooled
def standing(state: State, caller: Reader) -> Json:
    return Json(_show(state, caller.workspace))


@router.post("/v1/monitor/reset", summary="Forget the outputs of all keys of this workspace", responses=STANDING)
@pooled
def reset(state: State, caller: Admin) -> Json:
    state.workspaces.reset_monitors(caller.workspace)
    return Json(_show(state, caller.workspace))


def _show(state: AppState, workspace: str) -> dict[str, object]:
    monitor = state.workspaces.monitor(workspace)
    return {"watched": state.settings.monitor, **asdict(monitor.standing), "counts": monitor.counts}
