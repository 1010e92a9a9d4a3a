"""`assay claims`, `assay inspect` and `assay audit-quotes`: an answer without a model."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from assay.cli.inputs import read_answer, read_documents
from assay.cli.options import AnswerText, PolicyFile, Question, RichForm, SourcePaths, SourceTexts, TextForm
from assay.cli.output import progress_after
from assay.codec import Json, encode_fields
from assay.types import Claim


def claims(answer: AnswerText, question: Question = None, form: RichForm = "rich") -> None:
    """List the claims of an answer with their kind, importance and place."""
    from assay.claims import extract_claims

    text, _ = read_answer(answer)
    with progress_after():
        found = extract_claims(text, question)
    if form == "json":
        typer.echo(json.dumps([claim_dict(claim) for claim in found], ensure_ascii=True, indent=2))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("place", "kind", "importance", "claim"):
        table.add_column(column, overflow="fold", no_wrap=column != "claim")
    for claim in found:
        places = ", ".join(f"{span.start}–{span.end}" for span in claim.spans)
        kind = claim.kind.value if claim.checkable else f"({claim.reason})"
        importance = claim.importance.value if claim.checkable else ""
        table.add_row(places, kind, importance, Text(claim.text, style="" if claim.checkable else "dim"))
    Console().print(table)


def claim_dict(claim: Claim) -> Json:
    cited = [encode_fields(item, without=("span",)) for item in claim.citations]
    return encode_fields(claim, without=("alignment",)) | {"citations": cited}


def inspect(
    unit: Annotated[str, typer.Argument(help="The sentence or quotation to look for.")],
    sources: SourcePaths = None,
    source_texts: SourceTexts = None,
    form: TextForm = "text",
) -> None:
    """Show how close each source comes to a sentence: verbatim, raw text only, paraphrase, partial, not at all."""
    from assay.lexical import inspect as inspect_unit

    found = []
    with progress_after() as step:
        documents = read_documents(sources, source_texts)
        for number, document in enumerate(documents, 1):
            found.append((document.id, inspect_unit(unit, document)))
            step("sources", number, len(documents))
    if form == "json":
        typer.echo(json.dumps([{"document": name, **seen.to_dict()} for name, seen in found], indent=2))
        return
    for name, seen in found:
        typer.echo(f"{name}: {seen}")


def audit_quotes(
    answer: AnswerText,
    sources: SourcePaths = None,
    source_texts: SourceTexts = None,
    entity_policy: Annotated[
        str, typer.Option("--entity-policy", help="How names alone count: strict, hybrid, drop or proximity.")
    ] = "proximity",
    proximity_n: Annotated[int, typer.Option("--proximity-n", min=1, help="Names that must stand close together.")] = 3,
    proximity_window: Annotated[
        int, typer.Option("--proximity-window", min=1, help="Characters within which they must stand.")
    ] = 300,
    policy_file: PolicyFile = None,
    form: TextForm = "text",
) -> None:
    """Look an answer's own words up in each source; exit code 0 if one source has them all (STRICT), 1 not, 2 usage."""
    from assay.config import load_policy
    from assay.lexical import audit_quotes as audit

    policy = load_policy(policy_file)
    text, _ = read_answer(answer)
    options: Any = {"entity_policy": entity_policy, "proximity_n": proximity_n, "proximity_window": proximity_window}
    found = []
    with progress_after() as step:
        documents = read_documents(sources, source_texts)
        for number, item in enumerate(documents, 1):
            found.append((item.id, audit(text, item, policy=policy, **options)))
            step("sources", number, len(documents))
    if form == "json":
        typer.echo(json.dumps([{"document": name, **result.to_dict()} for name, result in found], indent=2))
    else:
        typer.echo("\n\n".join(f"{name}: {result}" for name, result in found).encode("utf-8", "backslashreplace"))
    raise typer.Exit(0 if any(result.audit_mode.value == "STRICT" for _, result in found) else 1)
