"""`assay calibrate`: probabilities and cut-offs fitted to your own labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import PolicyFile, ScoredJudge, TextForm
from assay.cli.output import progress_bar, write_output
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.calibration import LabelledScores, Recalibration
    from assay.evaluation.calibration_report import CalibrationFigures
    from assay.evaluation.judges import MeasuredJudge
    from assay.evaluation.rows import LabelledRow


def calibrate(
    labels: Annotated[
        list[Path] | None, typer.Argument(help="Files of labelled rows, as for `assay eval`; about 100 are enough.")
    ] = None,
    ledger: Annotated[
        str | None, typer.Option("--ledger", help="Take the marks readers left in this ledger as labels.")
    ] = None,
    judge: ScoredJudge = "small",
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the calibration is written.")] = Path(
        "calibration.json"
    ),
    plot: Annotated[Path | None, typer.Option("--plot", help="Write an HTML page with the reliability plot.")] = None,
    take: Annotated[
        int | None, typer.Option("--take", min=20, help="Fit on so many labels only and measure on the rest.")
    ] = None,
    risk: Annotated[
        float | None, typer.Option("--risk", help="Share of passed claims that may be wrong (default 0.05).")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option("--confidence", help="How sure the promise must be (default 0.9).")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the choice of labels with --take.")] = 0,
    times: Annotated[
        int | None,
        typer.Option("--repeat", min=2, help="Fit so many times on other choices of --take labels; writes no file."),
    ] = None,
    form: TextForm = "text",
    resume: Annotated[
        Path | None, typer.Option("--resume", help="File that remembers judged rows, to go on after a stop.")
    ] = None,
    policy_file: PolicyFile = None,
) -> None:
    """Fit the probabilities, the thresholds of each document kind and an abstain cut-off to your own labels."""
    from assay.calibration import recalibrate
    from assay.config import load_policy
    from assay.evaluation.calibration_report import measure_calibration, render_calibration, repeat_fits, split_labels
    from assay.evaluation.judges import find_judge

    if times is not None and take is None:
        raise UsageError("--repeat chooses other labels each time: say how many with --take")
    if bool(labels) == bool(ledger):
        raise UsageError("say where the labels are: either files of labelled rows or --ledger")
    policy = load_policy(policy_file, calibration_risk=risk, calibration_confidence=confidence)
    rows = _from_ledger(ledger) if ledger else _from_files(labels or [])
    examined = find_judge(judge)
    judged = _judge(examined, rows, resume)
    if times is not None and take is not None:
        found = repeat_fits(judged, take, times, policy, seed)
        typer.echo(json.dumps(found.to_dict(), indent=2) if form == "json" else found.text)
        return
    chosen, rest = split_labels(judged, take, seed) if take is not None else (judged, [])
    made = recalibrate(chosen, policy, judge=examined.name, model=examined.model)
    shown = rest or chosen
    before, after = measure_calibration(shown), measure_calibration(shown, made)
    made.save(output)
    if plot is not None:
        write_output(render_calibration(made, before, after, bool(rest)), plot)
    if form == "json":
        figures = {"calibration": made.to_dict(), "before": before.to_dict(), "after": after.to_dict()}
        typer.echo(json.dumps({**figures, "held_out": bool(rest), "passed": _passed(made, rest)}, indent=2))
    else:
        show(made, before, after, rest, output)


def _from_files(paths: Sequence[Path]) -> list[LabelledRow]:
    from assay.evaluation.layouts import read_rows

    return [row for path in paths for row in read_rows(path).rows]


def _from_ledger(place: str) -> list[LabelledRow]:
    from assay.evaluation.rows import LabelledRow
    from assay.ledger import Ledger

    with Ledger(place) as opened:
        found = opened.calibration_rows()
    if not found:
        raise UsageError(f"no reader has marked a finding in {place}; mark some with `assay audit feedback` first")
    return [LabelledRow(number, row["evidence"], row["claim"], row["label"]) for number, row in enumerate(found, 1)]


def _judge(examined: MeasuredJudge, rows: Sequence[LabelledRow], resume: Path | None) -> list[LabelledScores]:
    from assay.calibration import LabelledScores
    from assay.evaluation.evaluate import Journal, evaluate_rows

    with progress_bar() as progress:
        task = progress.add_task("judging", total=len(rows))
        done = evaluate_rows(examined, rows, Journal(resume), lambda: progress.advance(task))
    for one in [one for one in done if one.prediction is None][:3]:
        typer.echo(f"line {one.row.line}: {one.problem}", err=True)
    return [
        LabelledScores.of(one.prediction.scores, one.row.label, one.row.kind)
        for one in done
        if one.prediction is not None and one.scored
    ]


def _passed(made: Recalibration, rest: Sequence[LabelledScores]) -> dict[str, float | int | None]:
    """How the promise does on labels it was not made from."""
    from assay.evaluation.calibration_report import count_passing

    passed, wrong = count_passing(made, rest)
    return {"n": passed, "wrong": round(wrong / passed, 6) if passed else None}


def show(
    made: Recalibration,
    before: CalibrationFigures,
    after: CalibrationFigures,
    rest: Sequence[LabelledScores],
    output: Path,
) -> None:
    """What changed, the thresholds, the promise, and where the calibration was written."""
    where = f"{len(after.right)} labels it was not fitted on" if rest else "the labels it was fitted on, so flattering"
    typer.echo(f"fitted on {made.labels} labels of {made.judge}; measured on {where}")
    typer.echo(f"  calibration error   {before.ece:.3f} → {after.ece:.3f}")
    typer.echo(f"  verdicts right      {before.accuracy:.3f} → {after.accuracy:.3f}")
    if before.balanced is not None and after.balanced is not None:
        typer.echo(f"  supported or not    {before.balanced:.3f} → {after.balanced:.3f} (balanced accuracy)")
    for kind, cut in made.thresholds.items():
        typer.echo(f"  {kind}: supported from {cut:.2f}")
    if made.promise is not None:
        typer.echo(f"  {made.promise.text}")
        found = _passed(made, rest)
        if found["n"]:
            typer.echo(f"  on the rest {found['n']} claims pass, {found['wrong']:.1%} of them wrong")
    typer.echo(f'written to {output}; use it with: calibration = "{output}" in a policy file')
