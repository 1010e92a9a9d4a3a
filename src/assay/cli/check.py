"""`assay check`: an answer against its sources."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from assay.cli.inputs import named_sources, open_memory, read_answer
from assay.cli.options import AnswerText, JudgeName, MemoryPlace, PolicyFile, Question, SourcePaths, SourceTexts
from assay.cli.output import write_output
from assay.errors import UsageError
from assay.types import Report, Verdict

if TYPE_CHECKING:
    from assay.engine import Engine, Run, Source
    from assay.lattice import EvidenceMap
    from assay.memory import Memory

FAILING = {
    "refuted": {Verdict.REFUTED},
    "insufficient": {Verdict.INSUFFICIENT},
    "error": {Verdict.ERROR},
    "any": {Verdict.REFUTED, Verdict.INSUFFICIENT, Verdict.ERROR},
    "never": set(),
}


def register(app: typer.Typer) -> None:
    app.command("check")(check)


def check(
    answer: AnswerText,
    sources: SourcePaths = None,
    more_sources: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE]...", help="Further sources.", show_default=False)
    ] = None,
    source_texts: SourceTexts = None,
    question: Question = None,
    memory: MemoryPlace = None,
    evidence: Annotated[
        Path | None, typer.Option("--evidence", "-e", help="The evidence map the answer cites by pointer.")
    ] = None,
    judge: JudgeName = "cascade",
    policy_file: PolicyFile = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            "--ledger", envvar="ASSAY_LEDGER", help="Record the check in this ledger; else in that of the memory."
        ),
    ] = None,
    user: Annotated[str, typer.Option("--user", envvar="ASSAY_USER", help="For whom it is recorded.")] = "",
    branches: Annotated[
        int,
        typer.Option("--branches", min=0, help="Earlier attempts at this answer: from three on, ABSTAIN."),
    ] = 0,
    form: Annotated[str, typer.Option("--format", "-f", help="rich, text, json, md, html or sarif.")] = "rich",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the report to this file.")] = None,
    fail_on: Annotated[
        str, typer.Option("--fail-on", help="Verdicts that end with exit code 1: any, never, or e.g. refuted,error.")
    ] = "any",
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", help="An earlier JSON report: only problems that are not in it count."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing; the exit code tells.")] = False,
    engine_name: Annotated[
        str | None,
        typer.Option(
            "--engine",
            help="local or ray: ANSWER is a file of many answers, each with its sources; reports go to --output.",
        ),
    ] = None,
) -> None:
    """Check every claim of an answer against its sources; exit code 0 grounded, 1 not, 2 usage error."""
    from assay.engine import Engine, Request
    from assay.policy import Policy
    from assay.render import find_renderer

    failing = _failing(fail_on)
    if engine_name is not None:
        if sources or more_sources or source_texts or memory or evidence or ledger or baseline or question:
            raise UsageError("with --engine each row of the file brings its own question and sources; leave them out")
        raise typer.Exit(_check_many(Path(answer), output, judge, policy_file, engine_name, failing, quiet))
    find_renderer(form)  # a format that does not exist is said before any work is done
    known = _read_baseline(baseline)
    text, name = read_answer(answer)
    policy = Policy.load(policy_file)
    given: list[Source] = [*named_sources([*(sources or []), *(more_sources or [])], source_texts)]
    if not given and memory is None and evidence is None:
        raise UsageError("give what to check the answer against: --sources PATH, --source-text TEXT or --memory FOLDER")
    engine = Engine(policy, judge)
    with ExitStack() as stack:
        if memory is not None:
            given.append(stack.enter_context(open_memory(memory, policy)))
            _add_monitor(engine, memory, stack)
        shown = _read_map(evidence)
        run = engine.run(Request(text, sources=given, question=question, evidence=shown, branches=branches))
        _record(run, ledger, memory, user, given[-1] if memory is not None else None)
        report = run.report
    for flag in report.risk_flags:
        if flag.kind == "degenerate_verifier":  # the exit code is 1 for all claims: say why, whatever the format
            typer.echo(f"not verified: {flag.message}", err=True)
    if not quiet or output:
        _show(report, form, output, name)
    raise typer.Exit(1 if new_problems(report, failing, known) or _is_unproven(report, failing) else 0)


def _check_many(
    path: Path,
    output: Path | None,
    judge: str,
    policy_file: Path | None,
    engine: str,
    failing: set[Verdict],
    quiet: bool,
) -> int:
    """The exit code of a file of answers; the reports go to the output, a line or row each."""
    from assay.batch import check_file
    from assay.policy import Policy

    if output is None:
        raise UsageError("say where the reports go: --output reports.jsonl (or .parquet)")
    done = check_file(path, output, judge=judge, policy=Policy.load(policy_file), engine=engine)
    if not quiet:
        for line, problem in done.problems:
            typer.echo(f"{path}, line {line}: {problem}", err=True)
        counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(done.verdicts.items()))
        typer.echo(f"{done.checked} answers checked ({done.resumed} before): {counts or 'none'}; reports in {output}")
    found = {Verdict(verdict) for verdict in done.claims}
    return 1 if found & failing or (done.problems and Verdict.ERROR in failing) else 0


def new_problems(report: Report, failing: set[Verdict], known: set[str]) -> list[str]:
    """The texts of failing claims that the baseline does not hold."""
    return [f.text for f in report.findings if f.verdict in failing and claim_key(f.text) not in known]


def _is_unproven(report: Report, failing: set[Verdict]) -> bool:
    """Whether every claim is supported and the answer is still not grounded: its pointers or quotes do not hold."""
    supported = all(finding.verdict is Verdict.SUPPORTED for finding in report.checkable)
    return supported and report.grounded is False and Verdict.INSUFFICIENT in failing


def claim_key(text: str) -> str:
    """What makes two claims the same between runs: their words, not their place."""
    from assay.text.normalise import fold

    return fold(text).text


def _add_monitor(engine: Engine, memory: str, stack: ExitStack) -> None:
    """Gives the engine a monitor and a persistent cache beside the memory."""
    from assay.cache import Cache
    from assay.engine.store import EngineStore
    from assay.monitors import Monitor
    from assay.storage.database import is_postgres

    if not is_postgres(memory) and not os.access(memory, os.W_OK):
        return  # a memory that can only be read can still be checked against
    store = stack.enter_context(EngineStore(memory))
    engine.monitor = Monitor(store, engine.policy)
    engine.cache = Cache(store)


def _record(run: Run, ledger: str | None, memory: str | None, user: str, held: Source | None) -> None:
    """Writes the run down where it was asked for, else beside the memory it was made against, if there is one."""
    place = ledger or memory
    if place is None:
        return
    from assay.errors import LedgerError
    from assay.ledger import Ledger

    try:
        with Ledger(place) as kept:
            kept.record(run, user=user, memory=cast("Memory | None", held))
    except LedgerError as problem:
        if ledger is not None:
            raise
        typer.echo(f"not recorded: {problem}", err=True)  # a memory that can only be read can still be checked against


def _read_map(path: Path | None) -> EvidenceMap | None:
    if path is None:
        return None
    from assay.lattice import EvidenceMap

    return EvidenceMap.load(path)


def _failing(words: str) -> set[Verdict]:
    chosen: set[Verdict] = set()
    for word in words.lower().split(","):
        if word.strip() not in FAILING:
            raise UsageError(f"--fail-on takes {', '.join(FAILING)}; not {word.strip()!r}")
        chosen |= FAILING[word.strip()]
    return chosen


def _read_baseline(path: Path | None) -> set[str]:
    if path is None:
        return set()
    import json

    hint = "make one with: assay check ANSWER --sources … --format json --output baseline.json"
    try:
        claims = json.loads(path.read_text(encoding="utf-8"))["claims"]
        passed = {Verdict.SUPPORTED.value, Verdict.NOT_CHECKABLE.value}
        return {claim_key(claim["text"]) for claim in claims if claim["verdict"] not in passed}
    except OSError as problem:
        raise UsageError(f"cannot read the baseline {path}: {problem.strerror or problem}; {hint}") from problem
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise UsageError(f"{path} is not a JSON report of Assay; {hint}") from problem


def _show(report: Report, form: str, output: Path | None, name: str) -> None:
    from assay.render import find_renderer, render_sarif

    if form == "rich" and output is None:
        from rich.console import Console

        from assay.render.terminal import render_terminal

        Console().print(render_terminal(report))
        return
    text = render_sarif(report, answer_uri=name) if form == "sarif" else find_renderer(form)(report)
    write_output(text, output)
