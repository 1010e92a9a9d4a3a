"""`assay selftest`: how many wrong claims about your own sources are caught, kind by kind."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.inputs import open_memory, read_documents
from assay.cli.options import JudgeName, MemoryPlace, PolicyFile, TextForm
from assay.cli.output import progress_after
from assay.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from assay.evaluation.metrics import MeanRate, Rate
    from assay.evaluation.selftest import CaseOutcome, Selftest


def selftest(
    sources: Annotated[
        list[str] | None, typer.Option("--sources", "-s", help="A file, folder or glob of sources; repeatable.")
    ] = None,
    memory: MemoryPlace = None,
    judge: JudgeName = "cascade",
    sentences: Annotated[
        int, typer.Option("--sentences", "-n", min=1, help="Sentences, and claims of each kind, taken at most.")
    ] = 40,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the choice of sentences and of the changes.")] = 0,
    form: TextForm = "text",
    policy_file: PolicyFile = None,
    examples: Annotated[
        int, typer.Option("--examples", min=0, help="Missed claims and false alarms shown of each kind.")
    ] = 1,
    catch: Annotated[
        float, typer.Option("--at-least", min=0.0, max=1.0, help="Exit code 1 if less is caught, averaged over kinds.")
    ] = 0.0,
    alarms: Annotated[
        float, typer.Option("--at-most", min=0.0, max=1.0, help="Exit code 1 if false alarms average more over kinds.")
    ] = 1.0,
) -> None:
    """Make wrong and true claims from your own sources and count which are caught and which raise a false alarm."""
    from assay.config import load_policy
    from assay.engine import Engine
    from assay.evaluation.judges import without_time_limit
    from assay.evaluation.selftest import run_selftest

    if bool(sources) == bool(memory):
        raise UsageError("say where the true sentences are: either --sources FOLDER or --memory FOLDER")
    policy = without_time_limit(load_policy(policy_file))
    engine = Engine(policy, judge)
    opened = open_memory(memory, policy) if memory else None
    try:
        with progress_after() as bar:
            documents = list(opened) if opened is not None else read_documents(sources)
            step = partial(bar, "claims")
            found = run_selftest(engine, documents, memory=opened, sentences=sentences, seed=seed, step=step)
    finally:
        if opened is not None:
            opened.close()
    if form == "json":
        typer.echo(json.dumps(found.to_dict(), indent=2))
    else:
        show(found, examples)
    wrong = (found.catch_rate.value or 0.0) < catch or (found.false_alarm_rate.value or 0.0) > alarms
    raise typer.Exit(1 if wrong else 0)


def show(found: Selftest, examples: int) -> None:
    """The rates of every kind, the controls, the means over both, and some of what went wrong."""
    from rich.console import Console

    from assay.render.terminal import plain_table

    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    wrong = plain_table("wrong claims", "made", "caught", "95 % range", "contradicted", "not judged")
    true = plain_table("true claims", "made", "false alarms", "95 % range", "contradicted", "not judged")
    for table, kinds, mean in ((wrong, found.kinds, found.catch_rate), (true, found.controls, found.false_alarm_rate)):
        for kind in kinds:
            row = (*_rate(kind.caught), _rate(kind.refuted)[0], str(kind.not_judged))
            table.add_row(_NAMES.get(kind.kind, kind.kind), str(kind.made), *row)
        made = sum(kind.made for kind in kinds)
        table.add_row("mean over kinds", str(made), *_rate(mean), "", "", style="bold")
    console.print(f"{found.sentences} sentences of your sources, judged by {found.judge}")
    console.print(wrong)
    console.print()
    console.print(true)
    console.print()
    for name, rate in found.rates.items():
        shown, ends = _rate(rate)
        console.print(f"{name.replace('_', ' ')}: {shown} ({ends}), {rate.hits} of {rate.of}")
    for title, outcomes in (("missed", found.missed(examples)), ("false alarm", found.alarms(examples))):
        for outcome in outcomes:
            _show_outcome(console, title, outcome)


_NAMES = {
    "verbatim": "sentence as it stands",
    "reworded": "sentence in other words",
    "cited": "sentence with its right anchor",
    "possession": "X of Y and Y’s X",
    "number": "number in another form",
    "clause order": "clauses in another order",
    "list": "list item with its heading",
    "pronoun": "pronoun resolved",
}


def _show_outcome(console: Console, title: str, outcome: CaseOutcome) -> None:
    case = outcome.case
    console.print(f"\n{title} ({case.kind}): {case.text}", markup=False)
    if case.claim.change and not case.true:
        exchanged = f": “{case.claim.old}” → “{case.claim.new}”" if case.claim.old or case.claim.new else ""
        console.print(f"  changed: {case.claim.change}{exchanged}", markup=False, style="dim")
    for sentence in case.sentences:
        if sentence != case.text:
            console.print(f"  the source says: {sentence}", markup=False, style="dim")
    if outcome.explanation:
        console.print(f"  {outcome.explanation}", markup=False, style="dim")


def _rate(rate: Rate | MeanRate) -> tuple[str, str]:
    ends = rate.range
    if rate.value is None or ends is None:
        return "–", "–"
    return f"{rate.value:.0%}", f"{ends[0]:.0%}–{ends[1]:.0%}"
