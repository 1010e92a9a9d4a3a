"""`assay ask`: a question, answered from an evidence memory with verified text only."""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import ForUser, JudgeName, LedgerPlace, MemoryNeeded, PolicyFile, TextForm
from assay.cli.output import progress_after

if TYPE_CHECKING:
    from assay.repair import Asked

_ANCHOR = re.compile(r"\[cite:\s?([0-9a-f]+(?:, [0-9a-f]+)*)\]")


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What to ask; '-' reads it from standard input.")],
    memory: MemoryNeeded,
    model: Annotated[
        str, typer.Option("--model", help="extractive, openai:MODEL[@URL], anthropic:MODEL[@URL] or local:PATH.gguf.")
    ] = "extractive",
    judge: JudgeName = "cascade",
    policy_file: PolicyFile = None,
    ledger: LedgerPlace = None,
    user: ForUser = "",
    session: Annotated[str, typer.Option("--session", help="The conversation it is recorded under.")] = "",
    form: TextForm = "text",
) -> None:
    """Answer a question with verified text and its sources; exit code 0 answered, 1 abstained, 2 usage error."""
    from assay.cli.inputs import open_memory
    from assay.config import load_policy
    from assay.engine import Engine
    from assay.repair import ask as ask_memory
    from assay.storage.database import is_postgres

    policy = load_policy(policy_file)
    with ExitStack() as stack:
        opened = stack.enter_context(open_memory(memory, policy))
        book = None
        # What was asked is recorded beside the memory, like a check; a memory that can only be read can still be asked.
        if place := ledger or (memory if is_postgres(memory) or os.access(memory, os.W_OK) else None):
            from assay.ledger import Ledger

            book = stack.enter_context(Ledger(place, policy=policy))
        text = sys.stdin.read() if question == "-" else question
        engine = Engine(policy, judge)
        engine.progress = stack.enter_context(progress_after())
        asked = ask_memory(text, memory=opened, generator=model, engine=engine, ledger=book, user=user, session=session)
    typer.echo(json.dumps(asked.to_dict(), ensure_ascii=False, indent=2) if form == "json" else render(asked))
    raise typer.Exit(0 if asked.answer is not None else 1)


def render(asked: Asked) -> str:
    """The answer with numbered sources under it, or why there is none."""
    if asked.answer is None:
        return _render_abstention(asked)
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        found = [numbers.setdefault(target, len(numbers) + 1) for target in match[1].split(", ")]
        return "[" + ", ".join(map(str, found)) + "]"

    text = _ANCHOR.sub(number, asked.answer)
    lines = [text, "", "Sources"]
    documents = {document.sha256: document for document in asked.report.documents}
    for target, position in numbers.items():
        document = next((d for sha256, d in documents.items() if sha256.startswith(target)), None)
        if document is not None:
            lines.append(
                f"[{position}] {document.title or document.id}" + (f" ({document.uri})" if document.uri else "")
            )
    for finding in asked.report.findings:
        lines.extend(f"    “{item.quote}” ({item.document})" for item in finding.evidence[:1] if not numbers)
    confidence = asked.report.confidence
    checked = sum(finding.verdict.value == "SUPPORTED" for finding in asked.report.findings)
    claims = "1 claim" if checked == 1 else f"{checked} claims"
    lines += ["", f"{claims} verified" + ("" if confidence is None else f", the least sure at {confidence:.2f}")]
    return "\n".join(lines)


def _render_abstention(asked: Asked) -> str:
    from assay.repair.asking import NO_EVIDENCE

    assert asked.abstention is not None
    if any(flag.kind == "no_evidence" for flag in asked.report.risk_flags) and not asked.draft:
        return NO_EVIDENCE
    wanted = [f"  wanted: {line}" for line in asked.abstention.wanted]
    return "\n".join([asked.abstention.text, *wanted])
