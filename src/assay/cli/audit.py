"""`assay audit`: what was checked, whether the record is whole, and whether it still holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.inputs import open_workspace, read_documents
from assay.cli.options import PolicyFile, RichForm, complete_judge, form_option
from assay.cli.output import progress_after, write_output
from assay.errors import UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from assay.engine import Engine
    from assay.ledger import Ledger
    from assay.memory import Memory
    from assay.types import Document

Place = Annotated[
    str | None,
    typer.Option("--ledger", "-l", help="File, folder or postgresql:// address of the ledger; else ASSAY_LEDGER."),
]
MemoryPlace = Annotated[
    str | None, typer.Option("--memory", "-m", help="An evidence memory; without --ledger, the ledger kept beside it.")
]
Workspace = Annotated[str, typer.Option("--workspace", "-w", envvar="ASSAY_WORKSPACE", help="Which chain of it.")]
Sources = Annotated[
    list[str] | None, typer.Option("--sources", "-s", help="A file, folder or glob with the sources now; repeatable.")
]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, as 'assay audit list' gives it.")]
JudgeName = Annotated[
    str | None, typer.Option("--judge", "-j", help="Another judge than the run's own.", autocompletion=complete_judge)
]
User = Annotated[str, typer.Option("--user", "-u", envvar="ASSAY_USER", help="Who does this.")]

audit = typer.Typer(name="audit", help="Show, prove, replay and look after the ledger.", no_args_is_help=True)


@audit.command("list")
def list_runs(
    ledger: Place = None,
    memory: MemoryPlace = None,
    workspace: Workspace = "default",
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many, the newest first.")] = 20,
    results: Annotated[bool, typer.Option("--results", help="A line for each claim instead: the log.")] = False,
    abstained: Annotated[
        bool, typer.Option("--abstained", help="Only runs that ended without an answer, and why.")
    ] = False,
    form: RichForm = "rich",
) -> None:
    """List the last runs, or with --results their claims one by one."""
    with _open(ledger, memory, workspace) as held:
        if results:
            lines = held.log(limit)
            _print([line.to_dict() for line in lines], form, lambda: _tables().log_table(lines))
            return
        runs = held.runs(limit, abstained=abstained)
    _print([run.to_dict() for run in runs], form, lambda: _tables().run_table(runs))


@audit.command("show")
def show(
    run: RunId,
    ledger: Place = None,
    memory: MemoryPlace = None,
    workspace: Workspace = "default",
    form: RichForm = "rich",
) -> None:
    """Show a run: for whom, when, how long, at what cost, and every finding with what readers said."""
    with _open(ledger, memory, workspace) as held:
        stored = held.get(run)
        marks = held.marks(stored.id)
    data = {**stored.to_dict(), "feedback": [mark.to_dict() for mark in marks]}
    _print(data, form, lambda: _tables().run_view(stored, marks))


@audit.command("verify")
def verify(
    ledger: Place = None,
    memory: MemoryPlace = None,
    workspace: Annotated[
        str | None, typer.Option("--workspace", "-w", envvar="ASSAY_WORKSPACE", help="Only this chain.")
    ] = None,
    head: Annotated[
        str | None,
        typer.Option(
            "--expect-head", "--head", help="COUNT:HASH of this chain, written down earlier; it must hold it."
        ),
    ] = None,
    form: RichForm = "rich",
) -> None:
    """Prove that nothing was changed, removed or reordered; exit code 1 and the first bad record if not."""
    with _open(ledger, memory, workspace or "default") as held:
        names = [workspace] if workspace else held.workspaces()
        if head and len(names) != 1:
            raise UsageError(f"--expect-head is about one chain; choose one with --workspace: {', '.join(names)}")
        with progress_after():
            found = [(name, held.within(name).verify(head), held.within(name).head()) for name in names]
    data = [
        {
            "workspace": name,
            "whole": broken is None,
            "broken": None if broken is None else {"record": broken.sequence, "reason": broken.reason},
            "records": end[0] if end else 0,
            "head": end[1] if end else None,
        }
        for name, broken, end in found
    ]
    _print(data, form, lambda: _tables().proof_lines(data))
    raise typer.Exit(1 if any(broken for _, broken, _ in found) else 0)


@audit.command("replay")
def replay(
    runs: Annotated[list[str] | None, typer.Argument(metavar="[RUN]...", help="Ids of runs.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every run that can still be read.")] = False,
    ledger: Place = None,
    memory: Annotated[str | None, typer.Option("--memory", "-m", help="Sources as they are now, in a memory.")] = None,
    sources: Sources = None,
    workspace: Workspace = "default",
    policy_file: PolicyFile = None,
    judge: JudgeName = None,
    form: RichForm = "rich",
) -> None:
    """Run the stored inputs again with the policy of today; exit code 1 if a verdict differs, with the reason."""
    if bool(runs) == every:
        raise UsageError("give the id of a run, or --all")
    with _open(ledger, memory, workspace) as held, _current(memory, sources, workspace, needed=False) as now:
        chosen = runs or [run.id for run in held.runs(len(held))]
        with progress_after() as step:
            done = []
            for number, run in enumerate(chosen, 1):
                done.append(held.replay(run, _engine(held, run, policy_file, judge), current=now))
                step("runs", number, len(chosen))
    _print([item.to_dict() for item in done], form, lambda: _tables().replay_view(done))
    raise typer.Exit(0 if all(item.identical for item in done) else 1)


@audit.command("stale")
def stale(
    reverify: Annotated[bool, typer.Option("--reverify", help="Check them again, and only them.")] = False,
    ledger: Place = None,
    memory: Annotated[str | None, typer.Option("--memory", "-m", help="Sources as they are now, in a memory.")] = None,
    sources: Sources = None,
    workspace: Workspace = "default",
    policy_file: PolicyFile = None,
    judge: JudgeName = None,
    user: User = "",
    form: RichForm = "rich",
) -> None:
    """List the findings whose sources have changed or are gone; exit code 1 if there are any left."""
    with _open(ledger, memory, workspace) as held, _current(memory, sources, workspace) as now:
        assert now is not None
        with progress_after():
            found = held.stale(now)
        if not reverify:
            _print([item.to_dict() for item in found], form, lambda: _tables().stale_table(found))
            raise typer.Exit(1 if found else 0)
        engines: dict[str, Engine | None] = {item.run_id: None for item in found}
        if policy_file or judge:
            engines = {run: _engine(held, run, policy_file, judge) for run in engines}
        with progress_after() as step:
            done = []
            for number, (run, engine) in enumerate(engines.items(), 1):
                changed = [item for item in found if item.run_id == run]
                done += held.reverify(changed, engine, current=now, user=user)
                step("runs", number, len(engines))
    _print([item.to_dict() for item in done], form, lambda: _tables().recheck_table(done))


@audit.command("feedback")
def feedback(
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="Id of a run.")] = None,
    claim: Annotated[
        int | None, typer.Argument(metavar="[CLAIM]", help="Number of the finding, as 'show' counts it, from 1.")
    ] = None,
    right: Annotated[bool | None, typer.Option("--right/--wrong", help="Whether the finding is right.")] = None,
    should_be: Annotated[str | None, typer.Option("--should-be", help="SUPPORTED, REFUTED or INSUFFICIENT.")] = None,
    note: Annotated[str, typer.Option("--note", help="Why.")] = "",
    user: User = "",
    rows: Annotated[bool, typer.Option("--rows", help="All marks as labelled rows, for 'assay calibrate'.")] = False,
    ledger: Place = None,
    memory: MemoryPlace = None,
    workspace: Workspace = "default",
    form: RichForm = "rich",
) -> None:
    """Mark a finding right or wrong; without a claim, list the marks; with --rows, write them as JSON lines."""
    with _open(ledger, memory, workspace) as held:
        if rows:
            write_output("".join(json.dumps(row) + "\n" for row in held.calibration_rows()))
            return
        if run is None or claim is None:
            marks = held.marks(run)
            _print([mark.to_dict() for mark in marks], form, lambda: _tables().mark_table(marks))
            return
        if right is None:
            raise UsageError("say --right or --wrong")
        mark = held.feedback(run, claim - 1, right, note, user, verdict=should_be)
    _print(mark.to_dict(), form, lambda: _tables().mark_table([mark]))


@audit.command("purge")
def purge(
    days: Annotated[
        int | None,
        typer.Option("--days", min=0, help="Keep this many days; else the workspace's own retention, or the policy's."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    ledger: Place = None,
    memory: MemoryPlace = None,
    workspace: Workspace = "default",
    policy_file: PolicyFile = None,
    form: RichForm = "rich",
) -> None:
    """Empty records older than the retention; what is left of them keeps the chain provable."""
    from assay.config import load_policy

    policy = load_policy(policy_file)
    with _open(ledger, memory, workspace) as held:
        own = held.own_retention()
        kept = days if days is not None else policy.retention_days if own is None else own
        if not yes and not typer.confirm(f"Empty all records of {workspace!r} older than {kept} days for good?"):
            raise typer.Exit(1)
        with _current(memory, None, workspace, needed=False) as now, progress_after():
            count = held.purge(kept, memory=now if memory else None)  # type: ignore[arg-type]
    _print({"emptied": count, "days": kept}, form, lambda: f"{count} records emptied; the chain still holds them")


@audit.command("retention")
def retention(
    days: Annotated[
        int | None, typer.Option("--days", min=1, help="Keep the records of the workspace so long.")
    ] = None,
    ledger: Place = None,
    memory: MemoryPlace = None,
    workspace: Workspace = "default",
    user: User = "",
    form: RichForm = "rich",
) -> None:
    """Show or set for how many days a workspace keeps its records; 'purge' and 'assay serve' go by it."""
    from assay.config import load_policy

    with _open(ledger, memory, workspace) as held:
        if days is not None:
            held.set_retention(days, user=user)
        own = held.own_retention()
    kept = load_policy().retention_days if own is None else own
    says = f"{workspace}: {kept} days" + ("" if own is not None else " (the policy's retention_days)")
    _print({"workspace": workspace, "days": kept, "own": own is not None}, form, lambda: says)


@audit.command("export")
def export(
    run: RunId,
    form: Annotated[str, form_option("json", "md", "html", "csv")] = "md",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    ledger: Place = None,
    memory: MemoryPlace = None,
    workspace: Workspace = "default",
) -> None:
    """Write the evidence ledger of a run as JSON, Markdown, HTML or CSV."""
    with _open(ledger, memory, workspace) as held:
        text = held.export(run, form)
    write_output(text, output)


def _open(place: str | None, memory: str | None, workspace: str) -> Ledger:
    """The ledger there is; looking at one must not make one."""
    import os

    from assay.ledger.ledger import Ledger, file_of, find_place
    from assay.storage.database import is_postgres

    chosen = place or (memory if memory and not os.environ.get("ASSAY_LEDGER") else None)
    found = find_place(chosen)
    if not is_postgres(found) and not file_of(found).is_file():
        raise UsageError(
            f"there is no ledger {file_of(found)}; 'assay check --ledger PATH' or '--memory M' makes one, "
            "and --ledger says where to look"
        )
    return Ledger(found, workspace=workspace)


@contextmanager
def _current(
    memory: str | None, sources: list[str] | None, workspace: str, *, needed: bool = True
) -> Iterator[Memory | list[Document] | None]:
    """The sources as they are now."""
    if memory and sources:
        raise UsageError("the sources are now in --memory or in --sources, not in both")
    if memory:
        with open_workspace(memory, workspace) as held:
            yield held
        return
    if sources:
        yield read_documents(sources)
        return
    if needed:
        raise UsageError("say where the sources are now: --memory M or --sources PATH")
    yield None


def _engine(held: Ledger, run: str, policy_file: Path | None, judge: str | None) -> Engine:
    """The policy of today, and the judge of the run unless another is asked for."""
    from assay.config import load_policy
    from assay.engine import Engine
    from assay.ledger.replay import judge_name

    return Engine(load_policy(policy_file), judge or judge_name(held.get(run).model))


def _tables() -> Any:
    from assay.render import ledger_terminal

    return ledger_terminal


def _print(data: Any, form: str, view: Any) -> None:
    if form == "json":
        write_output(json.dumps(data, indent=2))
        return
    from rich.console import Console

    shown: RenderableType = view()
    Console().print(shown)
