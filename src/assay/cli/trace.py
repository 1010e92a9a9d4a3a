"""`assay trace`: keep traces of reasoning, and show which of their claims hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.options import EpistemicSettings, OtherJudge, PolicyFile, TextForm, VerificationModel, form_option
from assay.cli.output import progress_after

if TYPE_CHECKING:
    from rich.tree import Tree

    from assay.epistemic import Checker
    from assay.epistemic.results import ClaimVerification
    from assay.epistemic.traces import Node, Trace, TraceStore

trace = typer.Typer(no_args_is_help=True, help="Keep traces of reasoning, and show which of their claims hold.")

Store = Annotated[str, typer.Option("--store", help="Folder, file or postgresql:// address of the traces.")]
Workspace = Annotated[str, typer.Option("--workspace", "-w", help="Workspace in the store.")]
MemoryPlace = Annotated[
    str | None, typer.Option("--memory", "-m", help="Memory whose documents may be cited by their id.")
]
Goal = Annotated[str, typer.Argument(help="Id of the goal, or of any step of its trace.")]

DEFAULT_STORE = ".assay"


@trace.command("add")
def add(
    kind: Annotated[
        str, typer.Argument(help="goal, decision, option, action, outcome, observation, claim; or a trace file.")
    ],
    text: Annotated[str | None, typer.Argument(help="What the step says.")] = None,
    parent: Annotated[str | None, typer.Option("--to", help="Id of the step it belongs to.")] = None,
    cites: Annotated[list[str] | None, typer.Option("--cites", help="Ids that a claim cites; may be repeated.")] = None,
    confidence: Annotated[float | None, typer.Option(help="How sure a claim claims to be, from 0 to 1.")] = None,
    store: Store = DEFAULT_STORE,
    workspace: Workspace = "default",
) -> None:
    """Add a step and print its id; or add whole traces from a JSON file (Assay's own form, or OpenTelemetry spans)."""
    from assay.errors import UsageError

    with _open(store, workspace) as held:
        if text is None:
            for found in _read(Path(kind)):
                typer.echo(held.save(found))
            return
        if kind == "claim":
            if parent is None:
                raise UsageError("a claim needs the decision it belongs to: --to ID")
            given = {} if confidence is None else {"confidence": confidence}
            typer.echo(held.add_claim(parent, text, cites or (), **given))
            return
        if cites or confidence is not None:
            raise UsageError("only a claim has --cites and --confidence")
        typer.echo(held.add(kind, text, parent))


@trace.command("show")
def show(
    goal: Annotated[str | None, typer.Argument(help="Id of a goal or step; without it all traces are listed.")] = None,
    store: Store = DEFAULT_STORE,
    workspace: Workspace = "default",
    form: Annotated[str, form_option("text", "json", "spans")] = "text",
) -> None:
    """List the traces, or draw one as a tree with its gaps in red; spans are OpenTelemetry's, one a line."""
    with _open(store, workspace) as held:
        if goal is None:
            listed = held.traces()
            if form == "json":
                typer.echo(json.dumps([one.to_dict() for one in listed], indent=2))
                return
            for one in listed:
                typer.echo(f"{one.id}  {one.nodes:>4} steps  {one.claims:>3} claims  {one.goal}")
            if not listed:
                typer.echo("there are no traces; add one with: assay trace add goal TEXT", err=True)
            return
        found = held.get(goal)
    if form == "json":
        typer.echo(json.dumps(found.to_dict(), indent=2))
    elif form == "spans":
        typer.echo(_spans(found))
    else:
        _print(draw(found))


def _verify(
    ctx: typer.Context,
    goal: Goal,
    store: Store = DEFAULT_STORE,
    workspace: Workspace = "default",
    judge: OtherJudge = None,
    memory: MemoryPlace = None,
    verification_model: VerificationModel = None,
    settings: EpistemicSettings = None,
    policy_file: PolicyFile = None,
    form: TextForm = "text",
) -> None:
    checker = _checker(judge, verification_model, settings, policy_file)
    with _open(store, workspace, checker, memory) as held:
        failed = (_list_gaps if ctx.info_name == "gaps" else _report)(held, checker, goal, form)
    raise typer.Exit(1 if failed else 0)


trace.command(
    "gaps",
    help="Verify the claims of a goal that nobody has verified yet, and list the gaps; exit code 1 if there are any.",
)(_verify)
trace.command(
    "report", help="Verify and report on every claim of a goal; exit code 1 if one is flagged or could not be checked."
)(_verify)


def _list_gaps(held: TraceStore, checker: Checker, goal: str, form: str) -> bool:
    from rich.text import Text

    with progress_after() as checker.progress:
        found = held.get_epistemic_gaps(goal)
    if form == "json":
        typer.echo(json.dumps([gap.to_dict() for gap in found], indent=2))
        return bool(found)
    for gap in found:
        _print(Text(f"{gap.gap_bits:5.2f} bits  {gap.gap_type.value}", "red"), "  ", Text(gap.claim.claim_text))
        _print("            ", Text(f"{gap.claim.flag_reason} → {gap.suggested_action}"))
    if not found:
        typer.echo("no gaps")
    return bool(found)


def _report(held: TraceStore, checker: Checker, goal: str, form: str) -> bool:
    with progress_after() as checker.progress:
        found = held.get_verification_report(goal)
    if form == "json":
        typer.echo(json.dumps(found.to_dict(), indent=2))
    else:
        _print(draw(held.get(goal)))
        sure, lowest = found.overall_confidence, found.lowest_support
        typer.echo(
            f"{found.total_claims} claims: {found.verified_claims} hold, {found.flagged_claims} flagged, "
            f"{found.doubtful_claims} doubtful, {found.errors} in error; "
            f"confidence {'–' if sure is None else f'{sure:.2f}'}, "
            f"lowest support {'–' if lowest is None else f'{lowest:.2f}'}, "
            f"widest gap {found.max_gap_bits:.2f} bits"
        )
        if found.retry_guidance:
            typer.echo("\n" + found.retry_guidance)
    return bool(found.flagged_claims or found.errors)


SIGNS = {"goal": "◎", "decision": "◇", "option": "○", "action": "▷", "outcome": "■", "observation": "◉", "claim": "“"}


def draw(found: Trace) -> Tree:
    """The trace as a tree: claims that hold in green, gaps in red, each with its word and not by colour alone."""
    from rich.tree import Tree

    root = Tree(_label(found, found.goal))
    made = {found.goal.id: root}
    for _, node in found.walk():
        if node.parent is not None and node.kind.value != "verification":
            made[node.id] = made[node.parent].add(_label(found, node))
    return root


def _label(found: Trace, node: Node) -> Any:
    from rich.text import Text

    said = Text(f"{SIGNS.get(node.kind.value, '·')} {node.kind.value} ", style="dim")
    if node.kind.value != "claim":
        return said + Text(node.text, style="bold" if node.parent is None else "") + Text(f"  {node.id}", style="dim")
    verified = found.verification(node.id)
    style, word = _judgement(verified)
    cites = found.cites(node.id)
    shown = said + Text(node.text, style=style) + Text(f"  {word}", style=style) + Text(f"  {node.id}", style="dim")
    return shown + Text(f"\n  cites {', '.join(cites)}", style="dim") if cites else shown


def _judgement(verified: ClaimVerification | None) -> tuple[str, str]:
    from assay.render.plain import name_verdict

    if verified is None:
        return "yellow", "[not verified]"
    if verified.gap_type is not None:
        return "red", f"[GAP {verified.evidence_gap_bits:.2f} bits: {verified.gap_type.value}: {verified.flag_reason}]"
    if verified.is_flagged:
        return "red", f"[{name_verdict(verified.verdict)}: {verified.flag_reason}]"
    if verified.doubt:
        return "yellow", f"[{name_verdict(verified.verdict)}, doubtful]"
    return "green", f"[{name_verdict(verified.verdict)}]"


def _checker(
    judge: str | None, verification_model: str | None, settings: list[str] | None, policy_file: Path | None
) -> Checker:
    from assay.cli.hallucinations import load_config
    from assay.config import load_policy
    from assay.epistemic import Checker

    policy = load_policy(policy_file)
    config = load_config(policy_file, policy, settings, verification_model)
    return Checker(policy=policy, judge=judge, config=config)


def _open(store: str, workspace: str, checker: Checker | None = None, memory: str | None = None) -> TraceStore:
    from assay.epistemic.traces import TraceStore

    held = None
    if memory is not None:
        from assay.memory import Memory

        held = Memory(memory, workspace=workspace)
    return TraceStore(store, workspace=workspace, checker=checker, memory=held)


def _read(path: Path) -> list[Trace]:
    from assay.epistemic.traces import Trace
    from assay.epistemic.traces.spans import import_spans
    from assay.errors import UsageError

    if not path.is_file():
        raise UsageError(f"{path} is neither a trace file nor a kind of step with a text: assay trace add KIND TEXT")
    try:
        said = path.read_text(encoding="utf-8")
        try:
            data: Any = json.loads(said)
        except ValueError:
            data = [json.loads(line) for line in said.splitlines() if line.strip()]
    except (OSError, ValueError, RecursionError) as problem:
        raise UsageError(f"{path} is neither JSON nor one JSON object a line: {problem}") from problem
    if isinstance(data, dict) and "nodes" in data:
        return [Trace.from_dict(data)]
    try:
        return import_spans(data if isinstance(data, list) else [data])
    except (KeyError, TypeError, ValueError, AttributeError) as problem:  # spans of other programs take many shapes
        raise UsageError(
            f"{path} holds something that is no span as the OpenTelemetry SDK writes it "
            f"({type(problem).__name__}: {problem}); a span has a context with a span_id, a name and attributes"
        ) from problem


def _spans(found: Trace) -> str:
    try:
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    except ImportError:
        from assay.errors import missing_extra

        raise missing_extra("writing spans", "otel") from None
    from assay.epistemic.traces.spans import export_spans

    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    export_spans(found, provider.get_tracer("assay"))
    return "\n".join(json.dumps(json.loads(span.to_json())) for span in kept.get_finished_spans())


def _print(*parts: Any) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:  # a file or a pipe has no edge to wrap at
        console = Console(width=10_000)
    console.print(*parts, sep="", highlight=False)
