"""The same work on a Ray cluster: actors hold the model, results come back as they are ready."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from assay.errors import missing_extra

Task = dict[str, Any]
Work = Callable[[Task], Task]
_A_BATCH = 8  # rows an actor takes at once: few enough that a stop loses little


@dataclass(frozen=True)
class ActorSpec:
    """What an actor runs: an importable function that opens the worker, and its arguments; both are pickled."""

    open: Callable[..., Work]
    settings: Task


class RowActor:
    """One actor: opened once, then given batch after batch. Tasks and results travel as JSON."""

    def __init__(self, spec: ActorSpec) -> None:
        self._work = spec.open(**spec.settings)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        results = [json.dumps(self._work(json.loads(task))) for task in batch["task"]]
        return {"number": batch["number"], "result": results}


def run_on_cluster(spec: ActorSpec, tasks: Sequence[Task], actors: int | None = None) -> Iterator[tuple[int, Task]]:
    """Each task's number and result, in the order in which they are done.

    Joins the cluster that RAY_ADDRESS names, else starts one on this machine and stops it at the end. Ray's usage
    reports are off: nothing leaves the cluster.
    """
    if not tasks:
        return
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        ray, data = import_module("ray"), import_module("ray.data")
    except ImportError as problem:
        raise missing_extra("--engine ray", "ray") from problem
    own = not ray.is_initialized()
    if own:
        ray.init(include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    try:
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        settings = data.DataContext.get_current()
        settings.enable_progress_bars = settings.print_on_execution_start = False
        count = actors or max(1, int(ray.cluster_resources().get("CPU", 1)))
        items = [{"number": number, "task": json.dumps(task)} for number, task in enumerate(tasks)]
        done = data.from_items(items, override_num_blocks=min(len(items), 4 * count)).map_batches(
            RowActor,
            fn_constructor_args=(spec,),
            batch_size=_A_BATCH,
            num_cpus=1,
            compute=data.ActorPoolStrategy(min_size=1, max_size=count),
        )
        for row in done.iter_rows():
            yield int(row["number"]), json.loads(row["result"])
    finally:
        if own:
            ray.shutdown()
