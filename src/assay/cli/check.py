"""`assay check`: an answer against its sources."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from glob import glob
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated, NoReturn, cast

import typer

from assay.cli import options
from assay.cli.inputs import named_sources, open_memory, read_answer, read_documents
from assay.cli.output import progress_after, write_output
from assay.config import default_fail_on, find_config, load_policy
from assay.errors import AssayError, UsageError
from assay.types import Report, Verdict

if TYPE_CHECKING:
    from assay.engine import Engine, Run, Source
    from assay.memory import Memory
    from assay.policy import Policy

FORMS = ("rich", "text", "json", "md", "html", "sarif", "github", "junit")
FAILING = {
    "refuted": {Verdict.REFUTED},
    "insufficient": {Verdict.INSUFFICIENT},
    "error": {Verdict.ERROR},
    "any": {Verdict.REFUTED, Verdict.INSUFFICIENT, Verdict.ERROR},
    "never": set(),
}


def check(
    answer: options.AnswerText,
    sources: options.SourcePaths = None,
    more_sources: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE]...", help="Further sources.", show_default=False)
    ] = None,
    source_texts: options.SourceTexts = None,
    question: options.Question = None,
    memory: options.MemoryPlace = None,
    evidence: Annotated[
        Path | None, typer.Option("--evidence", "-e", help="The evidence map the answer cites by pointer.")
    ] = None,
    judge: options.JudgeName = "cascade",
    policy_file: options.PolicyFile = None,
    preset: options.PresetName = None,
    min_confidence: options.MinConfidence = None,
    ledger: options.LedgerPlace = None,
    user: options.ForUser = "",
    branches: Annotated[
        int, typer.Option("--branches", min=0, help="Earlier attempts at this answer: from three on, ABSTAIN.")
    ] = 0,
    form: Annotated[str, options.form_option(*FORMS, envvar="ASSAY_FORMAT")] = "rich",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the report to this file.")] = None,
    sarif: Annotated[Path | None, typer.Option("--sarif", help="Write SARIF to this file as well.")] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            envvar="ASSAY_FAIL_ON",
            help="Verdicts that end with exit code 1: any, never, or e.g. refuted,error. Those of the preset: any.",
            autocompletion=options.completer(*FAILING),
        ),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="An earlier JSON report: only problems that are not in it count.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing; the exit code tells.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Check again whenever the answer or a source changes; Ctrl-C ends it.")
    ] = False,
    engine_name: Annotated[
        str | None,
        typer.Option(
            "--engine",
            help="local or ray: ANSWER is a file of many answers, as a .jsonl file always is; a row brings its own "
            "question and sources, or --sources are those of all. Reports go to --output.",
            autocompletion=options.completer("local", "ray"),
        ),
    ] = None,
) -> None:
    """Check every claim of an answer against its sources; exit code 0 grounded, 1 not, 2 usage error.

    ANSWER may be a file of many answers (.jsonl, .parquet): then --format html gives a summary of all of them, and
    sarif, github and junit name each by its id and point to its line.
    """
    from assay.batch import holds_answers
    from assay.engine import Engine, Request
    from assay.lattice import EvidenceMap

    failing = _failing(fail_on or default_fail_on(preset))
    policy = load_policy(policy_file, preset=preset, min_confidence=min_confidence)
    known = _read_baseline(baseline)
    given: list[Source] = [*named_sources([*(sources or []), *(more_sources or [])], source_texts)]
    if engine_name is not None or holds_answers(Path(answer)):
        if memory or evidence or ledger or baseline or question or watch:
            raise UsageError(
                "of many answers each brings its own question; --memory, --evidence, --ledger, --baseline and "
                "--watch are for one answer"
            )
        named = [*(sources or []), *(more_sources or [])], source_texts
        code = _check_many(Path(answer), output, form, sarif, judge, policy, engine_name, named, failing, quiet)
        raise typer.Exit(code)
    if not given and memory is None and evidence is None:
        config = find_config()
        given, memory = [*named_sources(config.sources)], config.memory
    if not given and memory is None and evidence is None:
        raise UsageError("give what to check the answer against: --sources PATH, --source-text TEXT or --memory FOLDER")
    engine = Engine(policy, judge)
    Thread(target=_warm, args=[engine], name="assay warm").start()  # while the files are read

    def check_once() -> Report:
        text, name = read_answer(answer)
        with ExitStack() as stack:
            used = list(given)
            if memory is not None:
                used.append(stack.enter_context(open_memory(memory, policy)))
                _add_monitor(engine, memory, stack)
            shown = None if evidence is None else EvidenceMap.load(evidence)
            engine.progress = None if quiet else stack.enter_context(progress_after())
            run = engine.run(Request(text, sources=used, question=question, evidence=shown, branches=branches))
            _record(run, ledger, memory, user, used[-1] if memory is not None else None)
        for flag in run.report.risk_flags:
            if flag.kind == "degenerate_verifier":  # the exit code is 1 for all claims: say why, whatever the format
                typer.echo(f"not verified: {flag.message}", err=True)
        if not quiet or output:
            _show(run.report, form, output, name)
        if sarif is not None:
            _show(run.report, "sarif", sarif, name)
        return run.report

    if watch:
        watch_files([Path(answer), *(path for path in given if isinstance(path, Path))], check_once)
    report = check_once()
    raise typer.Exit(1 if new_problems(report, failing, known) or _is_unproven(report, failing) else 0)


def _warm(engine: Engine) -> None:
    """Loads the first model; what is wrong with it is told when it is asked."""
    with suppress(Exception):
        engine.judged_by.warm_first()


def watch_files(paths: Sequence[Path], work: Callable[[], object], pause: float = 0.5) -> NoReturn:
    """Does the work now and after every change of these files or of what lies in these folders, until Ctrl-C."""
    import time

    if not paths[0].is_file():
        raise UsageError(f"--watch needs an answer file to watch, not {str(paths[0])!r}")

    def stamps() -> dict[str, tuple[int, int]]:
        found = {}
        for path in paths:
            files = path.rglob("*") if path.is_dir() else [path] if path.exists() else map(Path, glob(str(path)))  # noqa: PTH207
            for file in files:
                with suppress(OSError):  # it may be gone between the listing and the look
                    state = file.stat()
                    found[str(file)] = (state.st_mtime_ns, state.st_size)
        return found

    seen: dict[str, tuple[int, int]] | None = None
    try:
        while True:
            if (now := stamps()) != seen:
                seen = now
                try:
                    work()
                except AssayError as problem:  # a file saved half-way must not end the watch
                    typer.echo(f"assay: {problem}", err=True)
                typer.echo(f"{time.strftime('%H:%M:%S')} watching {len(now)} files; Ctrl-C ends", err=True)
            time.sleep(pause)
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


def _check_many(
    path: Path,
    output: Path | None,
    form: str,
    sarif: Path | None,
    judge: str,
    policy: Policy,
    engine: str | None,
    sources: tuple[list[str], list[str] | None],
    failing: set[Verdict],
    quiet: bool,
) -> int:
    """The exit code of a file of answers; reports go to the output, a line or row each, or one text about all does."""
    from assay.batch import check_file, name_answer
    from assay.render import POINTING, render_rows

    whole = form == "html" or form in POINTING
    if not whole and form not in ("rich", "text", "json"):
        raise UsageError(f"many answers are shown as rich, text, json, html, {' or '.join(POINTING)}, not as {form}")
    if sarif is not None and output is not None and not whole:
        raise UsageError("reports of many answers go to --output or, as SARIF, to --sarif: leave one of them out")
    with progress_after() as step:
        shared = read_documents(*sources) if any(sources) else []
        done = check_file(
            path,
            None if whole else output,
            judge=judge,
            policy=policy,
            engine=engine or "local",
            shared=shared,
            step=None if quiet else step,
        )
    problems = [f"{path}, line {line}: {problem}" for line, problem in done.problems]
    if sarif is not None:
        write_output(render_rows(done.rows(shared), "sarif", answer_uri=str(path)), sarif)
    if form in POINTING and (output or not quiet):
        write_output(render_rows(done.rows(shared), form, answer_uri=str(path)), output)
    elif form == "html" and (output or not quiet):
        from assay.render.batch import render_batch

        write_output(render_batch([(name_answer(e), e["report"]) for e in done.entries], problems), output)
    elif form == "json" and output is None and not quiet:
        write_output("".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in done.entries))
    elif not quiet:
        from assay.render.plain import name_verdict

        for entry in done.entries:
            report = entry["report"]
            wrong = [claim["text"] for claim in report["claims"] if Verdict(claim["verdict"]) in FAILING["any"]]
            typer.echo(f"{name_answer(entry)}: {name_verdict(report['verdict'])}" + (f"  {wrong[0]}" if wrong else ""))
        counts = ", ".join(f"{count} {name_verdict(verdict)}" for verdict, count in sorted(done.verdicts.items()))
        kept = f"; reports in {output}" if output else ""
        typer.echo(f"{done.checked} answers checked ({done.resumed} before): {counts or 'none'}{kept}")
    for problem in problems if not quiet else ():
        typer.echo(problem, err=True)
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
    from assay.render import render

    if form == "rich" and output is None:
        from rich.console import Console

        from assay.render.terminal import render_terminal

        Console().print(render_terminal(report))
        return
    write_output(render(report, form, answer_uri=name), output)
