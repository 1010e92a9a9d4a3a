"""`assay index`: put documents into an evidence memory and look after it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.inputs import named_sources, open_workspace
from assay.cli.options import SourceTexts, TextForm
from assay.cli.output import progress_after, progress_bar
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.memory import Listing

Place = Annotated[
    str, typer.Option("--memory", "-m", envvar="ASSAY_MEMORY", help="Folder of the memory, or a postgresql:// address.")
]
Workspace = Annotated[str, typer.Option("--workspace", "-w", envvar="ASSAY_WORKSPACE", help="Which workspace of it.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar, no remarks.")]

DEFAULT_PLACE = ".assay/memory"

index = typer.Typer(name="index", help="Put documents into an evidence memory and look after it.", no_args_is_help=True)


@index.command("add")
def add(
    sources: Annotated[
        list[str] | None, typer.Argument(help="Files, folders, globs or '-' for standard input.", show_default=False)
    ] = None,
    source_texts: SourceTexts = None,
    memory: Place = DEFAULT_PLACE,
    workspace: Workspace = "default",
    embedder: Annotated[str | None, typer.Option(help="For a new memory: minilm-claims or static.")] = None,
    follow_links: Annotated[
        bool, typer.Option("--follow-links", help="Follow links that lead out of a folder.")
    ] = False,
    quiet: Quiet = False,
    form: TextForm = "text",
) -> None:
    """Read sources and store what is new or changed; run it again if interrupted. Exit code 1 if any is refused."""
    from assay.memory import Memory

    given = named_sources(sources, source_texts)
    if not given:
        raise UsageError("give what to put in: files, folders or globs, or --source-text TEXT")
    say = (lambda _: None) if quiet else _say
    with Memory(memory, workspace=workspace, embedder=embedder, say=say) as held:
        try:
            with _progress(given, quiet) as advance:
                result = held.add(given, advance, follow_links=follow_links)
        except KeyboardInterrupt:
            typer.echo("interrupted; what was read so far is in, run the same command to go on", err=True)
            raise typer.Exit(130) from None
    if form == "json":
        typer.echo(json.dumps(asdict(result), indent=2))
    else:
        for line in (*result.refused, *result.notices):
            typer.echo(f"{'left out' if line in result.refused else 'note'}: {line}", err=True)
        counts = {"added": result.added, "updated": result.updated, "unchanged": result.unchanged}
        parts = [f"{len(ids)} {name}" for name, ids in counts.items()]
        typer.echo(f"{', '.join(parts)}, {len(result.refused)} left out; {result.passages} passages")
    raise typer.Exit(1 if result.refused else 0)


@index.command("list")
def list_documents(memory: Place = DEFAULT_PLACE, workspace: Workspace = "default", form: TextForm = "text") -> None:
    """List the documents."""
    with open_workspace(memory, workspace, say=_say) as held:
        listings = held.documents()
    if form == "json":
        typer.echo(json.dumps([_row(listing) for listing in listings], indent=2))
        return
    width = max((len(listing.id) for listing in listings), default=0)
    for listing in listings:
        dated = f"{listing.date}{' (inferred)' if listing.date_inferred else ''}" if listing.date else "undated"
        typer.echo(
            f"{listing.id:<{width}}  v{listing.version}  {listing.passages:>5} passages  {dated}  {listing.title}"
        )
    if not listings:
        typer.echo("the memory is empty; add documents with: assay index add PATH…", err=True)


@index.command("show")
def show(
    document: Annotated[str, typer.Argument(help="Id of a document, as 'assay index list' gives it.")],
    version: Annotated[int | None, typer.Option(help="An earlier version.")] = None,
    memory: Place = DEFAULT_PLACE,
    workspace: Workspace = "default",
    passages: Annotated[bool, typer.Option("--passages", help="Show how it is cut.")] = False,
    form: TextForm = "text",
) -> None:
    """Show a document, its versions and its passages."""
    with open_workspace(memory, workspace, say=_say) as held:
        found = held.get(document, version)
        versions, entries = held.versions(document), held.passages(document)
    if found is None:
        known = ", ".join(f"v{listing.version}" for listing in versions)
        raise UsageError(
            f"{document} has no version {version}; there is {known}" if known else f"there is no document {document!r}"
        )
    if form == "json":
        data: dict[str, Any] = {"versions": [_row(listing) for listing in versions], "text": found.text}
        data["passages"] = [asdict(entry) for entry in entries]
        typer.echo(json.dumps(data, indent=2))
    elif passages:
        for entry in entries:
            where = " ".join(filter(None, [entry.heading, f"p. {entry.page}" if entry.page else ""]))
            cite = f"[cite:{entry.sha256[:8]}]"
            typer.echo(f"{cite} {entry.start}–{entry.end} {where}\n{found.text[entry.start : entry.end]}\n")
    else:
        typer.echo(found.text)


@index.command("remove")
def remove(
    documents: Annotated[list[str], typer.Argument(help="Ids of documents.")],
    memory: Place = DEFAULT_PLACE,
    workspace: Workspace = "default",
) -> None:
    """Take documents out with all their versions; exit code 1 if one is not there."""
    missing = False
    with open_workspace(memory, workspace, say=_say) as held:
        for document in documents:
            with progress_after():
                count = held.remove(document)
            missing = missing or not count
            typer.echo(f"{document}: {f'removed, {count} passages' if count else 'not there'}")
    raise typer.Exit(1 if missing else 0)


@index.command("stats")
def stats(memory: Place = DEFAULT_PLACE, workspace: Workspace = "default", form: TextForm = "text") -> None:
    """Count what the memory holds."""
    with open_workspace(memory, workspace, say=_say) as held:
        counts = held.stats()
    if form == "json":
        typer.echo(json.dumps(counts, indent=2))
        return
    for name, value in counts.items():
        typer.echo(f"{name.replace('_', ' '):<14} {f'{value:,}' if isinstance(value, int) else value}")


@index.command("verify")
def verify(memory: Place = DEFAULT_PLACE, workspace: Workspace = "default") -> None:
    """Check every hash and that the indexes agree with the documents; exit code 1 if anything is wrong."""
    with open_workspace(memory, workspace, say=_say) as held, progress_after():
        problems = held.verify()
    for problem in problems:
        typer.echo(problem)
    if problems:
        typer.echo("an index can be made again with: assay index rebuild", err=True)
        raise typer.Exit(1)
    typer.echo("ok")


@index.command("rebuild")
def rebuild(memory: Place = DEFAULT_PLACE, workspace: Workspace = "default") -> None:
    """Make the search indexes again from the documents."""
    with open_workspace(memory, workspace, say=_say) as held:
        with progress_after():
            count = held.rebuild()
        typer.echo(f"{count:,} passages indexed again")


def _say(line: str) -> None:
    typer.echo(line, err=True)


@contextmanager
def _progress(sources: list[str | Path], quiet: bool) -> Iterator[Callable[[str, int], None]]:
    """A bar over the files to be read, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        yield lambda _, __: None
        return
    from assay.memory.readers import find_sources

    total = sum(1 for _ in find_sources(sources))
    with progress_bar() as bar:
        task = bar.add_task("", total=total)
        last = ""

        def advance(identity: str, _: int) -> None:
            nonlocal last
            file = identity.split("#")[0]
            bar.update(task, advance=file != last, description=file[-60:])
            last = file

        yield advance


def _row(listing: Listing) -> dict[str, Any]:
    row = asdict(listing)
    row["date"] = listing.date.isoformat() if listing.date else None
    row["added_at"] = datetime.fromtimestamp(listing.added_at, UTC).isoformat()
    return row
