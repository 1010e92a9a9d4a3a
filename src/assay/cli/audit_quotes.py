"""`assay audit-quotes`: whether the quotations, sentences and names of an answer stand in a source, word for word."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from assay.cli.inputs import read_answer, read_documents
from assay.cli.options import AnswerText, PolicyFile, SourcePaths, SourceTexts
from assay.errors import UsageError


def register(app: typer.Typer) -> None:
    app.command("audit-quotes")(audit_quotes)


def audit_quotes(
    answer: AnswerText,
    sources: SourcePaths = None,
    source_texts: SourceTexts = None,
    entity_policy: Annotated[
        str | None, typer.Option("--entity-policy", help="How names alone count: strict, hybrid, drop or proximity.")
    ] = None,
    proximity_n: Annotated[
        int | None, typer.Option("--proximity-n", min=1, help="Names that must stand close together.")
    ] = None,
    proximity_window: Annotated[
        int | None, typer.Option("--proximity-window", min=1, help="Characters within which they must stand.")
    ] = None,
    policy_file: PolicyFile = None,
    form: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
) -> None:
    """Look an answer's own words up in each source; exit code 0 if one source has them all (STRICT), 1 not, 2 usage."""
    from assay.lexical import audit_quotes as audit
    from assay.policy import Policy

    if form not in ("text", "json"):
        raise UsageError(f"unknown format {form!r}; choose text or json")
    policy = Policy.load(policy_file)
    text, _ = read_answer(answer)
    options = {"entity_policy": entity_policy, "proximity_n": proximity_n, "proximity_window": proximity_window}
    policy = policy.but(**{name: value for name, value in options.items() if value is not None})
    found = [(item.id, audit(text, item, policy=policy)) for item in read_documents(sources, source_texts)]
    if form == "json":
        typer.echo(json.dumps([{"document": name, **result.to_dict()} for name, result in found], indent=2))
    else:
        typer.echo("\n\n".join(f"{name}: {result}" for name, result in found).encode("utf-8", "backslashreplace"))
    raise typer.Exit(0 if any(result.audit_mode.value == "STRICT" for _, result in found) else 1)
