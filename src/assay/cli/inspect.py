"""`assay inspect`: why a sentence did or did not verify."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from assay.cli.inputs import read_documents
from assay.cli.options import SourcePaths, SourceTexts
from assay.errors import UsageError


def register(app: typer.Typer) -> None:
    app.command("inspect")(inspect)


def inspect(
    unit: Annotated[str, typer.Argument(help="The sentence or quotation to look for.")],
    sources: SourcePaths = None,
    source_texts: SourceTexts = None,
    form: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
) -> None:
    """Show how close each source comes to a sentence: verbatim, raw text only, paraphrase, partial, not at all."""
    from assay.lexical import inspect as inspect_unit

    if form not in ("text", "json"):
        raise UsageError(f"unknown format {form!r}; choose text or json")
    found = [(document.id, inspect_unit(unit, document)) for document in read_documents(sources, source_texts)]
    if form == "json":
        typer.echo(json.dumps([{"document": name, **seen.to_dict()} for name, seen in found], indent=2))
        return
    for name, seen in found:
        typer.echo(f"{name}: {seen}")
