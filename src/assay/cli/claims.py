"""`assay claims`: how an answer falls into claims, without judging them."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from assay.cli.inputs import read_answer
from assay.cli.options import AnswerText, Question
from assay.errors import UsageError
from assay.types import Claim


def register(app: typer.Typer) -> None:
    app.command("claims")(claims)


def claims(
    answer: AnswerText,
    question: Question = None,
    form: Annotated[str, typer.Option("--format", "-f", help="rich or json.")] = "rich",
) -> None:
    """List the claims of an answer with their kind, importance and place."""
    from assay.claims import extract_claims

    if form not in ("rich", "json"):
        raise UsageError(f"unknown format {form!r}; choose rich or json")
    text, _ = read_answer(answer)
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


def claim_dict(claim: Claim) -> dict[str, object]:
    return {
        "text": claim.text,
        "spans": [{"start": span.start, "end": span.end} for span in claim.spans],
        "kind": claim.kind.value,
        "importance": claim.importance.value,
        "checkable": claim.checkable,
        "reason": claim.reason,
        "citations": [{"text": c.text, "style": c.style, "targets": list(c.targets)} for c in claim.citations],
        "sentence_index": claim.sentence_index,
        "context": claim.context,
        "warnings": list(claim.warnings),
    }
