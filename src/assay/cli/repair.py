"""`assay repair`: an answer corrected to what its sources say, shown as a diff with the quotes."""

from __future__ import annotations

import difflib
import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli import options
from assay.cli.inputs import named_sources, open_memory, read_answer
from assay.cli.output import progress_after
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.repair import RepairResult


def repair(
    answer: options.AnswerText,
    sources: options.SourcePaths = None,
    source_texts: options.SourceTexts = None,
    question: options.Question = None,
    memory: options.MemoryPlace = None,
    model: Annotated[
        str | None, typer.Option("--model", help="A generator to revise with; without one only edits are made.")
    ] = None,
    judge: options.JudgeName = "cascade",
    keep: Annotated[bool, typer.Option("--keep", help="Correct only; take nothing out and mark nothing.")] = False,
    policy_file: options.PolicyFile = None,
    form: Annotated[str, options.form_option("diff", "text", "json")] = "diff",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the repaired answer to this file.")
    ] = None,
) -> None:
    """Repair an answer; exit code 0 if it then passes, 1 if something in it is still unsupported, 2 usage error."""
    from assay.config import load_policy
    from assay.engine import Engine
    from assay.repair import repair as mend
    from assay.repair.score import passes
    from assay.repair.strategies import STRATEGIES

    given = named_sources(sources, source_texts)
    if not given and memory is None:
        raise UsageError("give the sources to repair by: --sources PATH, --source-text TEXT or --memory FOLDER")
    text, name = read_answer(answer)
    policy = load_policy(policy_file)
    with ExitStack() as stack:
        opened = None if memory is None else stack.enter_context(open_memory(memory, policy))
        engine = Engine(policy, judge)
        engine.progress = stack.enter_context(progress_after())
        result = mend(
            question,
            text,
            generator=model,
            memory=opened,
            sources=given,
            strategies=[strategy for strategy in STRATEGIES if not (keep and strategy == "edit")],
            engine=engine,
        )
    if output is not None:
        try:
            output.write_text(result.answer, encoding="utf-8")
        except OSError as problem:
            raise UsageError(f"cannot write {output}: {problem.strerror or problem}") from problem
    if form == "json":
        typer.echo(json.dumps(result.to_dict(), ensure_ascii=False, indent=2))
    else:
        typer.echo(result.answer if form == "text" else render_diff(result, name))
    raise typer.Exit(0 if passes(result.report) else 1)


def render_diff(result: RepairResult, name: str = "answer") -> str:
    """A unified diff, then each change with the words of the source behind it, then what is still unsupported."""
    lines = list(
        difflib.unified_diff(
            result.original.splitlines(), result.answer.splitlines(), name, f"{name} (repaired)", lineterm=""
        )
    )
    lines = lines or ["nothing was changed"]
    for edit in result.edits:
        old, new = edit.old.strip(), edit.new.strip()
        lines += ["", f"{edit.kind}: “{old}” → “{new}”" if new else f"{edit.kind}: “{old}” taken out"]
        lines.append(f"  because {edit.reason}")
        if edit.evidence is not None:
            lines.append(f"  {edit.evidence.document}: “{' '.join(edit.evidence.quote.split())}”")
    lines += ["", f"stopped: {result.stopped}", *(f"warning: {warning}" for warning in result.warnings)]
    return "\n".join(lines)
