"""`assay eval`: how well a judge, or the whole engine, does on labelled data."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import PolicyFile, ScoredJudge
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.bench.evaluate import Evaluation, Runner
    from assay.bench.judges import Examined
    from assay.bench.pipeline import Pipeline
    from assay.bench.results import Result
    from assay.bench.written import WrittenFigures
    from assay.policy import Policy

FORMATS = ("text", "json", "html")
WRITTEN = "written"  # the name under which the shipped set is evaluated
LEAST_OF_A_KIND = 10  # claims below which a rate says nothing
ENGINES = ("local", "ray")


def register(app: typer.Typer) -> None:
    app.command("eval")(evaluate)


def evaluate(
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="Files of labelled rows: JSON Lines, JSON, CSV, TSV (also .gz) or Parquet; or 'written', the set of "
            "assistants' claims that comes with Assay."
        ),
    ],
    judge: ScoredJudge = "small",
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            help="judge: each row is one claim; pipeline: the whole engine on each answer; epistemic (with 'written'): "
            "how often detect_hallucinations flags what is true.",
        ),
    ] = "judge",
    form: Annotated[str, typer.Option("--format", "-f", help="text, json or html.")] = "text",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the result to this file.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the HTML report to this file as well.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Rows of each file, chosen by the seed.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the choice of rows and of the intervals.")] = 0,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Rows judged at the same time.")] = 2,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="File that remembers judged rows, to go on after a stop.")
    ] = None,
    policy_file: PolicyFile = None,
    engine: Annotated[
        str, typer.Option("--engine", help="local, or ray: the rows spread over the cluster that RAY_ADDRESS names.")
    ] = "local",
) -> None:
    """Measure a judge or the whole engine on labelled data: accuracy, calibration, speed, with intervals."""
    from assay.bench.evaluate import Journal, find_examined, measure, run_trials
    from assay.bench.rows import read_rows
    from assay.policy import Policy

    if form not in FORMATS:
        raise UsageError(f"unknown format {form!r}; choose {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    if engine not in ENGINES:
        raise UsageError(f"unknown engine {engine!r}; choose {' or '.join(ENGINES)}")
    if paths == [Path(WRITTEN)] and not paths[0].exists():
        measured = evaluate_flags if mode == "epistemic" else evaluate_written
        text = measured(judge, Policy.load(policy_file), form, limit)
        typer.echo(text) if output is None else _write(output, text + "\n")
        return
    files = [read_rows(path).sample(limit, seed) for path in paths]
    if policy_file is not None and mode == "judge":
        raise UsageError("a policy changes what the engine does with a verdict: use it with --mode pipeline")
    policy = Policy.load(policy_file)
    examined = find_examined(judge, mode, threads, policy)
    run: Runner = run_trials
    if engine == "ray":
        from assay.bench.spread import Spread

        run = Spread(judge, mode, policy)
    journal = Journal(resume)
    done: list[Evaluation] = []
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    screen = Console(stderr=True)
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        for file in files:
            task = progress.add_task(file.path.name, total=len(file.rows))
            done.append(
                measure(
                    examined,
                    file,
                    journal=journal,
                    seed=seed,
                    step=lambda task=task: progress.advance(task),  # type: ignore[misc]
                    run=run,
                )
            )
    if html is not None:
        _write(html, _page(done, examined.name, mode))
    if form == "text" and output is None:
        show([one.result for one in done])
        return
    text = _written(form, done, examined, mode)
    if output is None:
        typer.echo(text)
    else:
        _write(output, text + "\n")


def evaluate_written(judge: str, policy: Policy, form: str, limit: int | None) -> str:
    """The written set claim by claim and answer by answer, as text or JSON; `limit` takes that many blocks."""
    from dataclasses import asdict

    from rich.console import Console
    from rich.progress import Progress

    from assay.bench.written import WrittenFigures, judge_answers, judge_claims, read_written, whole_answers
    from assay.engine.pipeline import Engine

    if form == "html":
        raise UsageError("the written set is reported as text or json; leave --format html out")
    engine, blocks = Engine(policy, judge), read_written()
    blocks = blocks[:: max(1, len(blocks) // limit)][:limit] if limit else blocks
    answers = whole_answers(blocks)
    screen = Console(stderr=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task("written", total=len(blocks) + len(answers))
        claims = WrittenFigures.of(judge_claims(engine, blocks, lambda: progress.advance(task)))
        whole = WrittenFigures.of(judge_answers(engine, answers, lambda: progress.advance(task)))
    if form == "json":
        model = str(getattr(engine.judged_by, "model", judge))
        return json.dumps(
            {"judge": judge, "model": model, "claims": asdict(claims), "answers": asdict(whole)}, indent=2
        )
    page = StringIO()
    console = Console(width=120, file=page)
    for made in written_tables(claims, whole):
        console.print(made)
    return page.getvalue().rstrip()


def evaluate_flags(judge: str, policy: Policy, form: str, limit: int | None) -> str:
    """How often the epistemic checks flag faithful and wrong claims of the written set, of `limit` blocks."""
    from assay.bench.false_flags import FlagFigures, measure_flags
    from assay.bench.written import read_written
    from assay.engine.pipeline import Engine
    from assay.epistemic import Checker, EpistemicConfig

    if form == "html":
        raise UsageError("the epistemic checks are reported as text or json; leave --format html out")
    engine, blocks = Engine(policy.but(skip_chars=0), judge), read_written()  # a short response is measured too
    blocks = blocks[:: max(1, len(blocks) // limit)][:limit] if limit else blocks
    checker = Checker(engine=engine, config=EpistemicConfig.load(policy=policy))
    figures = FlagFigures.of(measure_flags(checker, blocks))
    if form == "json":
        return json.dumps({"judge": judge, "model": engine.model, "blocks": len(blocks)} | figures.to_dict(), indent=2)
    return figures.to_text()


def written_tables(claims: WrittenFigures, whole: WrittenFigures) -> list[object]:
    """The rates of both measures side by side, then how often each verdict and each kind is judged right."""
    from rich.table import Table

    def rate(value: float | None) -> str:
        return "–" if value is None else f"{value:.1%}"

    rates = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("", f"{claims.claims} claims", f"{whole.answers} whole answers, {whole.claims} sentences"):
        rates.add_column(heading, justify="left" if not heading else "right")
    lines = {
        "right, of three verdicts": "accuracy",
        "true, called REFUTED": "false_refuted",
        "wrong or unbacked, called SUPPORTED": "false_supported",
        "not checked": "not_checked",
        "answers with a false REFUTED": "answers_with_false_refuted",
        "first quote is a deciding sentence": "first_quote",
    }
    for said, name in lines.items():
        alone = "" if name == "answers_with_false_refuted" else rate(getattr(claims, name))
        rates.add_row(said, alone, rate(getattr(whole, name)))
    for part, (share, count) in claims.by_part.items():
        among = whole.by_part.get(part)
        rates.add_row(
            f"right, part {part!r}", f"{share:.1%} of {count}", f"{among[0]:.1%} of {among[1]}" if among else "–"
        )
    kinds = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("verdict and kind", "right", "claims"):
        kinds.add_column(heading, justify="left" if heading.startswith("verdict") else "right")
    for name, (share, count) in [*claims.by_verdict.items(), *claims.by_kind.items()]:
        if count >= LEAST_OF_A_KIND or name.isupper():
            kinds.add_row(name, f"{share:.1%}", str(count))
    return [rates, "", kinds]


def _written(form: str, done: Sequence[Evaluation], examined: Examined | Pipeline, mode: str) -> str:
    if form == "html":
        return _page(done, examined.name, mode)
    if form == "text":
        from rich.console import Console

        page, results = StringIO(), [one.result for one in done]
        console = Console(width=220, file=page)
        console.print(table(results))
        console.print(sure_table(results))
        return page.getvalue().rstrip()
    from assay.bench.results import pool_sure, sure_as_dict

    found = {
        "judge": examined.name,
        "model": examined.model,
        "mode": mode,
        "files": [one.result.to_dict() for one in done],
        "right_when_sure": sure_as_dict(pool_sure([one.result for one in done])),
    }
    return json.dumps(found, indent=2)


def _page(done: Sequence[Evaluation], judge: str, mode: str) -> str:
    from assay.bench.mistakes import find_mistakes
    from assay.bench.page import render_page

    return render_page(done, find_mistakes(done, judge), judge=judge, mode=mode)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise UsageError(f"cannot write {path}: {problem.strerror or problem}") from problem


def table(results: Sequence[Result]) -> object:
    """The figures as a table for the terminal."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, header_style="dim")
    made.add_column("file", overflow="fold")
    made.add_column("measure")
    headings = "value|95 % range|macro-F1|AUC|ECE|Brier|n|not checkable|error|p50 ms|p95 ms|p99 ms|rows/s"
    for heading in headings.split("|"):
        made.add_column(heading, justify="right")
    for result in results:
        main = result.value
        made.add_row(
            Path(result.path).name,
            f"{result.task.measure.replace('_', ' ')}, {result.task.name}",
            f"{main.value:.3f}" if main else "–",
            f"{main.low:.3f}–{main.high:.3f}" if main else "–",
            *(_figure(result, name) for name in ("macro_f1", "auc", "ece", "brier")),
            str(result.n),
            str(result.n_not_checkable),
            str(result.n_error),
            *("–" if ms is None else f"{ms:.1f}" for ms in (result.p50_ms, result.p95_ms, result.p99_ms)),
            "–" if result.rows_per_second is None else f"{result.rows_per_second:.1f}",
        )
    return made


