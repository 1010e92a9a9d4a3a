"""The root of the command line, with every command group registered."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer

from assay.cli.examples import EXAMPLES
from assay.config import find_config

app = typer.Typer(
    name="assay",
    help="Tells, claim by claim, whether an answer is backed by its sources, and shows the proof.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from assay import __version__

        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version."),
) -> None:
    """Tells, claim by claim, whether an answer is backed by its sources, and shows the proof."""
    if context.invoked_subcommand != "doctor":  # which shows what is wrong with the file
        context.default_map = _project_defaults()


def _project_defaults() -> dict[str, Any]:
    """What the project's file says in place of the defaults of options; variables and flags come before it."""
    config = find_config()
    judge = {"judge": config.judge} if config.judge else {}
    memory = {"memory": config.memory} if config.memory else {}
    answering = dict.fromkeys(("ask", "repl", "mcp"), judge | memory)
    kept = dict.fromkeys((name.removeprefix("index ") for name in EXAMPLES if name.startswith("index ")), memory)
    form = {"form": config.format} if config.format else {}
    return {"check": judge | form, "repair": judge, "hallucinations": judge, "index": kept, **answering}


# The files in this folder, with their commands and groups where these have other names.
FILES = """
    check compare ask repair inspect:claims,inspect,audit_quotes hallucinations lattice index audit trace repl
    serve:serve,guard,mcp,keys evaluate selftest calibrate doctor
"""

for entry in FILES.split():
    file, _, names = entry.partition(":")
    for name in (names or file).split(","):
        found = getattr(import_module(f"assay.cli.{file}"), name)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command({"evaluate": "eval"}.get(name, name.replace("_", "-")))(found)


def _add_examples(commands: typer.Typer, prefix: str = "") -> None:
    for command in commands.registered_commands:
        command.epilog = f"Example: {EXAMPLES[prefix + str(command.name)]}"
    for inner in commands.registered_groups:
        if inner.typer_instance is not None:
            name = inner.name if isinstance(inner.name, str) else inner.typer_instance.info.name
            _add_examples(inner.typer_instance, f"{name} ")


_add_examples(app)
