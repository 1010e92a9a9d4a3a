"""`assay eval`: how well a judge, or the whole engine, does on labelled data."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import PolicyFile, PresetName, ScoredJudge, completer, form_option
from assay.cli.output import progress_bar, write_output
from assay.errors import UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from assay.evaluation.evaluate import Evaluation, Runner
    from assay.evaluation.judges import MeasuredJudge
    from assay.evaluation.results import Result
    from assay.evaluation.written import WrittenBlock
    from assay.policy import Policy

WRITTEN = "written"  # the name under which the shipped set is evaluated
ENGINES = ("local", "ray")


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
            autocompletion=completer("judge", "pipeline", "epistemic"),
        ),
    ] = "judge",
    form: Annotated[str, form_option("text", "json", "html")] = "text",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the result to this file.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the HTML report to this file as well.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Rows of each file, chosen by the seed.")] = None,
    part: Annotated[
        list[str] | None,
        typer.Option("--part", help="With 'written': only this part of the set; may be given more than once."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the choice of rows and of the intervals.")] = 0,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Rows judged at the same time.")] = 2,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="File that remembers judged rows, to go on after a stop.")
    ] = None,
    policy_file: PolicyFile = None,
    preset: PresetName = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            help="local, or ray: the rows spread over the cluster that RAY_ADDRESS names.",
            autocompletion=completer("local", "ray"),
        ),
    ] = "local",
) -> None:
    """Measure a judge or the whole engine on labelled data: accuracy, calibration, speed, with intervals."""
    from assay.config import load_policy
    from assay.evaluation.evaluate import ClusterRunner, Journal, evaluate_rows, measure
    from assay.evaluation.judges import find_judge
    from assay.evaluation.layouts import read_rows

    if engine not in ENGINES:
        raise UsageError(f"unknown engine {engine!r}; choose {' or '.join(ENGINES)}")
    if paths == [Path(WRITTEN)] and not paths[0].exists():
        policy = load_policy(policy_file, preset=preset)
        blocks = written_blocks(part or (), limit)
        if mode == "epistemic":
            write_output(evaluate_flags(judge, policy, form, blocks), output)
        else:
            write_output(evaluate_written(judge, policy, form, blocks, preset), output)
        return
    if part:
        raise UsageError("--part chooses parts of the set 'written'; leave it out for files of rows")
    files = [read_rows(path).sample(limit, seed) for path in paths]
    if policy_file is not None and mode == "judge":
        raise UsageError("a policy changes what the engine does with a verdict: use it with --mode pipeline")
    policy = load_policy(policy_file, preset=preset)
    examined = find_judge(judge, threads, mode, policy)
    run: Runner = ClusterRunner(judge, mode, policy) if engine == "ray" else evaluate_rows
    journal = Journal(resume)
    done: list[Evaluation] = []
    with progress_bar() as progress:
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
        write_output(_page(done, examined.name, mode), html)
    if form == "text" and output is None:
        show([one.result for one in done])
        return
    write_output(_written(form, done, examined, mode), output)


def written_blocks(parts: Sequence[str], limit: int | None) -> list[WrittenBlock]:
    """The blocks of some parts of the written set, or of all; `limit` takes that many, spread over them."""
    from assay.evaluation.written import read_written

    blocks = read_written()
    known = list(dict.fromkeys(block.part for block in blocks))
    if unknown := [name for name in parts if name not in known]:
        raise UsageError(f"the written set has no part {unknown[0]!r}; its parts are {', '.join(known)}")
    blocks = [block for block in blocks if not parts or block.part in parts]
    return blocks[:: max(1, len(blocks) // limit)][:limit] if limit else blocks


def evaluate_written(
    judge: str, policy: Policy, form: str, blocks: Sequence[WrittenBlock], preset: str | None = None
) -> str:
    """The written set claim by claim and answer by answer, as text or JSON."""
    from dataclasses import asdict

    from assay.engine.pipeline import Engine
    from assay.evaluation.terminal import written_tables
    from assay.evaluation.written import WrittenFigures, judge_answers, judge_claims, whole_answers

    if form == "html":
        raise UsageError("the written set is reported as text or json; leave --format html out")
    engine = Engine(policy, judge)
    answers = whole_answers(blocks)
    with progress_bar() as progress:
        task = progress.add_task("written", total=len(blocks) + len(answers))
        claims = WrittenFigures.of(judge_claims(engine, blocks, lambda: progress.advance(task)))
        whole = WrittenFigures.of(judge_answers(engine, answers, lambda: progress.advance(task)))
    if form == "json":
        model = engine.model
        return json.dumps(
            {"judge": judge, "preset": preset, "model": model, "claims": asdict(claims), "answers": asdict(whole)},
            indent=2,
        )
    return _drawn(written_tables(claims, whole), 120)


def evaluate_flags(judge: str, policy: Policy, form: str, blocks: Sequence[WrittenBlock]) -> str:
    """How often the epistemic checks flag faithful and wrong claims of blocks of the written set."""
    from assay.engine.pipeline import Engine
    from assay.epistemic import Checker, EpistemicConfig
    from assay.evaluation.false_flags import FlagFigures, measure_flags

    if form == "html":
        raise UsageError("the epistemic checks are reported as text or json; leave --format html out")
    engine = Engine(policy, judge)
    config = EpistemicConfig.load(policy=policy, skip_chars=0)  # a short response is measured too
    checker = Checker(engine=engine, config=config)
    with progress_bar() as progress:
        task = progress.add_task("written", total=len(blocks))
        figures = FlagFigures.of(measure_flags(checker, blocks, lambda: progress.advance(task)))
    if form == "json":
        return json.dumps({"judge": judge, "model": engine.model, "blocks": len(blocks)} | figures.to_dict(), indent=2)
    return figures.to_text()


def _written(form: str, done: Sequence[Evaluation], examined: MeasuredJudge, mode: str) -> str:
    if form == "html":
        return _page(done, examined.name, mode)
    if form == "text":
        from assay.evaluation.terminal import result_tables

        return _drawn(result_tables([one.result for one in done]), 220)
    from assay.evaluation.results import pool_sure, sure_as_dict

    found = {
        "judge": examined.name,
        "model": examined.model,
        "mode": mode,
        "files": [one.result.to_dict() for one in done],
        "right_when_sure": sure_as_dict(pool_sure([one.result for one in done])),
    }
    return json.dumps(found, indent=2)


def _drawn(tables: Sequence[RenderableType], width: int) -> str:
    """What a terminal of this width would show, without colour."""
    from rich.console import Console

    page = StringIO()
    Console(width=width, file=page).print(*tables, sep="\n")
    return page.getvalue().rstrip()


def _page(done: Sequence[Evaluation], judge: str, mode: str) -> str:
    from assay.evaluation.page import find_mistakes, render_evaluation

    return render_evaluation(done, find_mistakes(done, judge), judge=judge, mode=mode)


def show(results: Sequence[Result]) -> None:
    """The figures as tables, then the most memory held, then the lines that could not be used."""
    from rich.console import Console

    from assay.evaluation.terminal import result_tables

    console = Console(width=None if sys.stdout.isatty() else 220)
    console.print(*result_tables(results), sep="\n")
    memory = [result.peak_memory_mb for result in results if result.peak_memory_mb is not None]
    if memory:
        typer.echo(f"most memory held: {max(memory):,.0f} MB")
    for result in results:
        for problem in result.problems:
            typer.echo(f"{result.path}, {problem}", err=True)
