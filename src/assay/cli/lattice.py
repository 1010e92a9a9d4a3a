"""`assay lattice`: answers that cite evidence by pointer — make the map and the prompt, check the answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import MemoryNeeded, PolicyFile, Question, TextForm, complete_judge, completer
from assay.cli.output import progress_after, write_output
from assay.errors import UsageError

lattice = typer.Typer(help="Answers that cite evidence by pointer ([E3]) or as JSON.", no_args_is_help=True)

FormOption = Annotated[
    str, typer.Option("--form", help="pointer or json.", autocompletion=completer("pointer", "json"))
]
EvidenceOption = Annotated[Path, typer.Option("--evidence", "-e", help="The evidence map, a JSON file.")]


@lattice.command("check")
def check(
    evidence: EvidenceOption,
    answer: Annotated[str, typer.Argument(help="An answer file, '-' for standard input, or the answer itself.")] = "-",
    form: FormOption = "pointer",
    question: Question = None,
    policy_file: PolicyFile = None,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            "--encoder",
            help="Also judge each claim by what it cites: small, base, …",
            autocompletion=complete_judge,
        ),
    ] = None,
    chain_roots: Annotated[
        list[str] | None,
        typer.Option("--chain-root", help="A source id whose neighbouring passages may supply an anchor; repeatable."),
    ] = None,
    output: TextForm = "text",
) -> None:
    """Verify an answer against its evidence map; exit code 0 STRICT, 1 not, 2 usage error."""
    from assay.cli.inputs import read_answer
    from assay.config import load_policy
    from assay.engine import Engine
    from assay.lattice import EvidenceMap, verify_answer

    shown = EvidenceMap.load(evidence)
    text, _ = read_answer(answer)
    policy = load_policy(policy_file)
    engine = Engine(policy, judge) if judge else None
    with progress_after() as step:
        if engine is not None:
            engine.progress = step
        result = verify_answer(
            text,
            shown,
            shown.question if question is None else question,
            _choose("--form", form, ("pointer", "json")),
            policy,
            engine=engine,
            chain_roots=chain_roots or (),
        )
    if output == "json":
        write_output(json.dumps(result.to_dict(), indent=2))
    else:
        write_output("\n\n".join(part for part in (result.rendered_text, str(result)) if part))
    raise typer.Exit(0 if result.audit_mode.value == "STRICT" else 1)


@lattice.command("map")
def make_map(
    question: Annotated[str, typer.Argument(help="The question to find evidence for.")],
    memory: MemoryNeeded,
    passages: Annotated[int, typer.Option("--passages", "-k", min=1, help="How many passages to put in.")] = 12,
) -> None:
    """Print the evidence map for a question, as JSON."""
    from assay.cli.inputs import open_memory
    from assay.lattice import check_question, map_from

    preflight = check_question(question)
    if preflight.flagged:
        typer.echo(f"assay: {preflight.advice}", err=True)
    with open_memory(memory) as opened, progress_after():
        shown = map_from(opened, question, passages)
    if not shown.objects:
        raise UsageError(f"the evidence memory {memory} holds nothing for this question")
    write_output(json.dumps(shown.to_dict(), indent=2))


@lattice.command("prompt")
def prompt(
    form: FormOption = "pointer",
    evidence: Annotated[
        Path | None, typer.Option("--evidence", "-e", help="Fill in this evidence map; without it, the bare wording.")
    ] = None,
    question: Question = None,
) -> None:
    """Print the text that tells a model how to answer in a form."""
    from assay.lattice import EvidenceMap, write_prompt
    from assay.lattice.render import load_template

    chosen = _choose("--form", form, ("pointer", "json"))
    if evidence is None:
        write_output(load_template(chosen).rstrip("\n"))
        return
    shown = EvidenceMap.load(evidence)
    asked = question or shown.question
    if not asked:
        raise UsageError("the evidence map names no question; give one with --question")
    write_output(write_prompt(chosen, asked, shown).rstrip("\n"))


@lattice.command("schema")
def schema() -> None:
    """Print the JSON Schema of the JSON form."""
    from assay.lattice import json_schema

    write_output(json.dumps(json_schema(), indent=2, ensure_ascii=False))


def _choose(option: str, given: str, known: tuple[str, ...]) -> str:
    if given not in known:
        raise UsageError(f"{option} takes {' or '.join(known)}, not {given!r}")
    return given
