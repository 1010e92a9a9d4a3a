"""`assay inspect`: why a sentence did or did not verify."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from assay.errors import SourceError, UsageError


def register(app: typer.Typer) -> None:
    app.command("inspect")(inspect)


def inspect(
    unit: Annotated[str, typer.Argument(help="The sentence or quotation to look for.")],
    sources: Annotated[list[str], typer.Option("--sources", "-s", help="A file, folder or glob; repeatable.")],
    form: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
) -> None:
    """Show how close each source comes to a sentence: verbatim, raw text only, paraphrase, partial, not at all."""
    from assay.lexical import inspect as inspect_unit
    from assay.memory.readers import read_sources

    if form not in ("text", "json"):
        raise UsageError(f"unknown format {form!r}; choose text or json")
    result = read_sources(sources)
    if not result.documents:
        reasons = "; ".join(f"{refusal.path}: {refusal.reason}" for refusal in result.refused)
        raise SourceError(f"none of the sources can be read: {reasons or 'nothing was found'}")
    found = [(document.id, inspect_unit(unit, document)) for document in result.documents]
    if form == "json":
        typer.echo(json.dumps([{"document": name, **seen.to_dict()} for name, seen in found], indent=2))
        return
    for name, seen in found:
        typer.echo(f"{name}: {seen}")
