"""An evaluation over a cluster: the rows that the journal does not know go out, and are noted as they come back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from assay.bench.evaluate import find_examined, judge_row
from assay.bench.journal import Journal, Trial
from assay.bench.judges import Examined, Opinion
from assay.bench.pipeline import Pipeline
from assay.bench.rows import Row
from assay.encoder.scores import Scores
from assay.integrations.cluster import ActorSpec, Task, run_on_cluster
from assay.policy import Policy
from assay.types import Span, Verdict


@dataclass(frozen=True)
class Spread:
    """A runner of trials for `measure`; each actor opens the judge anew, with one thread."""

    judge: str
    mode: str = "judge"
    policy: Policy | None = None
    actors: int | None = None

    def __call__(
        self, judge: Examined | Pipeline, rows: Sequence[Row], journal: Journal, step: Callable[[], None]
    ) -> list[Trial]:
        found = [journal.find(judge, row) for row in rows]
        for trial in found:
            if trial is not None:
                step()
        waiting = [number for number, trial in enumerate(found) if trial is None]
        workshop = ActorSpec(open_judge, {"judge": self.judge, "mode": self.mode, "policy": self.policy})
        for number, result in run_on_cluster(workshop, [asdict(rows[n]) for n in waiting], self.actors):
            place = waiting[number]
            trial = found[place] = read_trial(rows[place], result)
            journal.keep(judge, trial)
            step()
        return [trial for trial in found if trial is not None]


def open_judge(judge: str, mode: str, policy: Policy | None) -> Callable[[Task], Task]:
    """What an actor does with a row, once its judge is open."""
    examined = find_examined(judge, mode, 1, policy)

    def work(task: Task) -> Task:
        return write_trial(judge_row(examined, read_row(task)))

    return work


def read_row(task: Task) -> Row:
    """A row as it came over the wire."""
    spans = task["spans"]
    row = Row(**{**task, "contexts": tuple(task["contexts"]), "spans": None})
    return row if spans is None else replace(row, spans=tuple(Span(**span) for span in spans))


def write_trial(trial: Trial) -> dict[str, Any]:
    """A trial without its row, which stayed where it was."""
    said = trial.opinion
    return {
        "verdict": said.verdict.value if said else None,
        "scores": [said.scores.supported, said.scores.refuted, said.scores.insufficient] if said else None,
        "problem": trial.problem,
        "ms": trial.ms,
        "detail": trial.detail,
    }


def read_trial(row: Row, result: Task) -> Trial:
    """The trial of a row from what an actor sent back."""
    said = Opinion(Verdict(result["verdict"]), Scores(*result["scores"])) if result["verdict"] else None
    return Trial(row, said, result["problem"], result["ms"], detail=result["detail"])