def sure_table(results: Sequence[Result]) -> object:
    """How often a sure verdict is right, file by file and over all of them."""
    from rich.table import Table

    from assay.bench.results import SURE, pool_sure

    made = Table(box=None, pad_edge=False, header_style="dim")
    made.add_column(f"right where p ≥ {SURE:g}", overflow="fold")
    pooled = pool_sure(results)
    for verdict in pooled:
        made.add_column(verdict, justify="right")
    named = [(Path(result.path).name, result.sure) for result in results]
    for name, sure in [*named, ("all together", pooled)] if len(named) > 1 else named:
        cells = (sure.get(verdict, (None, 0)) for verdict in pooled)
        made.add_row(name, *("–" if share is None else f"{share:.1%} of {count}" for share, count in cells))
    return made


def show(results: Sequence[Result]) -> None:
    """The figures as tables, then the most memory held, then the lines that could not be used."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 220)
    console.print(table(results))
    console.print(sure_table(results))
    memory = [result.peak_memory_mb for result in results if result.peak_memory_mb is not None]
    if memory:
        typer.echo(f"most memory held: {max(memory):,.0f} MB")
    for result in results:
        for problem in result.problems:
            typer.echo(f"{result.path}, {problem}", err=True)


def _figure(result: Result, name: str) -> str:
    found = result.figures[name]
    return "–" if found is None else f"{found.value:.3f}"
