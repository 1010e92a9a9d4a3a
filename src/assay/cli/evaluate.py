"""`assay eval`: how well a judge does on labelled rows."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.bench.results import Result


def register(app: typer.Typer) -> None:
    app.command("eval")(evaluate)


def evaluate(
    paths: Annotated[list[Path], typer.Argument(help="Files of labelled rows, .jsonl or .jsonl.gz.")],
    judge: Annotated[str, typer.Option("--judge", "-j", help="small, base, lexical, or a model's folder.")] = "small",
    form: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Rows of each file, chosen by the seed.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the choice of rows and of the intervals.")] = 0,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Rows judged at the same time.")] = 2,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="File that remembers judged rows, to go on after a stop.")
    ] = None,
) -> None:
    """Measure a judge on labelled rows: accuracy, calibration, speed, with intervals."""
    from assay.bench.evaluate import Journal
    from assay.bench.evaluate import evaluate as measure
    from assay.bench.judges import find_judge
    from assay.bench.rows import read_rows

    if form not in ("text", "json"):
        raise UsageError(f"unknown format {form!r}; choose text or json")
    files = [read_rows(path).sample(limit, seed) for path in paths]
    examined = find_judge(judge, threads)
    journal = Journal(resume)
    results: list[Result] = []
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    screen = Console(stderr=True)
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        for file in files:
            task = progress.add_task(file.path.name, total=len(file.rows))
            results.append(
                measure(examined, file, journal=journal, seed=seed, step=lambda task=task: progress.advance(task))  # type: ignore[misc]
            )
    if form == "json":
        found = {"judge": examined.name, "model": examined.model, "files": [result.to_dict() for result in results]}
        typer.echo(json.dumps(found, indent=2))
    else:
        show(results)


def show(results: Sequence[Result]) -> None:
    """The figures as a table, then the lines that could not be used."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("file", overflow="fold")
    table.add_column("measure")
    for heading in (
        "value",
        "95 % range",
        "macro-F1",
        "AUC",
        "ECE",
        "Brier",
        "n",
        "not checkable",
        "error",
        "p50 ms",
        "p99 ms",
    ):
        table.add_column(heading, justify="right")
    for result in results:
        main = result.figures[result.task.measure]
        table.add_row(
            Path(result.path).name,
            f"{result.task.measure.replace('_', ' ')}, {result.task.name}",
            f"{main.value:.3f}" if main else "–",
            f"{main.low:.3f}–{main.high:.3f}" if main else "–",
            *(_figure(result, name) for name in ("macro_f1", "auc", "ece", "brier")),
            str(result.n),
            str(result.n_not_checkable),
            str(result.n_error),
            *("–" if ms is None else f"{ms:.1f}" for ms in (result.p50_ms, result.p99_ms)),
        )
    Console(width=None if sys.stdout.isatty() else 200).print(table)
    for result in results:
        for problem in result.problems:
            typer.echo(f"{result.path}, {problem}", err=True)


def _figure(result: Result, name: str) -> str:
    found = result.figures[name]
    return "–" if found is None else f"{found.value:.3f}"
